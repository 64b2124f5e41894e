import { includesAdminScope } from '@passport/contract/endpoint'
import type { IdentityApi } from '@passport/contract/identity-apis'
import type { Client } from '../clients/store.ts'
import { findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'

/** Returns the scopes that users may grant for an API. Tokens for Passport's own API also show its OpenID scopes. */
export const userScopesOf = (api: IdentityApi): string[] => [
  ...(api.builtIn ? ['openid', 'profile', 'email', 'connections', 'entitlements'] : []),
  ...scopeNamesOf(api),
]

/** Returns the scopes that a client has for an API on its own behalf. */
export function clientScopesOf(api: IdentityApi, client: Pick<Client, 'scopes' | 'apis'> | undefined): string[] {
  if (api.builtIn) return client?.scopes ?? []
  const existing = new Set(scopeNamesOf(api))
  return (client?.apis.find(({ name }) => name === api.name)?.scopes ?? []).filter((scope) => existing.has(scope))
}

/** The lifetime of a token with a scope for administration: a leaked one is soon useless. */
const adminTokenSeconds = 10 * 60

/** Returns the lifetime of a token of an API, in seconds. */
export const lifetimeOf = ({ tokenLifetimeSec }: IdentityApi, scopes: Iterable<string>): number =>
  includesAdminScope(scopes) ? Math.min(tokenLifetimeSec, adminTokenSeconds) : tokenLifetimeSec

/**
 * Returns the APIs of a client's own request: those of its scopes, and Passport's if it has scopes of none. Only a request
 * with exactly one is valid.
 */
export function findApisForClient<Api extends IdentityApi>(all: Api[], requested: Iterable<string>): Api[] {
  const scopes = [...requested]
  const found = findApisWithScopes(all, scopes)
  const known = new Set(all.flatMap(scopeNamesOf))
  const isForPassport = found.length === 0 || scopes.some((scope) => !known.has(scope))
  return [...new Set([...(isForPassport ? all.filter(({ builtIn }) => builtIn) : []), ...found])]
}
