import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { type AddressInfo, isIPv6 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Environment } from './environment.ts'
import { Problem } from './problem.ts'
import { respond, standingHeaders } from './respond.ts'
import { traceIdOf } from './visit.ts'

/** The port cannot be had; the message says what to do. */
export class PortTaken extends Error {}

export interface Listening {
  port: number
  /** By which this process reaches itself, such as `http://127.0.0.1:3000`. */
  address: string
  /** From here on requests are answered by the application; until then with 503. */
  answerWith: (app: Hono<Environment>) => void
  /** Aborted when it begins to stop: for answers that would not end by themselves. */
  stopping: AbortSignal
  /** Lets the requests under way finish, for 5 s at most. */
  stop: () => Promise<void>
}

/** With what follows, the end of the connections and of PostgreSQL, the whole stop stays within 10 s. */
export const patienceMs = 5_000

const starting = new Problem(503, 'starting', 'The server is starting.', { headers: { 'Retry-After': '1' } })
const malformed = new Problem(400, 'malformed-request', 'The host or the path of this request cannot be read.')

/**
 * Takes the port, before anything that takes time: that it is taken is known at once. Throws `PortTaken`. `publicUrl`
 * is for what is answered without the application.
 */
export async function listen(port: number, host: string, publicUrl: string): Promise<Listening> {
  let app: Hono<Environment> | undefined
  const answerAlone = answererOf(publicUrl)
  const answerBy = (request: Request, env: HttpBindings) => {
    if (!app) return answerAlone(starting, env.incoming)
    const answer = app.fetch(request, env)
    return request.method === 'HEAD' ? unlessSent(answer, env.outgoing) : answer
  }
  const answer = getRequestListener((request, env) => answerBy(request, env as HttpBindings), {
    // There is nothing to route.
    errorHandler: () => answerAlone(malformed),
  })
  const server = createServer({ keepAliveTimeout: 60_000 }, answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.message})`
      reject(new PortTaken(`PORT: ${port} on ${host} ${reason}. Set PORT to another one.`))
    })
    server.listen(port, host, resolve)
  })
  const stopping = new AbortController()
  const taken = (server.address() as AddressInfo).port
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : isIPv6(host) ? `[${host}]` : host
  return {
    port: taken,
    address: `http://${own}:${taken}`,
    answerWith: (ready) => {
      app = ready
    },
    stopping: stopping.signal,
    stop: () => {
      stopping.abort()
      return stop(server)
    },
  }
}

/** To HEAD the framework answers anew what it would to GET, and forgets that it was sent already. */
async function unlessSent(answer: Response | Promise<Response>, outgoing: ServerResponse): Promise<Response> {
  const response = await answer
  return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
}

/** Problems as the application tells them, from before it is there. */
function answererOf(publicUrl: string) {
  const standing = standingHeaders(publicUrl.startsWith('https:'))
  return (problem: Problem, incoming?: IncomingMessage | Http2ServerRequest) => {
    const traceId = traceIdOf(incoming?.headers['traceparent'])
    const headers = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...problem.headers }
    const body = JSON.stringify(problem.toBody(publicUrl, incoming?.url?.split('?')[0] ?? '', traceId))
    return respond({ status: problem.status, headers, body }, standing, traceId)
  }
}

/** `close` alone would wait for clients that keep an idle connection. */
async function stop(server: Server) {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  server.closeIdleConnections()
  await Promise.race([closed, delay(patienceMs, undefined, { ref: false })])
  clearInterval(idle)
  server.closeAllConnections()
}
