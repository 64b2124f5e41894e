import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as devices from '../device-authorization/store.ts'
import type { Visit } from '../http/visit.ts'
import { identityIssuer } from '../local-directory/store.ts'
import * as provider from '../provider/store.ts'
import * as store from './store.ts'

interface By {
  visit: Visit
  /** The client that asked for it, if any did. */
  client?: string | null
}

/** Ends the session of a cookie, with what the issuer keeps for it; tells what the session was. */
export function endSessionOf(
  sql: Sql,
  token: string,
  { visit, client = null }: By,
): Promise<store.RemovedSession | undefined> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeByToken(sql, token)
    if (!removed) return undefined
    await endWithSession(sql, removed)
    await recordSignout(sql, removed, { visit, client })
    return removed
  })
}

export const recordSignout = (sql: Sql, { userId, idp }: store.RemovedSession, { visit, client = null }: By) =>
  audit.record(sql, {
    action: 'signout',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { idp, client },
    visit,
  })

/** Ends one of a person's sessions by the id they see; false where they have no such session. */
export function revokeSession(
  sql: Sql,
  userId: string,
  sessionId: string,
  visit: Visit,
  actorId = userId,
): Promise<boolean> {
  return transaction(sql, async (sql) => {
    const removed = await store.remove(sql, userId, sessionId)
    if (!removed) return false
    await endWithSession(sql, removed)
    await endAtDirectory(sql, [userId])
    await recordRevoked(sql, removed, visit, actorId)
    return true
  })
}

/** Ends all of a person's sessions but one; tells how many. */
export function revokeOtherSessions(sql: Sql, userId: string, keep: string, visit: Visit): Promise<number> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeAll(sql, userId, keep)
    for (const session of removed) {
      await endWithSession(sql, session)
      await recordRevoked(sql, session, visit)
    }
    await endAtDirectory(sql, [userId])
    return removed.length
  })
}

/** Ends everything by which a person is signed in anywhere, and records who did; tells how many sessions there were. */
export function endEverywhere(sql: Sql, userId: string, visit: Visit, actorId = userId): Promise<number> {
  return transaction(sql, async (sql) => {
    const ended = await endAll(sql, [userId])
    await audit.record(sql, {
      action: 'signout.everywhere',
      actorId,
      target: { kind: 'user', id: userId },
      after: { sessions: ended.length },
      visit,
    })
    return ended.length
  })
}

/**
 * Ends, for some people, whatever lets anyone act as them: sessions, grants, codes, tokens, devices that are allowed or
 * were begun in one of the sessions, and the browsers that the built-in directory knows. The caller records why.
 */
export async function endAll(sql: Sql, people: string[]): Promise<store.RemovedSession[]> {
  const removed = await store.removeAll(sql, people)
  await endDevices(sql, people, removed)
  await provider.endAllOf(sql, 'passport', people)
  await endAtDirectory(sql, people)
  return removed
}

async function endDevices(sql: Sql, people: string[], removed: store.RemovedSession[]) {
  const ids = removed.map(({ id }) => id)
  await provider.endDeviceCodes(sql, await devices.endOf(sql, people, ids))
}

/** The built-in directory remembers browsers too: one that was sent away must not come back without the password. */
async function endAtDirectory(sql: Sql, people: string[]) {
  await provider.endAllOf(sql, 'directory', await accounts.subjectsOf(sql, people, identityIssuer))
}

/**
 * Ends the sessions that came in by one login of a person, the devices that wait for them, and what they allowed in such
 * sessions, also for while they are away; in the transaction that takes the login away.
 */
export async function endAllByLogin(sql: Sql, userId: string, loginId: string): Promise<void> {
  const removed = await store.removeByLogin(sql, loginId)
  for (const session of removed) await endWithSession(sql, session)
  await endDevices(sql, [userId], removed)
  await provider.endGrantsByLogin(sql, userId, loginId)
}

/** Ends at most `limit` sessions whose time is over, with what applications were given in them; returns how many. */
export function sweepSessions(sql: Sql, limit: number): Promise<number> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeOver(sql, limit)
    for (const session of removed) await endWithSession(sql, session)
    return removed.length
  })
}

async function endWithSession(sql: Sql, { providerSession }: store.RemovedSession) {
  if (providerSession) await provider.endProviderSession(sql, providerSession)
}

const recordRevoked = (sql: Sql, { id, userId, idp }: store.RemovedSession, visit: Visit, actorId = userId) =>
  audit.record(sql, {
    action: 'session.revoked',
    actorId,
    target: { kind: 'user', id: userId },
    before: { session: id, idp },
    visit,
  })
