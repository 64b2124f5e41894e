import type { IdentityApis } from '../identity-apis/cache.ts'
import { type DescribedScope, describeScopesOf } from '../identity-apis/scopes.ts'

/** The scopes of OpenID Connect, as users read them when they are asked for consent. */
const openIdScopes: DescribedScope[] = Object.entries({
  openid: 'Know who you are',
  profile: 'See your name and your username',
  email: 'See your email address',
  connections: 'See the ids of your connected accounts',
  entitlements: 'See what your organisations are entitled to',
  offline_access: 'Stay signed in while you are away',
}).map(([name, description]) => ({ name, description, isEmphasized: false }))

/** Returns the described scopes among the requested ones, in display order. */
export async function describeScopes(requested: Iterable<string>, apis: IdentityApis): Promise<DescribedScope[]> {
  const requestedNames = new Set(requested)
  const all = [...openIdScopes, ...(await apis.list()).flatMap(describeScopesOf)]
  return all.filter(({ name }) => requestedNames.has(name))
}
