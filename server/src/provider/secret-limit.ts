import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import { createAddressFailureCounter, createFailureCounter } from '../http/counters.ts'
import { readForm } from '../http/form.ts'
import type { HttpContext } from '../http/http-context.ts'
import { tooManyRequests } from '../http/problems.ts'
import type { AddressLimit } from '../http/rate-limit.ts'
import { isValidText } from '../http/storable-text.ts'
import { networkOf, type Visit } from '../http/visit.ts'
import { hashToken, isSameSecret } from '../vault.ts'

/** The limit for one client from one network. */
const maxClientFailures = 30
/** The limit for one network across all clients. */
const maxNetworkFailures = 300
const lockSeconds = 60

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/**
 * Creates middleware that limits wrong client secrets. They are counted per client and network, and per network. Once
 * either limit is reached within a minute, it throws 429 for wrong secrets for a minute. A correct secret is not counted
 * and always accepted: a secret of 32 characters cannot be guessed, and a lock would be a way to stop an application.
 */
export function limitWrongSecrets(
  sql: Sql,
  clients: Clients,
  { isLocal, limitAddress, log }: Pick<HttpContext, 'isLocal' | 'limitAddress' | 'log'>,
) {
  const byClient = createFailureCounter(sql, 'client-secret', maxClientFailures, lockSeconds)
  const byNetwork = createAddressFailureCounter(sql, {
    name: 'client-secret-network',
    maxFailures: maxNetworkFailures,
    lockSeconds,
    networkOf,
  })
  /** `withoutSecret` limits requests without a correct secret, for which a public client id is enough. */
  return (handle: Handler, { withoutSecret }: { withoutSecret?: AddressLimit } = {}) => {
    const countAnonymous = withoutSecret && limitAddress(withoutSecret)
    return async (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit): Promise<void> => {
      const credentials = await readCredentials(incoming)
      if (credentials && (await isCorrect(clients, credentials))) return handle(incoming, outgoing)
      // The library takes an empty secret for none.
      await countAnonymous?.(visit)
      if (!credentials) return handle(incoming, outgoing)
      const ownKey = hashToken(JSON.stringify([credentials.clientId, networkOf(visit.ip)]))
      const counters = [
        { counter: byClient, key: ownKey },
        ...(isLocal(visit) ? [] : [{ counter: byNetwork, key: visit.ip }]),
      ]
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
}

interface Credentials {
  clientId: string
  secret: string
}

/** Reports whether a client has this secret. The library authenticates the client again. */
async function isCorrect(clients: Clients, { clientId, secret }: Credentials): Promise<boolean> {
  if (!isValidText(clientId)) return false
  const client = await clients.find(clientId)
  const presented = hashToken(secret)
  return client?.secretHashes.some((hash) => isSameSecret(hash, presented)) ?? false
}

/**
 * Returns the client id and the secret of a request, in either form of RFC 6749, section 2.3.1; undefined without a
 * secret. The form can be read again.
 */
async function readCredentials(incoming: IncomingMessage): Promise<Credentials | undefined> {
  const [, basic] = /^basic +(.+)$/i.exec(incoming.headers.authorization ?? '') ?? []
  if (basic !== undefined) {
    const [, clientId = '', secret = ''] = /^([^:]*):?(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? []
    return { clientId: formDecode(clientId), secret: formDecode(secret) }
  }
  const form = await readForm(incoming)
  const secret = form?.get('client_secret') ?? undefined
  return secret === undefined ? undefined : { clientId: form?.get('client_id') ?? '', secret }
}

/** Decodes a value of the header, which is form-encoded; an invalid one stays as it is, and is wrong. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'))
  } catch {
    return text
  }
}

const tooManyWrongSecrets = (seconds: number) =>
  tooManyRequests(seconds, {
    detail: `Too many wrong client secrets. Try again in ${seconds} s.`,
    headers: { 'Cache-Control': 'no-store' },
  })
