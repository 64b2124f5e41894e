import { includesAdminScope } from '@passport/contract/endpoint'
import type { Clients } from '../clients/cache.ts'
import * as clientStore from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { ClientCaller } from '../http/caller.ts'
import type { Log } from '../log.ts'
import type { AccessTokenClaims } from '../oauth/access-token.ts'
import * as store from './store.ts'

/**
 * Returns the client of a client credentials token, with those scopes of the token that the client still has; undefined
 * if the token is not one, or is not valid. For a token with a scope for administration, the client is read from the
 * database: a change of it counts at once.
 */
export async function findClientByClaims(
  sql: Sql,
  clients: Clients,
  claims: AccessTokenClaims,
): Promise<ClientCaller | undefined> {
  if (claims.sub !== claims.client_id) return undefined
  const tokenScopes = new Set(claims.scope.split(' '))
  const client = includesAdminScope(tokenScopes)
    ? await clientStore.find(sql, claims.client_id)
    : await clients.find(claims.client_id)
  if (!client || !(await store.findArtifact(sql, 'passport', 'ClientCredentials', claims.jti))) return undefined
  const { clientId, name, scopes } = client
  return { clientId, name, scopes: new Set(scopes.filter((scope) => tokenScopes.has(scope))) }
}

/** The maximum delay of a revocation if the database sends no notifications. */
const maxAgeMs = 5000
const maxEntries = 1000

/** The clients of tokens, cached: applications send thousands of requests a second. */
export interface ClientTokens {
  find: (token: string) => ClientCaller | undefined
  /**
   * Called before a token is read. The returned function caches its client until the token expires (seconds since
   * 1970), unless a token has ended since then.
   */
  begin: (token: string) => (caller: ClientCaller, expiresAt: number) => void
  /** Forgets all clients, so that the next call with any token reads it again. */
  clear: () => void
}

/**
 * Caches the clients of tokens in memory until the database notifies that a token ended or a client changed, by any
 * process.
 */
export async function cacheClientTokens(sql: Sql, log: Log): Promise<ClientTokens> {
  const cache = new Map<string, { until: number; caller: ClientCaller }>()
  let clearCount = 0
  const clear = () => {
    clearCount += 1
    cache.clear()
  }
  // Also called after a reconnect, before which notifications may have been lost.
  for (const channel of ['client_tokens', 'clients']) await subscribe(sql, log, channel, clear, clear)
  return {
    clear,
    find: (token) => {
      const cached = cache.get(token)
      return cached && Date.now() < cached.until ? cached.caller : undefined
    },
    begin: (token) => {
      const countBefore = clearCount
      return (caller, expiresAt) => {
        if (clearCount !== countBefore) return
        if (cache.size >= maxEntries) cache.clear()
        cache.set(token, { until: Math.min(Date.now() + maxAgeMs, expiresAt * 1000), caller })
      }
    },
  }
}
