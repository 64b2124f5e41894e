import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as devices from '../device-authorization/store.ts'
import type { Visit } from '../http/visit.ts'
import { identityIssuer } from '../local-directory/store.ts'
import * as provider from '../provider/store.ts'
import * as store from './session-store.ts'
import * as accounts from './store.ts'

interface SignOutContext {
  visit: Visit
  /** The client that requested it, if any. */
  client?: string | null
}

/** Ends the session of a cookie, with the issuer's data for it; returns the session. */
export function endSessionByToken(
  sql: Sql,
  token: string,
  { visit, client = null }: SignOutContext,
): Promise<store.RemovedSession | undefined> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeByToken(sql, token)
    if (!removed) return undefined
    await endBoundProviderSession(sql, removed)
    await recordSignOut(sql, removed, { visit, client })
    return removed
  })
}

export const recordSignOut = (
  sql: Sql,
  { userId, idp }: store.RemovedSession,
  { visit, client = null }: SignOutContext,
) =>
  audit.record(sql, {
    action: 'signout',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { idp, client },
    visit,
  })

/** Ends one of a user's sessions by id; false if they have no such session. */
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
    await endBoundProviderSession(sql, removed)
    await endDirectorySessions(sql, [userId])
    await recordRevoked(sql, removed, visit, actorId)
    return true
  })
}

/** Ends all of a user's sessions but one; returns how many. */
export function revokeOtherSessions(sql: Sql, userId: string, keep: string, visit: Visit): Promise<number> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeAll(sql, userId, keep)
    for (const session of removed) {
      await endBoundProviderSession(sql, session)
      await recordRevoked(sql, session, visit)
    }
    await endDirectorySessions(sql, [userId])
    return removed.length
  })
}

/** Revokes all sessions and tokens of a user, and records the actor; returns the number of sessions. */
export function signOutEverywhere(sql: Sql, userId: string, visit: Visit, actorId = userId): Promise<number> {
  return transaction(sql, async (sql) => {
    const ended = await endAllCredentials(sql, [userId])
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
 * Revokes all credentials of some users: sessions, grants, codes, tokens, devices approved by them or started in their
 * sessions, and their browsers at the built-in directory. The caller records the reason.
 */
export async function endAllCredentials(sql: Sql, people: string[]): Promise<store.RemovedSession[]> {
  const removed = await store.removeAll(sql, people)
  await endDevices(sql, people, removed)
  await provider.endEverything(sql, 'passport', people)
  await endDirectorySessions(sql, people)
  return removed
}

async function endDevices(sql: Sql, people: string[], removed: store.RemovedSession[]) {
  const ids = removed.map(({ id }) => id)
  await provider.endDeviceCodes(sql, await devices.endRequests(sql, people, ids))
}

/** The built-in directory remembers browsers too: a signed-out browser must not get in again without the password. */
async function endDirectorySessions(sql: Sql, people: string[]) {
  await provider.endEverything(sql, 'directory', await accounts.listSubjects(sql, people, identityIssuer))
}

/**
 * Ends the sessions started with one login of a user, the pending devices, and the grants made in these sessions, even
 * with offline access. Call it in the transaction that removes the login.
 */
export async function endAllByLogin(sql: Sql, userId: string, loginId: string): Promise<void> {
  const removed = await store.removeByLogin(sql, loginId)
  for (const session of removed) await endBoundProviderSession(sql, session)
  await endDevices(sql, [userId], removed)
  await provider.endGrantsByLogin(sql, userId, loginId)
}

/** Ends at most `limit` expired sessions, with the tokens of applications bound to them; returns how many. */
export function sweepSessions(sql: Sql, limit: number): Promise<number> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeExpired(sql, limit)
    for (const session of removed) await endBoundProviderSession(sql, session)
    return removed.length
  })
}

async function endBoundProviderSession(sql: Sql, { providerSession }: store.RemovedSession) {
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
