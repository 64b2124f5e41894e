import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { createAddressFailureCounter, createFailureCounter } from '../http/counters.ts'
import { tooManyRequests } from '../http/problems.ts'
import { networkOf, type Visit } from '../http/visit.ts'
import type { ClientCredentials } from '../oauth/client-authentication.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { hashToken, isSameSecret } from '../vault.ts'

/** The limit for one client from one network. */
const maxClientFailures = 30
/** The limit for one network across all clients. */
const maxNetworkFailures = 300
const lockSeconds = 60

/**
 * Authenticates the client of a request, by a copy in memory or, with `isCurrent`, as it is in the database. Throws
 * `invalid_client`.
 */
type AuthenticateClient = (
  credentials: ClientCredentials,
  visit: Visit,
  options?: { isCurrent?: boolean },
) => Promise<Client>

/**
 * Creates the authentication of clients (RFC 6749, section 3.2.1).
 *
 * Wrong secrets are counted per client and network, and per network. Once either limit is reached within a minute, it
 * throws 429 for wrong secrets for a minute. A correct secret is not counted and always accepted: a secret of 32 characters
 * cannot be guessed, and a lock would be a way to stop an application. `countAnonymous` counts requests without a correct
 * secret, for which a public client id is enough, and throws 429 above a limit.
 */
export function createClientAuthentication(
  { sql, http, clients, uses }: Services,
  countAnonymous: ((visit: Visit) => Promise<unknown>) | undefined,
): AuthenticateClient {
  const byClient = createFailureCounter(sql, 'client-secret', maxClientFailures, lockSeconds)
  const byNetwork = createAddressFailureCounter(sql, {
    name: 'client-secret-network',
    maxFailures: maxNetworkFailures,
    lockSeconds,
    networkOf,
  })

  async function countWrongSecret({ clientId }: ClientCredentials, visit: Visit) {
    const ownKey = hashToken(JSON.stringify([clientId, networkOf(visit.ip)]))
    const counters = [
      { counter: byClient, key: ownKey },
      ...(http.isLocal(visit) ? [] : [{ counter: byNetwork, key: visit.ip }]),
    ]
    for (const { counter, key } of counters) {
      const seconds = await counter.begin(key)
      if (seconds > 0) throw tooManyWrongSecrets(seconds)
    }
    // A failure that is not counted does not change the response.
    for (const { counter, key } of counters)
      await counter.fail(key).catch((error) => http.log.error({ err: error }, 'wrong-secrets-not-counted'))
  }

  return async (credentials, visit, { isCurrent = false } = {}) => {
    const known = isCurrent ? undefined : await clients.find(credentials.clientId)
    // A copy in memory may lack a new secret, or be that of a client that was enabled again.
    const client = hasAuthenticated(known, credentials) ? known : await clients.findCurrent(credentials.clientId)
    if (hasAuthenticated(client, credentials)) {
      if (credentials.secret !== undefined) uses.recordSecret(hashToken(credentials.secret))
      else await countAnonymous?.(visit)
      return client
    }
    await countAnonymous?.(visit)
    if (credentials.secret !== undefined) await countWrongSecret(credentials, visit)
    throw new OAuthError('invalid_client', 'client authentication failed', { detail: explain(client, credentials) })
  }
}

/** Reports whether a client has the presented secret, or has none and presented none. */
function hasAuthenticated(client: Client | undefined, { secret }: ClientCredentials): client is Client {
  if (!client || client.isConfidential !== (secret !== undefined)) return false
  if (secret === undefined) return true
  const presented = hashToken(secret)
  return client.secretHashes.some((hash) => isSameSecret(hash, presented))
}

/** Describes why authentication failed, for the trace of the sign-in. */
function explain(client: Client | undefined, { secret }: ClientCredentials): string {
  if (!client) return 'client not found'
  return client.isConfidential && secret !== undefined
    ? 'invalid secret provided'
    : 'the provided authentication mechanism does not match the registered client authentication method'
}

const tooManyWrongSecrets = (seconds: number) =>
  tooManyRequests(seconds, {
    detail: `Too many wrong client secrets. Try again in ${seconds} s.`,
    headers: { 'Cache-Control': 'no-store' },
  })
