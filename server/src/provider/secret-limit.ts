import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Sql } from '../database/sql.ts'
import { readBufferedBody } from '../http/body.ts'
import type { HttpContext } from '../http/http-context.ts'
import { tooManyRequests } from '../http/problems.ts'
import { createFailureCounter } from '../http/rate-limit.ts'
import { networkOf, type Visit } from '../http/visit.ts'
import { hashToken } from '../vault.ts'

/** The limit for one client from one network. */
const maxClientFailures = 30
/** The limit for one network across all clients. */
const maxNetworkFailures = 300
const lockSeconds = 60

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/**
 * Creates middleware that limits wrong client secrets. They are counted per client and network, so that other networks
 * cannot lock a client out, and per network. Once either limit is reached within a minute, the middleware throws 429
 * for a minute. Requests without a secret are not counted.
 */
export function limitWrongSecrets(sql: Sql, { isLocal, log }: Pick<HttpContext, 'isLocal' | 'log'>) {
  const byClient = createFailureCounter(sql, 'client-secret', maxClientFailures, lockSeconds)
  const byNetwork = createFailureCounter(sql, 'client-secret-network', maxNetworkFailures, lockSeconds)
  return (handle: Handler) =>
    async (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit): Promise<void> => {
      const clientId = await findAuthenticatingClientId(incoming)
      if (clientId === undefined) return handle(incoming, outgoing)
      const network = networkOf(visit.ip)
      const counters = [{ counter: byClient, key: hashToken(JSON.stringify([clientId, network])) }]
      if (!isLocal(visit)) counters.push({ counter: byNetwork, key: network })
      for (const { counter, key } of counters) {
        const seconds = await counter.begin(key)
        if (seconds > 0) throw tooManyWrongSecrets(seconds)
      }
      try {
        await handle(incoming, outgoing)
      } finally {
        // 401 means that client authentication failed (RFC 6749, section 5.2).
        const isWrongSecret = outgoing.statusCode === 401
        const settleCounters = async () => {
          for (const { counter, key } of counters) await (isWrongSecret ? counter.fail(key) : counter.cancel(key))
        }
        // The response has already been sent, so an error is only logged.
        await settleCounters().catch((error) => log.error({ err: error }, 'wrong-secrets-not-counted'))
      }
    }
}

/** Returns the client id if the request has a client secret, in either form of RFC 6749, section 2.3.1. */
async function findAuthenticatingClientId(incoming: IncomingMessage): Promise<string | undefined> {
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
    detail: `Too many wrong client secrets. Try again in ${seconds} s.`,
    headers: { 'Cache-Control': 'no-store' },
  })
