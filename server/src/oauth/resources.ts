import { includesAdminScope } from '@passport/contract/endpoint'
import type { IdentityApi } from '@passport/contract/identity-apis'
import type { Client } from '../clients/store.ts'
import { admits, findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { OAuthError } from './oauth-error.ts'
import { issuerScopes } from './scopes.ts'

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

/** Returns the API of an audience. Throws `invalid_target` (RFC 8707, section 2) if the client gets no tokens of it. */
export function requireApi<Api extends IdentityApi>(all: Api[], audience: string | undefined, clientId: string): Api {
  const api = all.find((candidate) => candidate.audience === audience)
  if (!api) throw new OAuthError('invalid_target', 'the resource is unknown')
  if (!api.enabled) throw new OAuthError('invalid_target', 'the API is disabled')
  if (!admits(api, clientId)) throw new OAuthError('invalid_target', 'the API does not allow this client')
  return api
}

/** Throws `invalid_scope` for a requested scope that is not allowed, or without any (RFC 6749, section 5.2). */
export function requireScopes(requested: string[], allowed: string[]): void {
  const disallowed = requested.find((scope) => !allowed.includes(scope))
  if (disallowed !== undefined)
    throw new OAuthError('invalid_scope', 'requested scope is not allowed', { members: { scope: disallowed } })
  if (requested.length === 0) throw new OAuthError('invalid_scope', 'scope is required')
}

/**
 * Returns the audience of a new access token: the requested one, or the first one of the grant (RFC 8707, section 2.2).
 * Undefined for user info. Throws `invalid_target` for an audience that was not granted.
 */
export function selectAudience(granted: string[], requested: string[]): string | undefined {
  const [audience = granted[0], ...others] = requested
  if (others.length > 0) throw new OAuthError('invalid_target', 'only one resource can be requested for a token')
  if (audience !== undefined && !granted.includes(audience))
    throw new OAuthError('invalid_target', 'the resource was not granted')
  return audience
}

/** What a user's access token is for. */
interface UserTarget<Api> {
  /** Undefined for user info. */
  api: Api | undefined
  scopes: string[]
  lifetimeSec: number
}

/**
 * Returns what the access token of a user is for, with those of the granted scopes that belong there. `lifetimeSec` is that
 * of tokens for user info. Throws `invalid_scope` if the API no longer has any of the scopes.
 */
export function toUserTarget<Api extends IdentityApi>(
  api: Api | undefined,
  scopes: string[],
  lifetimeSec: number,
): UserTarget<Api> {
  if (!api) return { api, scopes: scopes.filter((scope) => issuerScopes.includes(scope)), lifetimeSec }
  const available = userScopesOf(api)
  const allowed = scopes.filter((scope) => available.includes(scope))
  if (allowed.length === 0) throw new OAuthError('invalid_scope', 'the API no longer has the granted scopes')
  return { api, scopes: allowed, lifetimeSec: lifetimeOf(api, available) }
}
