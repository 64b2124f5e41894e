import type { IncomingMessage, ServerResponse } from 'node:http'
import { isFirstRequest, isGone } from './abandoned.ts'
import { createHostCheck } from './allowed-host.ts'
import type { RecordCompletion } from './completion.ts'
import { readForm } from './form.ts'
import type { HttpContext } from './http-context.ts'
import { isExemptFromLoad, type LoadLimiter } from './load.ts'
import { clientGone } from './problems.ts'
import { redactPath, toProblem } from './report.ts'
import type { Visit } from './visit.ts'

// A few endpoints get most of the requests of an installation, and the framework costs them more than their own work.
// So they have a second handler, which answers the usual requests before the framework. It passes on every other request.

export interface DirectRequest {
  incoming: IncomingMessage
  visit: Visit
  /** The query as it was sent, without `?`; empty for a handler of requests without one. */
  query: string
  /** Reads the form, as `readForm` does. The request does not count as load while it waits for the client. */
  readForm: () => Promise<URLSearchParams | undefined>
}

/** A response, before the standard headers are added. */
export interface DirectResponse {
  status: number
  headers: Record<string, string | string[]>
  body?: string | Buffer
}

/**
 * Answers a request; undefined passes it on to the framework, which must be able to handle it from the start. An error
 * passes it on too.
 */
export type DirectHandler = (request: DirectRequest) => DirectResponse | undefined | Promise<DirectResponse | undefined>

/** Answers a request directly. Returns or resolves to false if the framework has to. */
export type RespondDirectly = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean | Promise<boolean>

export interface DirectRoutes {
  /** Registers the handler of requests for exactly this path, without a query. */
  direct: (path: `/${string}`, handle: DirectHandler) => void
  /** Registers the handler of requests for this path with a query. */
  directQuery: (path: `/${string}`, handle: DirectHandler) => void
  /** Registers the handler of requests for any path one segment below this one, without a query. */
  directBelow: (path: `/${string}`, handle: DirectHandler) => void
  respond: RespondDirectly
}

interface FoundHandler {
  handle: DirectHandler
  path: string
  route: string
  query: string
}

/** The outcome of a request whose client has gone. */
const goneResponse = { status: clientGone.status, code: clientGone.code, isStream: false }

/** Creates the direct routes, with the same load limit, host check, metrics and log as those of the framework. */
export function createDirectRoutes(
  http: HttpContext,
  recordCompletion: RecordCompletion,
  loadLimiter: LoadLimiter,
): DirectRoutes {
  const handlers = new Map<string, DirectHandler>()
  const queryHandlers = new Map<string, DirectHandler>()
  const parentHandlers = new Map<string, DirectHandler>()
  const isAllowedHost = createHostCheck(http)

  function respond(incoming: IncomingMessage, outgoing: ServerResponse): boolean | Promise<boolean> {
    const url = incoming.url ?? ''
    const found = findHandler(url)
    const path = url.replace(/\?.*$/s, '')
    if (isFirstRequest(incoming.socket) && !isExemptFromLoad(path))
      return respondUnlessGone(found, path, incoming, outgoing)
    return found ? respondBy(found, incoming, outgoing) : false
  }

  async function respondUnlessGone(
    found: FoundHandler | undefined,
    path: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<boolean> {
    const startedAt = performance.now()
    if (!(await isGone(incoming.socket))) return found ? respondBy(found, incoming, outgoing) : false
    recordGone(incoming, http.readVisit(incoming), path, found?.route ?? 'none', startedAt)
    return true
  }

  function respondBy(
    { handle, path, route, query }: FoundHandler,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): boolean | Promise<boolean> {
    const startedAt = performance.now()
    const visit = http.readVisit(incoming)
    const slot = isAllowedHost(visit.host, path, incoming.headers) ? loadLimiter.admit() : undefined
    if (!slot) return false

    const finish = (response: DirectResponse | undefined): boolean => {
      slot.release()
      if (outgoing.destroyed) {
        recordGone(incoming, visit, path, route, startedAt)
        return true
      }
      if (!response) return false
      send(response, incoming, outgoing, { ...http.standardHeaders, 'x-trace-id': visit.traceId })
      const seconds = (performance.now() - startedAt) / 1000
      const { status } = response
      recordCompletion(incoming, visit, path, { route, status, code: undefined, seconds, isStream: false })
      return true
    }
    const fail = (error: unknown): boolean => {
      // The framework meets the same error again, and reports it in the form of the protocol.
      if (toProblem(error).status === 500)
        http.log.error({ err: error, path: redactPath(path), traceId: visit.traceId }, 'direct-response-failed')
      return finish(undefined)
    }
    try {
      const response = handle({ incoming, visit, query, readForm: () => slot.pauseWhile(() => readForm(incoming)) })
      return response instanceof Promise ? response.then(finish, fail) : finish(response)
    } catch (error) {
      return fail(error)
    }
  }

  /** Records a request without a response, because its client has gone. */
  function recordGone(incoming: IncomingMessage, visit: Visit, path: string, route: string, startedAt: number) {
    const seconds = (performance.now() - startedAt) / 1000
    recordCompletion(incoming, visit, path, { ...goneResponse, route, seconds })
  }

  function findHandler(url: string): FoundHandler | undefined {
    const queryAt = url.indexOf('?')
    if (queryAt >= 0) {
      const path = url.slice(0, queryAt)
      const handle = queryHandlers.get(path)
      return handle && { handle, path, route: path, query: url.slice(queryAt + 1) }
    }
    const handle = handlers.get(url)
    if (handle) return { handle, path: url, route: url, query: '' }
    const parent = url.slice(0, url.lastIndexOf('/'))
    const handleBelow = parentHandlers.get(parent)
    return handleBelow && { handle: handleBelow, path: url, route: `${parent}/*`, query: '' }
  }

  return {
    direct: (path, handle) => void handlers.set(path, handle),
    directQuery: (path, handle) => void queryHandlers.set(path, handle),
    directBelow: (path, handle) => void parentHandlers.set(path, handle),
    respond,
  }
}

function send(
  { status, headers, body = '' }: DirectResponse,
  { method }: IncomingMessage,
  outgoing: ServerResponse,
  sharedHeaders: Record<string, string>,
) {
  const length = status === 304 ? undefined : { 'Content-Length': Buffer.byteLength(body) }
  outgoing.writeHead(status, { ...sharedHeaders, ...headers, ...length })
  outgoing.end(method === 'HEAD' || status === 304 ? undefined : body)
}
