import { type EndedCredentials, endAllByBrowser, endAllCredentials } from '../accounts/end-sessions.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import * as browsers from '../login/browser-store.ts'
import * as personalTokens from '../personal-tokens/store.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import * as store from './store.ts'

/** The time for which the link of a notice works, in days. */
export const linkDays = 7

/** The state of the link of a notice. */
export type Link = { state: 'unknown' } | { state: 'open' | 'used' | 'expired'; notice: store.SentNotice }

/** Finds the notice of a link, and reports whether the link still works. */
export async function findLink(sql: Sql, token: string): Promise<Link> {
  const notice = await store.findByToken(sql, hashToken(token), linkDays)
  if (!notice) return { state: 'unknown' }
  if (notice.usedAt !== null) return { state: 'used', notice }
  return { state: notice.isExpired ? 'expired' : 'open', notice }
}

/** The result of using a link: the ended credentials of an open one. */
export type LinkUse =
  | Exclude<Link, { state: 'open' }>
  | { state: 'ended'; notice: store.SentNotice; ended: EndedCredentials }

/**
 * Ends the sessions and tokens of the change that a notice reports, once. The token identifies the recipient of the
 * email only, so nobody is signed in.
 */
export function endEvent(sql: Sql, token: string, visit: Visit): Promise<LinkUse> {
  return transaction(sql, async (sql) => {
    const found = await findLink(sql, token)
    if (found.state !== 'open') return found
    // Users are locked before their records; a concurrent use of the link waits here.
    await users.lock(sql, found.notice.userId)
    if (!(await store.spendToken(sql, hashToken(token)))) return { state: 'used', notice: found.notice }
    const ended = await endCredentials(sql, found.notice)
    await audit.record(sql, {
      action: 'notice.disputed',
      target: { kind: 'user', id: found.notice.userId },
      before: { ...ended },
      after: { notice: found.notice.kind },
      visit,
    })
    return { state: 'ended', notice: found.notice, ended }
  })
}

async function endCredentials(sql: Sql, notice: store.SentNotice): Promise<EndedCredentials> {
  const { userId, browserId, personalTokenId } = notice
  if (personalTokenId !== null) {
    const removed = await personalTokens.remove(sql, userId, personalTokenId)
    return { sessions: 0, refreshTokens: 0, personalTokens: removed ? [removed.start] : [] }
  }
  await browsers.forget(sql, userId, browserId)
  if (browserId !== null) return endAllByBrowser(sql, userId, browserId)
  return (await endAllCredentials(sql, [userId]))(userId)
}
