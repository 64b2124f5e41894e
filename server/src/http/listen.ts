import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, isIPv6, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import {
  createBareResponses,
  formatBareResponse,
  sendBareResponse,
  toBareRequest,
  toResponse,
} from './bare-responses.ts'
import type { RespondDirectly } from './direct.ts'
import type { Environment } from './environment.ts'
import { createParserErrorHandler, endConnection, type RecordUnparsed } from './parser-errors.ts'
import { limitPipelining } from './pipelining.ts'
import { keepAliveSeconds } from './prepared.ts'
import type { Problem } from './problem.ts'
import { expectationFailed, malformedRequest, methodNotAllowed, starting } from './problems.ts'

/** The port cannot be opened; the message has the remedy. */
export class PortUnavailable extends Error {}

export interface Listening {
  port: number
  /** The URL for requests of this process to itself, such as `http://127.0.0.1:3000`. */
  ownUrl: string
  /** Passes requests to the application from now on; until then they get 503. */
  useApp: (app: Hono<Environment>, parts?: AppParts) => void
  /** Aborted when the stop begins, to end responses that would not end by themselves. */
  stopping: AbortSignal
  /** Stops listening, and waits up to 5 s for pending requests. */
  stop: () => Promise<void>
}

/** Parts of the application in front of the framework. */
export interface AppParts {
  /** Comes first, and answers the requests of the direct routes. */
  respondDirectly?: RespondDirectly
  /** Counts and logs requests that do not reach the application. */
  recordUnparsed?: RecordUnparsed
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
  let recordUnparsed: RecordUnparsed = () => {}
  const respond = createBareResponses(publicUrl)
  const handle = (request: Request, env: HttpBindings) => {
    if (!app) return toResponse(respond(starting(), toBareRequest(env.incoming)))
    const response = app.fetch(request, env)
    return request.method === 'HEAD' ? replaceIfSent(response, env.outgoing) : response
  }
  const listener = getRequestListener((request, env) => handle(request, env as HttpBindings), {
    // Without a valid URL there is nothing to route.
    errorHandler: () => toResponse(respond(malformedRequest())),
  })
  const options = {
    maxHeaderSize: maxHeaderBytes,
    // Node would respond without a body.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveSeconds * 1000,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
  }
  const handleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const hostProblem = findHostProblem(incoming)
    if (hostProblem) return reject(hostProblem, incoming, outgoing)
    if (isDraining) outgoing.shouldKeepAlive = false
    const response = respondDirectly(incoming, outgoing)
    // A promise costs as much as a response from memory.
    return response === true ? undefined : passOn(response, incoming, outgoing)
  }
  const passOn = async (response: false | Promise<boolean>, incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!(await response)) await listener(incoming, outgoing)
  }
  const reject = (problem: Problem, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { ids, ...response } = respond(problem, toBareRequest(incoming))
    sendBareResponse(response, outgoing)
    const { status, code, message } = problem
    recordUnparsed({ status, code, reason: message, ip: incoming.socket.remoteAddress, ...ids })
  }
  const { handle: handleInTurn, afterPending } = limitPipelining(handleRequest)
  const server = createServer(options, handleInTurn)
  server.maxConnections = limits.maxConnections
  const record: RecordUnparsed = (request) => recordUnparsed(request)
  const endAfterError = createParserErrorHandler({ respond, afterPending, record })
  server.on('clientError', (error, socket) => endAfterError(error, socket as Socket))
  server.on('checkExpectation', (incoming, outgoing) => reject(expectationFailed(), incoming, outgoing))
  server.on('connect', (incoming, socket) => {
    const response = respond(methodNotAllowed(methods), toBareRequest(incoming))
    endConnection(socket.on('error', () => {}) as Socket, formatBareResponse(response))
  })
  const stopping = new AbortController()
  return {
    open: () => openPort(server, port, host),
    useApp: (ready, parts = {}) => {
      app = ready
      respondDirectly = parts.respondDirectly ?? respondDirectly
      recordUnparsed = parts.recordUnparsed ?? recordUnparsed
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

/** Replaces a response to HEAD that was sent already: the framework would send it again, as for GET. */
async function replaceIfSent(pending: Response | Promise<Response>, outgoing: ServerResponse): Promise<Response> {
  const response = await pending
  return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Returns the problem of a request without exactly one Host header (RFC 9112, section 3.2); HTTP/1.0 has none. */
function findHostProblem({ rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  if (count === 1 || (count === 0 && httpVersion === '1.0')) return undefined
  return malformedRequest(`The request has ${count === 0 ? 'no Host header' : 'several Host headers'}.`)
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
