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
import type { Environment } from './environment.ts'
import { createResponseClass } from './last-response.ts'
import { createParserErrorHandler, endConnection, type RecordUnparsed } from './parser-errors.ts'
import { limitPipelining } from './pipelining.ts'
import { keepAliveSeconds } from './prepared.ts'
import type { Problem } from './problem.ts'
import { expectationFailed, malformedRequest, methodNotAllowed } from './problems.ts'
import type { RespondByProtocol } from './protocol.ts'

/** The port cannot be opened; the message has the remedy. */
export class PortUnavailable extends Error {}

export interface Listening {
  port: number
  /** The URL for requests of this process to itself, such as `http://127.0.0.1:3000`. */
  ownUrl: string
  /** Passes requests to the application from now on; until then they wait. */
  useApp: (app: Hono<Environment>, parts?: AppParts) => void
  /** Aborted when the server begins to stop, which `/readyz` reports and background work ends with. */
  stopping: AbortSignal
  /** Aborted when the connections are about to be closed, to end responses that would not end by themselves. */
  closing: AbortSignal
  /**
   * Serves requests for a time, so that load balancers find another server, and asks clients to close their connections.
   * Ends early if `skip` is aborted.
   */
  drain: (ms: number, skip: AbortSignal) => Promise<void>
  /** Stops listening, and waits up to 5 s for pending requests. */
  stop: () => Promise<void>
}

/** Parts of the application in front of the framework. */
export interface AppParts {
  /** Comes first. */
  respondByProtocol?: RespondByProtocol
  /** Counts and logs requests that do not reach the application. */
  recordUnparsed?: RecordUnparsed
}

/** A server that does not listen yet. */
export interface PreparedListening extends Omit<Listening, 'port' | 'ownUrl'> {
  /** Opens the port and returns it. Throws `PortUnavailable`. */
  open: () => Promise<number>
  /**
   * Leaves the port to another process without a failed request: clients with an open connection may send further
   * requests, up to 5 s, and are asked to open another one.
   */
  handOver: () => Promise<void>
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
 * Creates a server and opens its port. `publicUrl` is for responses without the application. Throws `PortUnavailable`.
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
  let serveApp: ReturnType<typeof getRequestListener> | undefined
  let respondByProtocol: RespondByProtocol = () => false
  let recordUnparsed: RecordUnparsed = () => {}
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>()
  const { host: publicHost } = new URL(publicUrl)
  const respond = createBareResponses(publicUrl)
  let closesConnections = false
  const options = {
    maxHeaderSize: maxHeaderBytes,
    // Node would respond without a body.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveSeconds * 1000,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    ServerResponse: createResponseClass((outgoing) => closesConnections && pipelining.isLast(outgoing)),
  }
  const handleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!serveApp) return passOnWhenReady(incoming, outgoing)
    const hostProblem = findHostProblem(incoming)
    if (hostProblem) return reject(hostProblem, incoming, outgoing)
    // Load balancers send an address or nothing as the host.
    if (isHealthCheck(incoming)) incoming.headers.host = publicHost
    const response = respondByProtocol(incoming, outgoing)
    // A promise costs as much as a response from memory.
    return response === true ? undefined : passOn(response, incoming, outgoing)
  }
  const passOn = async (response: false | Promise<boolean>, incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!(await response)) await serveApp?.(incoming, outgoing)
  }
  const passOnWhenReady = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    await ready
    handleRequest(incoming, outgoing)
  }
  const reject = (problem: Problem, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { ids, ...response } = respond(problem, toBareRequest(incoming))
    sendBareResponse(response, outgoing)
    const { status, code, message } = problem
    recordUnparsed({ status, code, reason: message, ip: incoming.socket.remoteAddress, ...ids })
  }
  const pipelining = limitPipelining(handleRequest)
  const { afterPending } = pipelining
  const server = createServer(options, pipelining.handle)
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
  const closing = new AbortController()
  const askToClose = () => {
    closesConnections = true
    pipelining.drain()
    stopping.abort()
  }
  const stop = () => {
    askToClose()
    closing.abort()
    return stopServer(server)
  }
  return {
    open: () => openPort(server, port, host),
    useApp: (app, parts = {}) => {
      respondByProtocol = parts.respondByProtocol ?? respondByProtocol
      recordUnparsed = parts.recordUnparsed ?? recordUnparsed
      const fetch = (request: Request, env: HttpBindings) => {
        const response = app.fetch(request, env)
        return request.method === 'HEAD' ? replaceIfSent(response, env.outgoing) : response
      }
      serveApp = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
        // Without a valid URL there is nothing to route.
        errorHandler: () => toResponse(respond(malformedRequest())),
      })
      setReady()
    },
    stopping: stopping.signal,
    closing: closing.signal,
    drain: async (ms, skip) => {
      askToClose()
      await delay(ms, undefined, { signal: skip }).catch(() => {})
    },
    handOver: async () => {
      askToClose()
      // Open streams end, and their browsers connect again.
      closing.abort()
      await waitForClients(server)
      await stop()
    },
    stop,
  }
}

/** Replaces a response to HEAD that was sent already: the framework would send it again, as for GET. */
async function replaceIfSent(pending: Response | Promise<Response>, outgoing: ServerResponse): Promise<Response> {
  const response = await pending
  return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Reports whether a request is for a health check, which is the same on any host name. */
const isHealthCheck = ({ url = '' }: IncomingMessage): boolean => /^\/(?:healthz|readyz)(?:\?|$)/.test(url)

/**
 * Returns the problem of a request without exactly one Host header (RFC 9112, section 3.2). HTTP/1.0 has none, and many
 * load balancers send none.
 */
function findHostProblem(incoming: IncomingMessage): Problem | undefined {
  const { rawHeaders, httpVersion } = incoming
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  if (count === 1 || (count === 0 && (httpVersion === '1.0' || isHealthCheck(incoming)))) return undefined
  return malformedRequest(`The request has ${count === 0 ? 'no Host header' : 'several Host headers'}.`)
}

/** Stops listening, and waits up to 5 s until clients have closed their connections. */
async function waitForClients(server: Server) {
  // The method of the HTTP server would also close idle connections, into which a client may be sending a request.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
  await Promise.race([closed, delay(shutdownTimeoutMs, undefined, { ref: false })])
}

/** Stops a server within 5 s. `close` alone would wait for clients that keep an idle connection. */
async function stopServer(server: Server) {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const idleTimer = setInterval(() => server.closeIdleConnections(), 100)
  server.closeIdleConnections()
  await Promise.race([closed, delay(shutdownTimeoutMs, undefined, { ref: false })])
  clearInterval(idleTimer)
  server.closeAllConnections()
}
