import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as orgs from '../orgs/store.ts'
import { proves } from './prove.ts'
import * as store from './store.ts'
import type { FindTxt } from './txt-records.ts'

const batch = 50

/**
 * Looks again for the records of domains that were proved, each once a day. One that has been gone for a week lapses.
 * That the DNS of one does not answer is held against it where we are sure to hear DNS: it answered for another of the
 * round, or at least for what is above them.
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
  isHeard ||= unanswered.length > 0 && (await isHeardAbove(unanswered, findTxt))
  if (isHeard) for (const domain of unanswered) await note(sql, domain, false)
}

const mostAsked = 5

/**
 * Whether the servers above some domains answer. They are asked for a name that is not there and that nobody can have
 * asked for before, so that the answer is from them and not remembered: that there is no such name is one.
 */
async function isHeardAbove(unanswered: Due[], findTxt: FindTxt): Promise<boolean> {
  const above = [...new Set(unanswered.map(({ domain }) => domain.split('.').at(-1) ?? ''))].slice(0, mostAsked)
  const answers = await Promise.all(above.map((top) => findTxt(`passport-${crypto.randomUUID()}.${top}`)))
  return answers.some((answer) => answer !== undefined)
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
