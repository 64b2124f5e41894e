import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as orgs from '../orgs/store.ts'
import { proves } from './prove.ts'
import * as store from './store.ts'
import type { FindTxt } from './txt-records.ts'

const batch = 50

/**
 * Looks again for the records of domains that were proved, each once a day. One that has been gone for a week lapses.
 * Where DNS answers for none of them it is we who cannot hear it, and nothing is held against anyone.
 */
export async function recheckDomains(sql: Sql, findTxt: FindTxt): Promise<void> {
  const unanswered: Due[] = []
  let isHeard = false
  for (let due = await store.listDue(sql, batch); due.length > 0; due = await store.listDue(sql, batch)) {
    const checked = await Promise.all(due.map(async (domain) => ({ domain, found: await findTxt(domain.dnsName) })))
    for (const { domain, found } of checked) {
      if (found) await note(sql, domain, proves(found, domain))
      else await store.noteUnanswered(sql, domain)
    }
    unanswered.push(...checked.filter(({ found }) => !found).map(({ domain }) => domain))
    isHeard ||= checked.some(({ found }) => found)
  }
  if (isHeard) for (const domain of unanswered) await note(sql, domain, false)
}

type Due = Awaited<ReturnType<typeof store.listDue>>[number]

function note(sql: Sql, due: Due, isThere: boolean): Promise<void> {
  return transaction(sql, async (sql) => {
    if (isThere) return store.noteFound(sql, due)
    if (!(await store.noteMissing(sql, due))) return
    await orgs.touch(sql, due.orgId)
    await audit.record(sql, {
      action: 'org.domain-lapsed',
      target: { kind: 'org', id: due.orgId },
      before: { domain: due.domain, status: 'verified' },
      after: { domain: due.domain, status: 'lapsed' },
    })
  })
}
