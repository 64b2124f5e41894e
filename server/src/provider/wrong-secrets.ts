import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Sql } from '../database/sql.ts'
import { takeBody } from '../http/body.ts'
import { Problem } from '../http/problem.ts'
import { failureCounter } from '../http/rate-limit.ts'
import { networkOf, type Visit } from '../http/visit.ts'
import { hashToken } from '../vault.ts'

const maxFailures = 30
/** Of whoever is there, on whatever names. */
const maxFailuresOfNetwork = 300
const lockSeconds = 60

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/**
 * Lets requests through to where clients prove who they are, and counts wrong secrets by client and network, whether
 * there is such a client or not, and by network alone: nobody elsewhere can lock a client out. Throws 429 for a minute
 * after thirty within one. What brings no secret is not counted.
 */
export function countWrongSecrets(sql: Sql, isNear: (visit: Pick<Visit, 'ip'>) => boolean) {
  const byClient = failureCounter(sql, 'client-secret', maxFailures, lockSeconds)
  const byNetwork = failureCounter(sql, 'client-secret-network', maxFailuresOfNetwork, lockSeconds)
  return (answer: Answer) =>
    async (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit): Promise<void> => {
      const clientId = await clientWithSecret(incoming)
      if (clientId === undefined) return answer(incoming, outgoing)
      const network = networkOf(visit.ip)
      const counts = [{ counter: byClient, key: hashToken(JSON.stringify([clientId, network])) }]
      if (!isNear(visit)) counts.push({ counter: byNetwork, key: network })
      for (const { counter, key } of counts) {
        const seconds = await counter.begin(key)
        if (seconds > 0) throw tooMany(seconds)
      }
      try {
        await answer(incoming, outgoing)
      } finally {
        // RFC 6749, section 5.2: 401 where it is the client that was not accepted.
        const isWrong = outgoing.statusCode === 401
        for (const { counter, key } of counts) await (isWrong ? counter.fail(key) : counter.takeBack(key))
      }
    }
}

/** The name in which a secret is presented, in either of the ways of RFC 6749, section 2.3.1. */
async function clientWithSecret(incoming: IncomingMessage): Promise<string | undefined> {
  const [, basic] = /^basic +(.+)$/i.exec(incoming.headers.authorization ?? '') ?? []
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':')[0]
  if (!incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return undefined
  const body = await takeBody(incoming)
  if (body.length > 0) incoming.unshift(body)
  const form = new URLSearchParams(body.toString('utf8'))
  return form.has('client_secret') ? (form.get('client_id') ?? '') : undefined
}

const tooMany = (seconds: number) =>
  new Problem(429, 'too-many-requests', `Too many wrong secrets. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds), 'Cache-Control': 'no-store' },
  })
