import type { Discovery } from '@passport/contract/discovery'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import * as domains from '../orgs/domain-store.ts'

/**
 * Returns the sign-in realm of an email domain. Organisations have no identity provider of their own, so their users
 * sign in with the only one of this server, or choose one.
 */
export async function findRealm(
  sql: Sql,
  { identityProviders }: Config,
  domain: string,
): Promise<NonNullable<Discovery['realm']>> {
  const org = (await domains.findOwner(sql, domain)) ?? null
  const only = org && identityProviders.length === 1 ? identityProviders[0] : undefined
  return {
    domain,
    kind: only?.kind ?? 'unknown',
    idp: only?.id ?? null,
    tenantId: null,
    authority: null,
    domainHint: null,
    org,
    signInUrl: only ? `/login?idp=${only.id}` : '/login',
  }
}
