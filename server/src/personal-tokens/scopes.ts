import type { IdentityApi } from '@passport/contract/identity-apis'
import type { IdentityApis } from '../identity-apis/cache.ts'
import {
  canIntrospect,
  type DescribedScope,
  findApisWithScopes,
  listScopesForUsers,
  scopeNamesOf,
} from '../identity-apis/scopes.ts'

/**
 * Returns the scopes that a personal token may have, in display order: those of APIs. A scope that describes a sign-in
 * (`openid`, `profile`) or that only an application has is none of them.
 */
export const listGrantableScopes = async (apis: IdentityApis): Promise<DescribedScope[]> =>
  listScopesForUsers(await apis.list())

/** Returns the scopes of a token that are of an API for which a client is a resource server. */
export function pickScopesFor(
  apis: IdentityApi[],
  client: { clientId: string; isConfidential: boolean },
  scopes: string[],
): string[] {
  const served = findApisWithScopes(apis, scopes).filter((api) => canIntrospect(api, client))
  const names = new Set(served.flatMap(scopeNamesOf))
  return scopes.filter((scope) => names.has(scope))
}
