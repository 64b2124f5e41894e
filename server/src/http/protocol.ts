import type { IncomingMessage, ServerResponse } from 'node:http'
import { isFirstRequest, isGone } from './abandoned.ts'
import type { Admit } from './admission.ts'
import { createHostCheck } from './allowed-host.ts'
import type { RecordCompletion } from './completion.ts'
import { renderFailureFor, renderRefusal } from './failure.ts'
import { readForm } from './form.ts'
import type { HttpContext } from './http-context.ts'
import { isExemptFromLoad, type LoadSlot } from './load.ts'
import { type PreparedResponse, type RecordPrepared, sendPrepared } from './prepared.ts'
import { clientGone, methodNotAllowed } from './problems.ts'
import type { AddressLimit } from './rate-limit.ts'
import { rejectInvalidTarget, rejectInvalidText } from './valid-text.ts'
import type { Visit } from './visit.ts'

// The endpoints of the protocol get most of the requests of an installation, and the framework costs them more than
// their own work. So they are handled before it, with the same steps as every other request.

export interface ProtocolRequest {
  incoming: IncomingMessage
  visit: Visit
  /** The path of the request, percent-encoded. */
  path: string
  /** The query as it was sent, without `?`. */
  query: string
  /**
   * Reads the form; undefined if the body is none. The request does not count as load while it waits for the client.
   * Throws 413, and 400 if it cannot be stored, or the client disconnects.
   */
  readForm: () => Promise<URLSearchParams | undefined>
}

/** A response, before the standard headers are added. */
export interface ProtocolResponse {
  status: number
  headers: Record<string, string | string[]>
  body?: string | Uint8Array
  /** The code of the error, for metrics. */
  code?: string
}

/** An error that it throws is sent as a problem or, to a browser, as a page. */
type ProtocolHandler = (request: ProtocolRequest) => AnyResponse | Promise<AnyResponse>
type AnyResponse = ProtocolResponse | PreparedResponse

export interface ProtocolEndpoint {
  /** `GET` handles HEAD too, whose response has no body. Other methods get 405. */
  methods: Partial<Record<'GET' | 'POST', ProtocolHandler>>
  /** Returns the headers of the response to OPTIONS, besides `Allow`. */
  preflight?: (request: ProtocolRequest) => Record<string, string>
  /**
   * Returns the response to GET without a query, if it is in memory. It does not count as load, because it costs no more
   * than a refusal.
   */
  findPrepared?: (incoming: IncomingMessage) => PreparedResponse | undefined
  rateLimit?: AddressLimit
}

/** Answers a request before the framework. Returns or resolves to false if the framework has to. */
export type RespondByProtocol = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean | Promise<boolean>

export interface ProtocolRoutes {
  /** Registers the endpoint of a path, or of all paths one segment below it, for a path that ends with `/*`. */
  protocol: (path: `/${string}`, endpoint: ProtocolEndpoint) => void
  respond: RespondByProtocol
  /** Lists what is registered, each as `POST /connect/token`. */
  list: () => string[]
}

interface Route extends ProtocolEndpoint {
  path: string
  /** The allowed methods, for the header `Allow`. */
  allow: string
  limit: ((visit: Visit) => Promise<unknown>) | undefined
}

export function createProtocolRoutes(
  http: HttpContext,
  recordCompletion: RecordCompletion,
  admit: Admit,
  recordPrepared: RecordPrepared,
): ProtocolRoutes {
  const routes = new Map<string, Route>()
  const isAllowedHost = createHostCheck(http)

  function respond(incoming: IncomingMessage, outgoing: ServerResponse): boolean | Promise<boolean> {
    if (respondFromMemory(incoming, outgoing)) return true
    const { path, query } = splitTarget(incoming.url ?? '')
    const route = routes.get(path) ?? routes.get(`${path.slice(0, path.lastIndexOf('/'))}/*`)
    if (route) return respondBy(route, incoming, outgoing, path, query)
    return isFirstRequest(incoming.socket) && !isExemptFromLoad(path) && recordIfGone(incoming, path)
  }

  /** Records a request of the framework, and returns true, if its client has gone before it. */
  async function recordIfGone(incoming: IncomingMessage, path: string): Promise<boolean> {
    const startedAt = performance.now()
    if (!(await isGone(incoming.socket))) return false
    const { status, code } = clientGone()
    const seconds = (performance.now() - startedAt) / 1000
    recordCompletion(incoming, http.readVisit(incoming), path, {
      route: 'none',
      status,
      code,
      seconds,
      isStream: false,
    })
    return true
  }

  function respondFromMemory(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method, url: path = '', headers } = incoming
    const findPrepared = method === 'GET' || method === 'HEAD' ? routes.get(path)?.findPrepared : undefined
    if (!findPrepared) return false
    const visit = http.readVisit(incoming)
    const response = isAllowedHost(visit.host, path, headers) ? findPrepared(incoming) : undefined
    if (!response) return false
    sendPrepared(response, visit.traceId, incoming, outgoing)
    recordPrepared(response, path, incoming, visit)
    return true
  }

  async function respondBy(
    route: Route,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    query: string,
  ): Promise<boolean> {
    const startedAt = performance.now()
    const visit = http.readVisit(incoming)
    const complete = ({ status, code }: Pick<ProtocolResponse, 'status' | 'code'>): true => {
      const seconds = (performance.now() - startedAt) / 1000
      recordCompletion(incoming, visit, path, { route: route.path, status, code, seconds, isStream: false })
      return true
    }
    if (isFirstRequest(incoming.socket) && (await isGone(incoming.socket))) return complete(clientGone())
    const { slot, refusal } = admit(incoming, visit, path)
    const response = refusal
      ? renderRefusal(refusal, incoming, visit, http)
      : await handle(route, toRequest(incoming, visit, path, query, slot)).catch((error) =>
          renderFailureFor(error, incoming, visit, http),
        )
    slot?.release()
    if (outgoing.destroyed) return complete(clientGone())
    if ('head' in response) sendPrepared(response, visit.traceId, incoming, outgoing)
    else send(response, incoming, outgoing, { ...http.standardHeaders, 'x-trace-id': visit.traceId })
    return complete(response)
  }

  return {
    protocol: (path, endpoint) => {
      const { methods, rateLimit } = endpoint
      const allow = [...Object.keys(methods), ...(methods.GET ? ['HEAD'] : []), 'OPTIONS'].join(', ')
      routes.set(path, { ...endpoint, path, allow, limit: rateLimit && http.limitAddress(rateLimit) })
    },
    respond,
    list: () =>
      [...routes.values()].flatMap(({ path, methods }) => Object.keys(methods).map((name) => `${name} ${path}`)),
  }
}

async function handle(route: Route, request: ProtocolRequest): Promise<AnyResponse> {
  const { methods, allow, limit, preflight } = route
  const { method = '' } = request.incoming
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow, ...preflight?.(request) } }
  const handler = methods[(method === 'HEAD' ? 'GET' : method) as 'GET' | 'POST']
  if (!handler) throw methodNotAllowed(allow)
  await limit?.(request.visit)
  rejectInvalidTarget(request.path, request.query)
  return handler(request)
}

function toRequest(
  incoming: IncomingMessage,
  visit: Visit,
  path: string,
  query: string,
  slot: LoadSlot | undefined,
): ProtocolRequest {
  return {
    incoming,
    visit,
    path,
    query,
    readForm: async () => {
      const read = () => readForm(incoming)
      const form = await (slot ? slot.pauseWhile(read) : read())
      if (form) rejectInvalidText(form)
      return form
    },
  }
}

/** Splits a request target (RFC 9112, section 3.2), which may be an absolute URL. */
function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? '' : (/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target)?.[0] ?? '')
  const [, path = '', query = ''] = /^([^?#]*)\??([^#]*)/.exec(target.slice(origin.length)) ?? []
  return { path, query }
}

function send(
  { status, headers, body = '' }: ProtocolResponse,
  { method }: IncomingMessage,
  outgoing: ServerResponse,
  sharedHeaders: Record<string, string>,
) {
  const hasBody = status !== 204 && status !== 304
  const length = hasBody ? { 'Content-Length': Buffer.byteLength(body) } : undefined
  outgoing.writeHead(status, { ...sharedHeaders, ...headers, ...length })
  outgoing.end(hasBody && method !== 'HEAD' ? body : undefined)
}
