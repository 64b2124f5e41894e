import type { IdentityApi } from '@passport/contract/identity-apis'
import { admits, findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { OAuthError } from './oauth-error.ts'
import { userScopesOf } from './resources.ts'
import { issuerScopes } from './scopes.ts'

/** The scopes that a request is about: those of the issuer, and by audience those of APIs. */
export interface RequestedScopes {
  issuer: string[]
  /** By the audience of each API of the request, in its order. */
  byAudience: ReadonlyMap<string, string[]>
}

interface ScopedRequest {
  clientId: string
  /** The requested scopes, each once. */
  scopes: string[]
  /** The values of `resource`. */
  resources: readonly string[]
}

/**
 * Resolves the scopes that a user is asked for: those of the APIs that the request names (RFC 8707, section 2), or else of
 * the APIs that have one of the scopes. Unknown scopes are ignored (OpenID Connect Core, section 3.1.2.1). Throws
 * `invalid_target`, and `invalid_scope` for an API without any of its scopes: users consent to scopes, so without one there
 * would be no token.
 */
export function resolveScopes(all: IdentityApi[], { clientId, scopes, resources }: ScopedRequest): RequestedScopes {
  const found = resources.length > 0 ? resources.map((each) => findApi(all, each)) : findApisWithScopes(all, scopes)
  for (const api of found) {
    if (!api.enabled) throw new OAuthError('invalid_target', 'The API is disabled.')
    if (!admits(api, clientId)) throw new OAuthError('invalid_target', 'The API does not allow the client.')
    if (!scopes.some((scope) => scopeNamesOf(api).includes(scope)))
      throw new OAuthError('invalid_scope', 'A scope of the resource is missing.')
  }
  const only = (available: string[]) => scopes.filter((scope) => available.includes(scope))
  return {
    issuer: only(issuerScopes),
    byAudience: new Map(found.map((api) => [api.audience, only(userScopesOf(api))])),
  }
}

function findApi(all: IdentityApi[], resource: string): IdentityApi {
  const url = URL.parse(resource)
  if (!url) throw new OAuthError('invalid_target', 'The resource must be an absolute URI.')
  if (url.href.includes('#')) throw new OAuthError('invalid_target', 'The resource must not have a fragment.')
  const api = all.find(({ audience }) => audience === resource)
  if (!api) throw new OAuthError('invalid_target', 'The resource is unknown.')
  return api
}

/** Returns all scopes of two requests or grants together. */
export function uniteScopes(a: RequestedScopes, b: RequestedScopes): RequestedScopes {
  const audiences = [...new Set([...a.byAudience.keys(), ...b.byAudience.keys()])]
  const unite = (first: string[] = [], second: string[] = []) => [...new Set([...first, ...second])]
  return {
    issuer: unite(a.issuer, b.issuer),
    byAudience: new Map(audiences.map((each) => [each, unite(a.byAudience.get(each), b.byAudience.get(each))])),
  }
}

/** Reports whether a grant has all scopes of a request. */
export const coversScopes = (granted: RequestedScopes, requested: RequestedScopes): boolean =>
  requested.issuer.every((scope) => granted.issuer.includes(scope)) &&
  [...requested.byAudience].every(([audience, scopes]) =>
    scopes.every((scope) => granted.byAudience.get(audience)?.includes(scope)),
  )

/** Returns only the scopes that are among `names`. */
export const pickScopes = ({ issuer, byAudience }: RequestedScopes, names: readonly string[]): RequestedScopes => ({
  issuer: issuer.filter((scope) => names.includes(scope)),
  byAudience: new Map([...byAudience].map(([audience, scopes]) => [audience, scopes.filter((s) => names.includes(s))])),
})

/** Lists the names of all scopes, each once. */
export const listScopes = ({ issuer, byAudience }: RequestedScopes): string[] => [
  ...new Set([...issuer, ...[...byAudience.values()].flat()]),
]
