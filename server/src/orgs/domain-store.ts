import type { OrgDomain } from '@passport/contract/org-domains'
import type { Sql } from '../database/sql.ts'
import { generateToken } from '../vault.ts'

/** The table and columns for bulk loads of domains. */
export const copyTarget = {
  table: 'org_domains',
  columns: ['org_id', 'domain', 'status', 'challenge', 'added_at', 'verified_at', 'checked_at'],
}

interface DomainRow {
  domain: string
  status: OrgDomain['status']
  challenge: string
  addedAt: string
  verifiedAt: string | null
  checkedAt: string | null
  failingSince: string | null
  source: OrgDomain['source']
}

/** Lists the domains of an organisation by name. */
export async function list(sql: Sql, orgId: string): Promise<OrgDomain[]> {
  const rows = await sql<DomainRow[]>`
    select domain, status, challenge, added_at, verified_at, checked_at, failing_since, source
    from org_domains where org_id = ${orgId} order by domain collate "C"`
  return rows.map(toOrgDomain)
}

/** Lists the verified domains of organisations, by name. */
export async function listVerified(sql: Sql, orgIds: string[]): Promise<{ orgId: string; domain: string }[]> {
  return sql<{ orgId: string; domain: string }[]>`
    select org_id, domain from org_domains where org_id = any(${orgIds}) and status = 'verified'
    order by domain collate "C"`
}

export async function find(sql: Sql, orgId: string, domain: string): Promise<OrgDomain | undefined> {
  const [row] = await sql<DomainRow[]>`
    select domain, status, challenge, added_at, verified_at, checked_at, failing_since, source
    from org_domains where org_id = ${orgId} and domain = ${domain}`
  return row && toOrgDomain(row)
}

/** Like `find`, and locks the domain until the transaction ends. */
export async function lock(sql: Sql, orgId: string, domain: string): Promise<OrgDomain | undefined> {
  const [row] = await sql<DomainRow[]>`
    select domain, status, challenge, added_at, verified_at, checked_at, failing_since, source
    from org_domains where org_id = ${orgId} and domain = ${domain} for update`
  return row && toOrgDomain(row)
}

/** Adds a pending domain; returns undefined if the organisation has it already. */
export async function add(sql: Sql, orgId: string, domain: string): Promise<OrgDomain | undefined> {
  const [row] = await sql<DomainRow[]>`
    insert into org_domains (org_id, domain, challenge) values (${orgId}, ${domain}, ${generateToken()})
    on conflict do nothing
    returning domain, status, challenge, added_at, verified_at, checked_at, failing_since, source`
  return row && toOrgDomain(row)
}

/**
 * Records that the DNS record was found: the domain is verified. Throws a unique violation if another organisation has
 * verified it.
 */
export async function verify(sql: Sql, orgId: string, domain: string): Promise<void> {
  await sql`
    update org_domains set checked_at = now(), failing_since = null, source = 'dns',
      verified_at = case when status = 'verified' then verified_at else now() end, status = 'verified'
    where org_id = ${orgId} and domain = ${domain}`
}

/**
 * Adds domains that Microsoft has verified for the organisation's tenant, or verifies the pending ones; a domain verified
 * by DNS stays so. Throws a unique violation if another organisation has verified one.
 */
export async function addOfTenant(sql: Sql, orgId: string, domains: string[]): Promise<void> {
  const challenges = domains.map(() => generateToken())
  await sql`
    insert into org_domains as d (org_id, domain, challenge, status, source, verified_at, checked_at)
    select ${orgId}, domain, challenge, 'verified', 'microsoft', now(), now()
    from unnest(${domains}::text[], ${challenges}::text[]) as added (domain, challenge)
    on conflict (org_id, domain) do update
      set status = 'verified', source = 'microsoft', verified_at = now(), checked_at = now(), failing_since = null
      where d.status <> 'verified'`
}

/** Lets the domains lapse that Microsoft verified for the organisation's tenant, except these; returns their names. */
export async function lapseOfTenant(sql: Sql, orgId: string, except: string[]): Promise<string[]> {
  const lapsed = await sql<{ domain: string }[]>`
    update org_domains set status = 'lapsed', checked_at = now()
    where org_id = ${orgId} and status = 'verified' and source = 'microsoft' and domain <> all(${except})
    returning domain`
  return lapsed.map(({ domain }) => domain).sort()
}

/** Lets domains lapse in deleted organisations, so that another organisation can verify them. */
export async function lapseInDeletedOrgs(sql: Sql, domains: string[]): Promise<void> {
  await sql`
    update org_domains d set status = 'lapsed'
    where d.domain = any(${domains}) and d.status = 'verified'
      and not exists (select from verified_domains v where v.domain = d.domain and v.org_id = d.org_id)`
}

export async function remove(sql: Sql, orgId: string, domain: string): Promise<void> {
  await sql`delete from org_domains where org_id = ${orgId} and domain = ${domain}`
}

/** Lists the organisations that have verified these domains. */
export async function listOwners(sql: Sql, domains: string[]): Promise<{ domain: string; orgId: string }[]> {
  return sql<{ domain: string; orgId: string }[]>`
    select domain, org_id from verified_domains where domain = any(${domains})`
}

interface DueDomain {
  orgId: string
  domain: string
  dnsName: string
  dnsValue: string
}

/** Lists domains verified by DNS that were not checked for a day, the least recently checked first. */
export async function listDue(sql: Sql, limit: number): Promise<DueDomain[]> {
  const rows = await sql<{ orgId: string; domain: string; challenge: string }[]>`
    select org_id, domain, challenge from org_domains
    where status = 'verified' and source = 'dns' and checked_at <= now() - interval '1 day' order by checked_at limit ${limit}`
  return rows.map(({ orgId, domain, challenge }) => ({ orgId, domain, ...toDnsRecord(domain, challenge) }))
}

/** Records that the DNS record of a verified domain was found. */
export async function recordFound(sql: Sql, { orgId, domain }: DueDomain): Promise<void> {
  await sql`
    update org_domains set checked_at = now(), failing_since = null
    where org_id = ${orgId} and domain = ${domain} and status = 'verified'`
}

/** Records a check whose DNS query failed. */
export async function recordFailedQuery(sql: Sql, { orgId, domain }: DueDomain): Promise<void> {
  await sql`update org_domains set checked_at = now() where org_id = ${orgId} and domain = ${domain}`
}

/** Records that the DNS record is missing; returns true if the domain lapses, after a week without the record. */
export async function recordMissing(sql: Sql, { orgId, domain }: DueDomain): Promise<boolean> {
  const [row] = await sql<{ status: string }[]>`
    update org_domains set checked_at = now(), failing_since = coalesce(failing_since, now()),
      status = case when failing_since <= now() - interval '7 days' then 'lapsed' else status end
    where org_id = ${orgId} and domain = ${domain} and status = 'verified' returning status`
  return row?.status === 'lapsed'
}

/** Returns the DNS record that verifies a domain. */
const toDnsRecord = (domain: string, challenge: string) => ({
  dnsName: `_passport-challenge.${domain}`,
  dnsValue: `passport-verify=${challenge}`,
})

const toOrgDomain = ({ challenge, ...row }: DomainRow): OrgDomain => ({ ...row, ...toDnsRecord(row.domain, challenge) })
