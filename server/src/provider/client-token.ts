import { includesAdminScope } from '@passport/contract/endpoint'
import type { Clients } from '../clients/cache.ts'
import * as clientStore from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'
import type { ClientCaller } from '../http/caller.ts'
import type { AccessTokenClaims } from './access-token.ts'
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

/** The maximum delay until a server detects a revoked token. Applications send thousands of requests a second. */
const maxAgeMs = 5000
const maxEntries = 1000

/** Creates a cache of the clients of tokens. An entry expires after 5 seconds, or earlier with its token. */
export function createTokenCache() {
  const cache = new Map<string, { until: number; caller: ClientCaller }>()
  return {
    get: (token: string): ClientCaller | undefined => {
      const cached = cache.get(token)
      return cached && Date.now() < cached.until ? cached.caller : undefined
    },
    set: (token: string, caller: ClientCaller, expiresAtSeconds: number): void => {
      if (cache.size >= maxEntries) cache.clear()
      cache.set(token, { until: Math.min(Date.now() + maxAgeMs, expiresAtSeconds * 1000), caller })
    },
  }
}
