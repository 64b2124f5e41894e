import { parseDomainName } from '@passport/contract/domain-name'
import type { OrgEntra } from '@passport/contract/org-entra'
import type { ActorFields } from '../audit/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as domains from '../orgs/domain-store.ts'
import { findPublicMailErrors } from '../orgs/public-mail.ts'
import { endFormerVouches } from '../users/take-address.ts'

const parseAll = (names: string[]) => [...new Set(names.flatMap((name) => parseDomainName(name) ?? []))].sort()

/**
 * Adds the domains that Microsoft has verified for a tenant to its organisation, as verified. A domain of another
 * organisation stays there. Throws a unique violation if another organisation verifies one at the same time.
 */
export async function addTenantDomains(
  sql: Sql,
  orgId: string,
  names: string[],
  actor: ActorFields = {},
): Promise<{ added: string[]; rejected: OrgEntra['rejectedDomains'] }> {
  const all = parseAll(names)
  await domains.lapseInDeletedOrgs(sql, all)
  const owners = new Map((await domains.listOwners(sql, all)).map(({ domain, orgId }) => [domain, orgId]))
  const rejected = all.flatMap((domain): OrgEntra['rejectedDomains'] => {
    if (findPublicMailErrors([domain], () => '').length > 0) return [{ domain, reason: 'public' }]
    return (owners.get(domain) ?? orgId) === orgId ? [] : [{ domain, reason: 'taken' }]
  })
  const excluded = new Set(rejected.map(({ domain }) => domain))
  const added = all.filter((domain) => !excluded.has(domain))
  await domains.addOfTenant(sql, orgId, added)
  await endFormerVouches(sql, { orgId, domains: added }, actor)
  return { added, rejected }
}

/** Lets the domains lapse that Microsoft has verified for the tenant, and no longer does. Returns whether any did. */
export async function lapseTenantDomains(
  sql: Sql,
  orgId: string,
  names: string[],
  actor: ActorFields = {},
): Promise<boolean> {
  const lapsed = await domains.lapseOfTenant(sql, orgId, parseAll(names))
  await audit.recordAll(
    sql,
    lapsed.map((domain) => ({
      action: 'org.domain-lapsed',
      ...actor,
      target: { kind: 'org', id: orgId },
      before: { domain, status: 'verified' },
      after: { domain, status: 'lapsed' },
    })),
  )
  return lapsed.length > 0
}
