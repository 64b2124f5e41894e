import type { OrgDomain } from '@passport/contract/org-domains'
import type { Sql } from '../database/sql.ts'
import { randomToken } from '../vault.ts'

interface DomainRow {
  domain: string
  status: OrgDomain['status']
  challenge: string
  addedAt: string
  verifiedAt: string | null
  checkedAt: string | null
  failingSince: string | null
}

/** The domains of an organisation by name. */
export async function list(sql: Sql, orgId: string): Promise<OrgDomain[]> {
  const rows = await sql<DomainRow[]>`
    select domain, status, challenge, added_at, verified_at, checked_at, failing_since
    from org_domains where org_id = ${orgId} order by domain collate "C"`
  return rows.map(told)
}

/** The domains that organisations have proved, by name. */
export async function verifiedOf(sql: Sql, orgIds: string[]): Promise<{ orgId: string; domain: string }[]> {
  return sql<{ orgId: string; domain: string }[]>`
    select org_id, domain from org_domains where org_id = any(${orgIds}) and status = 'verified'
    order by domain collate "C"`
}

export async function find(sql: Sql, orgId: string, domain: string): Promise<OrgDomain | undefined> {
  const [row] = await sql<DomainRow[]>`
    select domain, status, challenge, added_at, verified_at, checked_at, failing_since
    from org_domains where org_id = ${orgId} and domain = ${domain}`
  return row && told(row)
}

/** Like `find`, and nothing else changes it until the transaction ends. */
export async function lock(sql: Sql, orgId: string, domain: string): Promise<OrgDomain | undefined> {
  const [row] = await sql<DomainRow[]>`
    select domain, status, challenge, added_at, verified_at, checked_at, failing_since
    from org_domains where org_id = ${orgId} and domain = ${domain} for update`
  return row && told(row)
}

/** Adds a domain that is yet to be proved; undefined where the organisation has it already. */
export async function add(sql: Sql, orgId: string, domain: string): Promise<OrgDomain | undefined> {
  const [row] = await sql<DomainRow[]>`
    insert into org_domains (org_id, domain, challenge) values (${orgId}, ${domain}, ${randomToken()})
    on conflict do nothing
    returning domain, status, challenge, added_at, verified_at, checked_at, failing_since`
  return row && told(row)
}

/** Keeps that the record was found. Throws a violation of uniqueness where another organisation has proved the domain. */
export async function verify(sql: Sql, orgId: string, domain: string): Promise<void> {
  await sql`
    update org_domains set checked_at = now(), failing_since = null,
      verified_at = case when status = 'verified' then verified_at else now() end, status = 'verified'
    where org_id = ${orgId} and domain = ${domain}`
}

/** Takes a domain from organisations that are deleted, for one that has proved it. */
export async function takeFromDeleted(sql: Sql, domain: string): Promise<void> {
  await sql`
    update org_domains d set status = 'lapsed'
    where d.domain = ${domain} and d.status = 'verified'
      and not exists (select from verified_domains v where v.domain = d.domain and v.org_id = d.org_id)`
}

export async function remove(sql: Sql, orgId: string, domain: string): Promise<void> {
  await sql`delete from org_domains where org_id = ${orgId} and domain = ${domain}`
}

/** The organisation that has proved a domain. */
export async function ownerOf(sql: Sql, domain: string): Promise<{ id: string; name: string } | undefined> {
  const [found] = await sql<{ id: string; name: string }[]>`
    select org_id as id, org_name as name from verified_domains where domain = ${domain}`
  return found
}

interface DueDomain {
  orgId: string
  domain: string
  dnsName: string
  dnsValue: string
}

/** Proved domains that nobody has looked for since a day, those that waited longest first. */
export async function listDue(sql: Sql, limit: number): Promise<DueDomain[]> {
  const rows = await sql<{ orgId: string; domain: string; challenge: string }[]>`
    select org_id, domain, challenge from org_domains
    where status = 'verified' and checked_at <= now() - interval '1 day' order by checked_at limit ${limit}`
  return rows.map(({ orgId, domain, challenge }) => ({ orgId, domain, ...recordOf(domain, challenge) }))
}

/** Keeps that the record was found again. */
export async function noteFound(sql: Sql, { orgId, domain }: DueDomain): Promise<void> {
  await sql`
    update org_domains set checked_at = now(), failing_since = null
    where org_id = ${orgId} and domain = ${domain} and status = 'verified'`
}

/** Keeps that the record was looked for, and nothing of it known. */
export async function noteUnanswered(sql: Sql, { orgId, domain }: DueDomain): Promise<void> {
  await sql`update org_domains set checked_at = now() where org_id = ${orgId} and domain = ${domain}`
}

/** Keeps that the record was not found; true where the domain has lapsed by it: it has been gone for a week. */
export async function noteMissing(sql: Sql, { orgId, domain }: DueDomain): Promise<boolean> {
  const [row] = await sql<{ status: string }[]>`
    update org_domains set checked_at = now(), failing_since = coalesce(failing_since, now()),
      status = case when failing_since <= now() - interval '7 days' then 'lapsed' else status end
    where org_id = ${orgId} and domain = ${domain} and status = 'verified' returning status`
  return row?.status === 'lapsed'
}

/** The DNS record that proves a domain. */
const recordOf = (domain: string, challenge: string) => ({
  dnsName: `_passport-challenge.${domain}`,
  dnsValue: `passport-verify=${challenge}`,
})

const told = ({ challenge, ...row }: DomainRow): OrgDomain => ({ ...row, ...recordOf(row.domain, challenge) })
