import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { type AddressInfo, createServer as createNetServer, isIPv6, Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { RespondDirectly } from './direct.ts'
import type { Environment } from './environment.ts'
import { limitPipelining } from './pipelining.ts'
import { keepAliveSeconds } from './prepared.ts'
import type { Problem } from './problem.ts'
import { malformedRequest, starting } from './problems.ts'
import { createStandardHeaders, respond } from './respond.ts'
import { readRequestIds } from './visit.ts'

/** The port cannot be opened; the message has the remedy. */
export class PortUnavailable extends Error {}

export interface Listening {
  port: number
  /** The URL for requests of this process to itself, such as `http://127.0.0.1:3000`. */
  ownUrl: string
  /**
   * Passes requests to the application from now on; until then they get 503. `respondDirectly` comes first, and answers
   * those of the direct routes.
   */
  useApp: (app: Hono<Environment>, respondDirectly?: RespondDirectly) => void
  /** Aborted when the stop begins, to end responses that would not end by themselves. */
  stopping: AbortSignal
  /** Stops listening, and waits up to 5 s for pending requests. */
  stop: () => Promise<void>
}

/** A server that does not listen yet. */
export interface PreparedListening extends Omit<Listening, 'port' | 'ownUrl'> {
  /** Opens the port and returns it. Throws `PortUnavailable`. */
  open: () => Promise<number>
  /**
   * Stops listening without a failed request: clients with an open connection may send further requests, up to 5 s, and
   * are asked to open another one.
   */
  drain: () => Promise<void>
}

/** Leaves time to close the connections and PostgreSQL within 10 s in total. */
export const shutdownTimeoutMs = 5_000

/** Limits for clients that send a request slowly. The duration of a response is not limited. */
export interface ClientLimits {
  /** From the opened connection, or the first byte of a further request, to the end of the headers. */
  headersTimeoutMs: number
  /** To the end of the body: 60 s requires 9 Mbit/s for the largest one. */
  requestTimeoutMs: number
  /** The interval of the checks for both timeouts. */
  checkEveryMs: number
  /** Includes idle connections, which take about 17 KB each. Connections beyond it are closed at once. */
  maxConnections: number
}

/** Twice the default of Node: browsers send the cookies of every application on the host, or under its domain. */
const maxHeaderBytes = 32 * 1024

const clientLimits: ClientLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  maxConnections: 10_000,
}

/**
 * Opens the port. Called before any slow step of the start, so that a conflict is reported at once. `publicUrl` is for
 * responses before `useApp`. Throws `PortUnavailable`.
 */
export async function listen(
  port: number,
  host: string,
  publicUrl: string,
  limits: ClientLimits = clientLimits,
): Promise<Listening> {
  const prepared = prepareToListen(port, host, publicUrl, limits)
  const boundPort = await prepared.open()
  return { ...prepared, port: boundPort, ownUrl: ownUrlOf(host, boundPort) }
}

/** Returns the URL for requests of this machine to itself. */
export function ownUrlOf(host: string, port: number): string {
  const ownHost = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : isIPv6(host) ? `[${host}]` : host
  return `http://${ownHost}:${port}`
}

/** Finds the port, a free one for 0, and reports at once if it cannot be opened. Throws `PortUnavailable`. */
export async function probePort(port: number, host: string): Promise<number> {
  const server = createNetServer()
  const found = await openPort(server, port, host)
  await new Promise((resolve) => server.close(resolve))
  return found
}

async function openPort(server: NetServer, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      const { code, message } = error
      const explanations: Record<string, string> = {
        EADDRINUSE: `PORT: ${port} on ${host} is already in use. Set PORT to another port.`,
        EACCES: `PORT: ${port} on ${host} cannot be used (${message}). Set PORT to another port.`,
      }
      const otherwise = `HOST: ${host} cannot be used (${message}). Set HOST to an address of this machine.`
      reject(new PortUnavailable(explanations[code ?? ''] ?? otherwise))
    })
    server.listen(port, host, resolve)
  })
  return (server.address() as AddressInfo).port
}

/** Creates a server that opens its port later. */
export function prepareToListen(
  port: number,
  host: string,
  publicUrl: string,
  limits: ClientLimits = clientLimits,
): PreparedListening {
  let isDraining = false
  let app: Hono<Environment> | undefined
  let respondDirectly: RespondDirectly = () => false
  const respondWithProblem = createProblemResponder(publicUrl)
  const handle = (request: Request, env: HttpBindings) => {
    if (!app)
      return isNavigation(env.incoming)
        ? respondWithStartPage(publicUrl, env.incoming)
        : respondWithProblem(starting(), env.incoming)
    const response = app.fetch(request, env)
    return request.method === 'HEAD' ? replaceIfSent(response, env.outgoing) : response
  }
  const listener = getRequestListener((request, env) => handle(request, env as HttpBindings), {
    // Without a valid URL there is nothing to route.
    errorHandler: () => respondWithProblem(malformedRequest()),
  })
  const options = {
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keepAliveSeconds * 1000,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
  }
  const handleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (isDraining) outgoing.shouldKeepAlive = false
    const response = respondDirectly(incoming, outgoing)
    // A promise costs as much as a response from memory.
    return response === true ? undefined : passOn(response, incoming, outgoing)
  }
  const passOn = async (response: false | Promise<boolean>, incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!(await response)) await listener(incoming, outgoing)
  }
  const server = createServer(options, limitPipelining(handleRequest).handle)
  server.maxConnections = limits.maxConnections
  server.on('clientError', endConnection)
  const stopping = new AbortController()
  return {
    open: () => openPort(server, port, host),
    useApp: (ready, direct = () => false) => {
      app = ready
      respondDirectly = direct
    },
    stopping: stopping.signal,
    drain: async () => {
      isDraining = true
      // Open streams end, and their browsers connect again.
      stopping.abort()
      await drain(server)
      await stop(server)
    },
    stop: () => {
      stopping.abort()
      return stop(server)
    },
  }
}

const statusLines: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/**
 * Ends a connection with a response, as Node does by default, unless the client has sent nothing: pools of clients open
 * connections in advance, and would take the response for that of a request which they are about to send.
 */
function endConnection(error: Error & { code?: string }, socket: Duplex & Partial<HttpSocket>) {
  const isSent = socket._httpMessage?.headersSent ?? false
  if (socket.writable && !isSent && socket.bytesRead !== 0)
    socket.write(`HTTP/1.1 ${statusLines[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
  socket.destroy(error)
}

interface HttpSocket {
  bytesRead: number
  /** The response that is being sent, an internal property of Node. */
  _httpMessage: ServerResponse | null
}

/** Replaces a response to HEAD that was sent already: the framework would send it again, as for GET. */
async function replaceIfSent(pending: Response | Promise<Response>, outgoing: ServerResponse): Promise<Response> {
  const response = await pending
  return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
}

/** Creates problem responses like those of the application, before it is ready. */
function createProblemResponder(publicUrl: string) {
  const standardHeaders = createStandardHeaders(publicUrl.startsWith('https:'))
  return (problem: Problem, incoming?: IncomingMessage | Http2ServerRequest) => {
    const ids = readRequestIds(incoming?.headers['traceparent'])
    const headers = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...problem.headers }
    const body = JSON.stringify(problem.toBody(publicUrl, incoming?.url?.split('?')[0] ?? '', ids))
    return respond({ status: problem.status, headers, body }, standardHeaders, ids.traceId)
  }
}

/** Reports whether a browser opens a page: scripts and API clients do not request HTML. */
const isNavigation = ({ headers, method }: HttpBindings['incoming']) =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

const startPageStyle =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center}'
const startPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="2">
<title>Starting</title>
<style>${startPageStyle}</style>
</head>
<body><main><h1>Passport is starting</h1><p>This page opens by itself in a moment.</p></main></body>
</html>
`
const startPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(startPageStyle).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Responds with a page that reloads itself. Its style is inline, because no file can be served yet. */
function respondWithStartPage(publicUrl: string, { headers }: HttpBindings['incoming']) {
  const all = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': startPagePolicy,
    ...starting().headers,
  }
  const standardHeaders = createStandardHeaders(publicUrl.startsWith('https:'))
  return respond(
    { status: 503, headers: all, body: startPage },
    standardHeaders,
    readRequestIds(headers['traceparent']).traceId,
  )
}

/** Stops listening, and waits up to 5 s until clients have closed their connections. */
async function drain(server: Server) {
  // The method of the HTTP server would also close idle connections, into which a client may be sending a request.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
  await Promise.race([closed, delay(shutdownTimeoutMs, undefined, { ref: false })])
}

/** Stops a server. `close` alone would wait for clients that keep an idle connection. */
async function stop(server: Server) {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const idleTimer = setInterval(() => server.closeIdleConnections(), 100)
  server.closeIdleConnections()
  await Promise.race([closed, delay(shutdownTimeoutMs, undefined, { ref: false })])
  clearInterval(idleTimer)
  server.closeAllConnections()
}
