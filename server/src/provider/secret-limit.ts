import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Sql } from '../database/sql.ts'
import { readBufferedBody } from '../http/body.ts'
import type { HttpContext } from '../http/http-context.ts'
import { tooManyRequests } from '../http/problems.ts'
import { createFailureCounter } from '../http/rate-limit.ts'
import { networkOf, type Visit } from '../http/visit.ts'
import { hashToken } from '../vault.ts'

const maxFailures = 30
/** The limit of a network for all clients together. */
const maxNetworkFailures = 300
const lockSeconds = 60

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/**
 * Creates a wrapper of handlers that limits wrong client secrets. They are counted by client and network, so that no
 * other network can lock a client out, and by network alone. After `maxFailures` within a minute, throws 429 for a
 * minute. Requests without a secret are not counted.
 */
export function limitWrongSecrets(sql: Sql, { isLocal, log }: Pick<HttpContext, 'isLocal' | 'log'>) {
  const byClient = createFailureCounter(sql, 'client-secret', maxFailures, lockSeconds)
  const byNetwork = createFailureCounter(sql, 'client-secret-network', maxNetworkFailures, lockSeconds)
  return (handle: Handler) =>
    async (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit): Promise<void> => {
      const clientId = await findClientWithSecret(incoming)
      if (clientId === undefined) return handle(incoming, outgoing)
      const network = networkOf(visit.ip)
      const counts = [{ counter: byClient, key: hashToken(JSON.stringify([clientId, network])) }]
      if (!isLocal(visit)) counts.push({ counter: byNetwork, key: network })
      for (const { counter, key } of counts) {
        const seconds = await counter.begin(key)
        if (seconds > 0) throw tooManyWrongSecrets(seconds)
      }
      try {
        await handle(incoming, outgoing)
      } finally {
        // 401 means that client authentication failed (RFC 6749, section 5.2).
        const isWrong = outgoing.statusCode === 401
        const count = async () => {
          for (const { counter, key } of counts) await (isWrong ? counter.fail(key) : counter.cancel(key))
        }
        // The response was sent already, so an error is only logged.
        await count().catch((error) => log.error({ err: error }, 'wrong-secrets-not-counted'))
      }
    }
}

/** Returns the client id of a request with a client secret, in either form of RFC 6749, section 2.3.1. */
async function findClientWithSecret(incoming: IncomingMessage): Promise<string | undefined> {
  const [, basic] = /^basic +(.+)$/i.exec(incoming.headers.authorization ?? '') ?? []
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':')[0]
  if (!incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return undefined
  const body = await readBufferedBody(incoming)
  if (body.length > 0) incoming.unshift(body)
  const form = new URLSearchParams(body.toString('utf8'))
  return form.has('client_secret') ? (form.get('client_id') ?? '') : undefined
}

const tooManyWrongSecrets = (seconds: number) =>
  tooManyRequests(seconds, {
    detail: `Too many wrong secrets. Try again in ${seconds} s.`,
    headers: { 'Cache-Control': 'no-store' },
  })
