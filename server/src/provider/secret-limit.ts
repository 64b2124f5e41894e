import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Sql } from '../database/sql.ts'
import { readBufferedBody } from '../http/body.ts'
import type { HttpContext } from '../http/http-context.ts'
import { tooManyRequests } from '../http/problems.ts'
import { createFailureCounter } from '../http/rate-limit.ts'
import { networkOf, type Visit } from '../http/visit.ts'
import { hashToken } from '../vault.ts'

const maxFailures = 30
/** Per network, for any client names. */
const maxNetworkFailures = 300
const lockSeconds = 60

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/**
 * Passes client authentication through, and counts wrong secrets by client and network, for unknown clients too, and by
 * network alone: other networks cannot lock a client out. Throws 429 for a minute after thirty within one. Requests
 * without a secret are not counted.
 */
export function limitWrongSecrets(sql: Sql, { isLocal: isNear, log }: Pick<HttpContext, 'isLocal' | 'log'>) {
  const byClient = createFailureCounter(sql, 'client-secret', maxFailures, lockSeconds)
  const byNetwork = createFailureCounter(sql, 'client-secret-network', maxNetworkFailures, lockSeconds)
  return (handle: Handler) =>
    async (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit): Promise<void> => {
      const clientId = await findClientWithSecret(incoming)
      if (clientId === undefined) return handle(incoming, outgoing)
      const network = networkOf(visit.ip)
      const counts = [{ counter: byClient, key: hashToken(JSON.stringify([clientId, network])) }]
      if (!isNear(visit)) counts.push({ counter: byNetwork, key: network })
      for (const { counter, key } of counts) {
        const seconds = await counter.begin(key)
        if (seconds > 0) throw tooMany(seconds)
      }
      try {
        await handle(incoming, outgoing)
      } finally {
        // RFC 6749, section 5.2: 401 means that the client was not accepted.
        const isWrong = outgoing.statusCode === 401
        const count = async () => {
          for (const { counter, key } of counts) await (isWrong ? counter.fail(key) : counter.cancel(key))
        }
        // The response has been sent.
        await count().catch((error) => log.error({ err: error }, 'Failed to count wrong client secrets'))
      }
    }
}

/** Returns the client id of a presented secret, sent in either way of RFC 6749, section 2.3.1. */
async function findClientWithSecret(incoming: IncomingMessage): Promise<string | undefined> {
  const [, basic] = /^basic +(.+)$/i.exec(incoming.headers.authorization ?? '') ?? []
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':')[0]
  if (!incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return undefined
  const body = await readBufferedBody(incoming)
  if (body.length > 0) incoming.unshift(body)
  const form = new URLSearchParams(body.toString('utf8'))
  return form.has('client_secret') ? (form.get('client_id') ?? '') : undefined
}

const tooMany = (seconds: number) =>
  tooManyRequests(seconds, {
    detail: `Too many wrong secrets. Try again in ${seconds} s.`,
    headers: { 'Cache-Control': 'no-store' },
  })
