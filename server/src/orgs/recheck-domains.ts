import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as store from './domain-store.ts'
import * as orgs from './store.ts'
import type { FindTxt } from './txt-records.ts'
import { hasExpectedRecord } from './verify-domains.ts'

const batchSize = 50

/**
 * Checks the DNS records of verified domains again, each once a day. A domain whose record has been missing for a week
 * lapses. A failed query counts as a missing record only if DNS works: another query of this run succeeded, or the
 * servers of a top-level domain respond.
 */
export async function recheckDomains(sql: Sql, findTxt: FindTxt): Promise<void> {
  const failed: Due[] = []
  let isDnsReachable = false
  for (let due = await store.listDue(sql, batchSize); due.length > 0; due = await store.listDue(sql, batchSize)) {
    const checked = await Promise.all(due.map(async (domain) => ({ domain, records: await findTxt(domain.dnsName) })))
    for (const { domain, records } of checked) {
      if (records) await recordCheck(sql, domain, hasExpectedRecord(records, domain))
      else await store.recordFailedQuery(sql, domain)
    }
    failed.push(...checked.filter(({ records }) => !records).map(({ domain }) => domain))
    isDnsReachable ||= checked.some(({ records }) => records)
  }
  isDnsReachable ||= failed.length > 0 && (await isTopLevelReachable(failed, findTxt))
  if (isDnsReachable) for (const domain of failed) await recordCheck(sql, domain, false)
}

const maxQueries = 5

/**
 * Reports whether the servers of a top-level domain respond. Queries a random name, which cannot be cached; the response
 * that it does not exist suffices.
 */
async function isTopLevelReachable(failed: Due[], findTxt: FindTxt): Promise<boolean> {
  const topLevelDomains = [...new Set(failed.map(({ domain }) => domain.split('.').at(-1) ?? ''))].slice(0, maxQueries)
  const responses = await Promise.all(
    topLevelDomains.map((topLevelDomain) => findTxt(`passport-${crypto.randomUUID()}.${topLevelDomain}`)),
  )
  return responses.some((response) => response !== undefined)
}

type Due = Awaited<ReturnType<typeof store.listDue>>[number]

function recordCheck(sql: Sql, due: Due, isPresent: boolean): Promise<void> {
  return transaction(sql, async (sql) => {
    if (isPresent) return store.recordFound(sql, due)
    if (!(await store.recordMissing(sql, due))) return
    await orgs.touch(sql, due.orgId)
    await audit.record(sql, {
      action: 'org.domain-lapsed',
      target: { kind: 'org', id: due.orgId },
      before: { domain: due.domain, status: 'verified' },
      after: { domain: due.domain, status: 'lapsed' },
    })
  })
}
