import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as store from './domain-store.ts'
import * as orgs from './store.ts'
import type { FindTxt } from './txt-records.ts'
import { hasExpectedRecord } from './verify-domains.ts'

const batch = 50

/**
 * Checks the records of verified domains again, each once a day. A domain whose record has been missing for a week
 * lapses. A DNS failure of a domain counts only if DNS itself works: another query of the round was answered, or at
 * least the servers above it respond.
 */
export async function recheckDomains(sql: Sql, findTxt: FindTxt): Promise<void> {
  const unanswered: Due[] = []
  let isDnsReachable = false
  for (let due = await store.listDue(sql, batch); due.length > 0; due = await store.listDue(sql, batch)) {
    const checked = await Promise.all(due.map(async (domain) => ({ domain, found: await findTxt(domain.dnsName) })))
    for (const { domain, found: records } of checked) {
      if (records) await recordCheck(sql, domain, hasExpectedRecord(records, domain))
      else await store.recordUnanswered(sql, domain)
    }
    unanswered.push(...checked.filter(({ found: records }) => !records).map(({ domain }) => domain))
    isDnsReachable ||= checked.some(({ found: records }) => records)
  }
  isDnsReachable ||= unanswered.length > 0 && (await isParentReachable(unanswered, findTxt))
  if (isDnsReachable) for (const domain of unanswered) await recordCheck(sql, domain, false)
}

const maxQueries = 5

/**
 * Reports whether the servers above some domains respond. Queries a random name that cannot be cached: a response that
 * it does not exist is sufficient.
 */
async function isParentReachable(unanswered: Due[], findTxt: FindTxt): Promise<boolean> {
  const topLevelDomains = [...new Set(unanswered.map(({ domain }) => domain.split('.').at(-1) ?? ''))].slice(
    0,
    maxQueries,
  )
  const responses = await Promise.all(topLevelDomains.map((top) => findTxt(`passport-${crypto.randomUUID()}.${top}`)))
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
