import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import type { ClientCaller } from '../http/caller.ts'
import type { AccessTokenClaims } from './access-token.ts'
import * as store from './store.ts'

/** The application that an access token of ours speaks for by itself: alive, and the client still allowed what it says. */
export async function clientByClaims(
  sql: Sql,
  clients: Clients,
  claims: AccessTokenClaims,
): Promise<ClientCaller | undefined> {
  if (claims.sub !== claims.client_id) return undefined
  const client = await clients.find(claims.client_id)
  if (!client || !(await store.findArtifact(sql, 'passport', 'ClientCredentials', claims.jti))) return undefined
  const said = new Set(claims.scope.split(' '))
  const { clientId, name, scopes } = client
  return { clientId, name, scopes: new Set(scopes.filter((scope) => said.has(scope))) }
}

/** How late a server may see that such a token was revoked. Applications ask thousands of times a second. */
const maxAgeMs = 5000
const maxKept = 1000

/** Remembers whom a token speaks for, for 5 seconds and no longer than it is good. */
export function createTokenMemory() {
  const kept = new Map<string, { until: number; caller: ClientCaller }>()
  return {
    recall: (token: string): ClientCaller | undefined => {
      const found = kept.get(token)
      return found && Date.now() < found.until ? found.caller : undefined
    },
    remember: (token: string, caller: ClientCaller, expiresAtSeconds: number): void => {
      if (kept.size >= maxKept) kept.clear()
      kept.set(token, { until: Math.min(Date.now() + maxAgeMs, expiresAtSeconds * 1000), caller })
    },
  }
}
