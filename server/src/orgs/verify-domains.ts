import type { OrgDomain } from '@passport/contract/org-domains'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { cutText } from '../http/storable-text.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { endFormerVouches } from '../users/take-address.ts'
import * as store from './domain-store.ts'
import * as problems from './problems.ts'
import { rejectPublicMail } from './public-mail.ts'
import * as orgs from './store.ts'
import type { FindTxt } from './txt-records.ts'

export interface DomainKey {
  orgId: string
  domain: string
}

/**
 * Adds a domain, which must then be verified; `version` is the new version of the organisation. Throws 400
 * `domain-public`, 404, and 409 `domain-there` if the organisation already has the domain.
 */
export function addDomain(
  sql: Sql,
  { orgId, domain }: DomainKey,
  context: ChangeContext,
): Promise<{ added: OrgDomain; version: number }> {
  rejectPublicMail([domain], () => 'domain')
  return transaction(sql, async (sql) => {
    const org = await lockOrg(sql, orgId, context)
    const added = await store.add(sql, orgId, domain)
    if (!added) throw problems.domainExists(domain)
    await orgs.touch(sql, orgId)
    await record(sql, 'org.domain-added', { orgId, domain }, context, { after: { domain } })
    return { added, version: org.version + 1 }
  })
}

/** Removes a domain. Throws 404, and 412 if the organisation has another version than the preconditions. */
export function removeDomain(
  sql: Sql,
  { orgId, domain }: DomainKey,
  context: ChangeContext & { preconditions: Preconditions },
): Promise<void> {
  return transaction(sql, async (sql) => {
    const org = await lockOrg(sql, orgId, context)
    const before = await store.find(sql, orgId, domain)
    if (!before) throw problems.domainNotFound()
    context.preconditions.check({ etag: String(org.version) })
    await store.remove(sql, orgId, domain)
    await orgs.touch(sql, orgId)
    await record(sql, 'org.domain-removed', { orgId, domain }, context, { before: { domain, status: before.status } })
  })
}

/**
 * Verifies a domain by its DNS record. Throws 409 `dns-not-found`, with the existing records, 409 `domain-taken` if
 * another organisation has verified it, and 503 if the DNS query fails.
 */
export async function verifyDomain(
  sql: Sql,
  findTxt: FindTxt,
  key: DomainKey,
  context: ChangeContext,
): Promise<OrgDomain> {
  const { orgId, domain } = key
  if (!(await orgs.find(sql, orgId))) throw problems.orgNotFound()
  const stored = await store.find(sql, orgId, domain)
  if (!stored) throw problems.domainNotFound()
  const records = await findTxt(stored.dnsName)
  if (!records) throw problems.dnsUnavailable(domain)
  if (!hasExpectedRecord(records, stored)) throw problems.dnsNotFound(stored.dnsName, toReportedRecords(records))
  return transaction(sql, async (sql) => {
    await lockOrg(sql, orgId, context)
    const before = await store.lock(sql, orgId, domain)
    if (before?.dnsValue !== stored.dnsValue) throw problems.domainNotFound()
    await store.lapseInDeletedOrgs(sql, [domain])
    await store.verify(sql, orgId, domain).catch((error) => {
      throw error.code === '23505' ? problems.domainTaken(domain) : error
    })
    await orgs.touch(sql, orgId)
    if (before.status !== 'verified') {
      await endFormerVouches(sql, { orgId, domains: [domain] }, toActorFields(context))
      const change = { before: { domain, status: before.status }, after: { domain, status: 'verified' } }
      await record(sql, 'org.domain-verified', key, context, change)
    }
    return (await store.find(sql, orgId, domain)) ?? stored
  })
}

async function lockOrg(sql: Sql, orgId: string, { caller }: ChangeContext): Promise<orgs.OrgRow> {
  const org = await orgs.lock(sql, orgId)
  await recheckCaller(sql, caller)
  if (!org) throw problems.orgNotFound()
  return org
}

/** Reports whether one of the records is the expected one, ignoring surrounding spaces. */
export const hasExpectedRecord = (records: string[], { dnsValue }: { dnsValue: string }): boolean =>
  records.some((text) => text.trim() === dnsValue)

const maxRecordLength = 200
const maxRecords = 10

/** Returns the first records, truncated and without control characters: they can contain anything. */
const toReportedRecords = (records: string[]) =>
  records.slice(0, maxRecords).map((text) => cutText(text.replaceAll(/\p{C}/gu, '�'), maxRecordLength))

const record = (
  sql: Sql,
  action: 'org.domain-added' | 'org.domain-verified' | 'org.domain-removed',
  { orgId }: DomainKey,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'org', id: orgId }, ...change })
