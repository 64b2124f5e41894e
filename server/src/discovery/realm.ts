import type { Discovery } from '@passport/contract/discovery'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import * as domains from '../orgs/domain-store.ts'

/**
 * Returns where users with an address of the domain sign in. Organisations have no identity provider of their own yet,
 * so their users use the only one there is, or choose.
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
