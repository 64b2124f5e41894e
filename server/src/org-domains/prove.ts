import type { OrgDomain } from '@passport/contract/org-domains'
import { actorOf, type By } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { noSuchOrg } from '../orgs/access.ts'
import * as orgs from '../orgs/store.ts'
import { refuseFormer } from '../roles/former.ts'
import { refusePublicMail } from './public-mail.ts'
import * as store from './store.ts'
import type { FindTxt } from './txt-records.ts'

export interface Named {
  orgId: string
  domain: string
}

/** Adds a domain that is to be proved; `version` is that of the organisation from now on. Throws 409 `domain-there` where it has it. */
export function addDomain(sql: Sql, { orgId, domain }: Named, by: By): Promise<{ added: OrgDomain; version: number }> {
  refusePublicMail([domain], () => 'domain')
  return transaction(sql, async (sql) => {
    const org = await lockOrg(sql, orgId, by)
    const added = await store.add(sql, orgId, domain)
    if (!added) throw new Problem(409, 'domain-there', `${domain} is among its domains already.`)
    await orgs.touch(sql, orgId)
    await record(sql, 'org.domain-added', { orgId, domain }, by, { after: { domain } })
    return { added, version: org.version + 1 }
  })
}

/** Throws 412 where the organisation is another version than the caller has. */
export function removeDomain(
  sql: Sql,
  { orgId, domain }: Named,
  by: By & { preconditions: Preconditions },
): Promise<void> {
  return transaction(sql, async (sql) => {
    const org = await lockOrg(sql, orgId, by)
    const before = await store.find(sql, orgId, domain)
    if (!before) throw noSuchDomain()
    by.preconditions.check({ etag: String(org.version) })
    await store.remove(sql, orgId, domain)
    await orgs.touch(sql, orgId)
    await record(sql, 'org.domain-removed', { orgId, domain }, by, { before: { domain, status: before.status } })
  })
}

/**
 * Looks for the record that proves a domain. Throws 409 `dns-not-found`, which tells what is there instead, 409
 * `domain-taken` where another organisation has proved it, and 503 where DNS does not answer.
 */
export async function proveDomain(sql: Sql, findTxt: FindTxt, named: Named, by: By): Promise<OrgDomain> {
  const { orgId, domain } = named
  if (!(await orgs.find(sql, orgId))) throw noSuchOrg()
  const asked = await store.find(sql, orgId, domain)
  if (!asked) throw noSuchDomain()
  const found = await findTxt(asked.dnsName)
  if (!found) throw dnsUnavailable(asked)
  if (!proves(found, asked)) throw notFoundInDns(asked, found)
  return transaction(sql, async (sql) => {
    await lockOrg(sql, orgId, by)
    const before = await store.lock(sql, orgId, domain)
    if (before?.dnsValue !== asked.dnsValue) throw noSuchDomain()
    await store.takeFromDeleted(sql, domain)
    await store.verify(sql, orgId, domain).catch((error) => {
      throw error.code === '23505' ? domainTaken(domain) : error
    })
    await orgs.touch(sql, orgId)
    if (before.status !== 'verified') {
      const change = { before: { domain, status: before.status }, after: { domain, status: 'verified' } }
      await record(sql, 'org.domain-verified', named, by, change)
    }
    return (await store.find(sql, orgId, domain)) ?? asked
  })
}

async function lockOrg(sql: Sql, orgId: string, { caller }: By): Promise<orgs.OrgRow> {
  const org = await orgs.lock(sql, orgId)
  await refuseFormer(sql, caller)
  if (!org) throw noSuchOrg()
  return org
}

/** Whether one of the records is the one that was asked for, with whatever spaces the provider put around it. */
export const proves = (found: string[], { dnsValue }: { dnsValue: string }): boolean =>
  found.some((text) => text.trim() === dnsValue)

const noSuchDomain = () => new Problem(404, 'domain-not-found', 'The organisation has no such domain.')

const domainTaken = (domain: string) =>
  new Problem(409, 'domain-taken', `Another organisation has proved ${domain}. A domain belongs to one at a time.`)

const dnsUnavailable = ({ domain }: OrgDomain) =>
  new Problem(503, 'dns-unavailable', `The DNS of ${domain} does not answer. Try again in a moment.`, {
    headers: { 'Retry-After': '10' },
  })

const longestTold = 200
const mostTold = 10

function notFoundInDns({ dnsName }: OrgDomain, found: string[]) {
  const instead = found.slice(0, mostTold).map((text) => text.replaceAll(/\p{C}/gu, '�').slice(0, longestTold))
  const detail =
    found.length === 0 ? `There is no TXT record at ${dnsName}.` : `The TXT record at ${dnsName} is another one.`
  return new Problem(409, 'dns-not-found', `${detail} A new one can take some minutes to be seen.`, {
    members: { found: instead },
  })
}

const record = (
  sql: Sql,
  action: 'org.domain-added' | 'org.domain-verified' | 'org.domain-removed',
  { orgId }: Named,
  by: By,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...actorOf(by), target: { kind: 'org', id: orgId }, ...change })
