import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Routes, Services } from '../feature.ts'
import { Problem } from '../http/problem.ts'
import { createLimiter } from '../http/rate-limit.ts'
import { reportProblem } from '../http/report.ts'
import type { Visit } from '../http/visit.ts'
import { authenticate, requireLive, type ScimClient } from './authenticate.ts'
import { scimPath } from './present.ts'
import { answer, type ScimResponse } from './protocol.ts'
import { readJsonBody } from './read-body.ts'
import { redactBody, redactPath, redactText } from './redact.ts'
import { ScimError } from './scim-error.ts'
import * as store from './store.ts'

/** Requests a minute of the clients of one organisation, in this process. */
const requestsPerMinute = 6000

/** A request with its result, for the log. */
interface Exchange {
  client: ScimClient
  path: string
  startedAt: number
  body?: unknown
  visit: Visit
}

/** Serves the SCIM protocol under the path of each organisation, and logs each request of a known token. */
export function serveProtocol({ mount }: Pick<Routes, 'mount'>, services: Services): void {
  const { sql, http, log } = services
  const consume = createLimiter({ requests: requestsPerMinute, perSeconds: 60 })

  mount(`${scimPath}/*`, async (incoming, outgoing, visit) => {
    const startedAt = performance.now()
    const [, orgId = '', path = ''] = /^\/passport\/scim\/v2\/([^/?]*)\/?(.*)$/s.exec(incoming.url ?? '') ?? []
    let exchange: Exchange | undefined
    try {
      const client = await authenticate(sql, orgId, incoming.headers.authorization)
      exchange = { client, path, startedAt, visit }
      requireLive(client.state)
      const limits = await consume(client.orgId)
      const method = incoming.method ?? ''
      if (['POST', 'PUT', 'PATCH'].includes(method)) exchange.body = await readJsonBody(incoming)
      const { headers } = incoming
      const response = await answer(services, { client, method, path, body: exchange.body, headers, visit })
      await record(exchange, method, response)
      send(outgoing, { ...response, headers: { ...limits, ...response.headers } })
    } catch (error) {
      const failure = toScimError(error, incoming, visit)
      if (exchange) {
        const { status, scimType = null, message, help = null } = failure
        const logged = { status, body: failure.toBody(), headers: {}, notes: [] }
        const details = { scimType, detail: redactText(message), help: help && redactText(help) }
        await record(exchange, incoming.method ?? '', logged, details)
      }
      send(outgoing, { status: failure.status, body: failure.toBody(), headers: failure.headers, notes: [] })
      incoming.resume()
    }
  })

  /** Adds a request to the log. What it did is done, so that an error here does not change its response. */
  async function record(
    { client, path, startedAt, body, visit }: Exchange,
    method: string,
    response: ScimResponse,
    error: store.LoggedRequest['error'] = null,
  ): Promise<void> {
    try {
      await store.addRequest(sql, {
        orgId: client.orgId,
        tokenId: client.tokenId,
        method: method.slice(0, 16),
        path: redactPath(path),
        status: response.status,
        durationMs: Math.round(performance.now() - startedAt),
        error,
        notes: response.notes,
        requestBody: redactBody(body),
        responseBody: redactBody(response.body),
        ip: visit.ip,
        userAgent: visit.userAgent,
        traceId: visit.traceId,
      })
    } catch (cause) {
      log.error({ err: cause, traceId: visit.traceId }, 'scim-request-not-logged')
    }
  }

  function toScimError(error: unknown, incoming: IncomingMessage, visit: Visit): ScimError {
    if (error instanceof ScimError) return error
    const problem = error instanceof Problem ? error : reportProblem(error, incoming.url ?? '', visit, http)
    return new ScimError(problem.status, problem.message, { headers: problem.headers })
  }
}

function send(outgoing: ServerResponse, { status, body, headers }: ScimResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) return
  const text = body === undefined ? undefined : JSON.stringify(body)
  outgoing.writeHead(status, {
    'Cache-Control': 'no-store',
    ...(text !== undefined && {
      'Content-Type': 'application/scim+json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    }),
    ...headers,
  })
  outgoing.end(text)
}
