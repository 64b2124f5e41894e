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
  for (;;) {
    const due = await store.listDue(sql, batch)
    const checked = await Promise.all(due.map(async (domain) => ({ domain, found: await findTxt(domain.dnsName) })))
    if (checked.every(({ found }) => found === undefined)) return
    for (const { domain, found } of checked) await note(sql, domain, found !== undefined && proves(found, domain))
    if (due.length < batch) return
  }
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
