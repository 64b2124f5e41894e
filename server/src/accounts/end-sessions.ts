import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as devices from '../device-authorization/store.ts'
import type { Visit } from '../http/visit.ts'
import { identityIssuer } from '../local-directory/store.ts'
import * as personalTokens from '../personal-tokens/store.ts'
import * as provider from '../provider/store.ts'
import * as store from './session-store.ts'
import * as accounts from './store.ts'

interface SignOutContext {
  visit: Visit
  /** The client that requested it, if any. */
  client?: string | null
}

/**
 * Ends the session of a cookie, and the issuer's session bound to it. Returns the ended session; undefined if there is
 * none.
 */
export function endSessionByToken(
  sql: Sql,
  token: string,
  { visit, client = null }: SignOutContext,
): Promise<store.RemovedSession | undefined> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeByToken(sql, token)
    if (!removed) return undefined
    await endBoundProviderSessions(sql, [removed])
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

interface SessionRevocation {
  userId: string
  sessionId: string
  /** The personal tokens that the user created in its browser too. */
  withPersonalTokens?: boolean | undefined
  visit: Visit
  /** Defaults to the user. */
  actorId?: string
}

/**
 * Ends one of a user's sessions, and their sessions at the built-in directory. Returns the number of personal tokens that
 * stay valid of those created in its browser; undefined if the user has no such session.
 */
export function revokeSession(
  sql: Sql,
  { userId, sessionId, withPersonalTokens = false, visit, actorId = userId }: SessionRevocation,
): Promise<{ personalTokensLeft: number } | undefined> {
  return transaction(sql, async (sql) => {
    const removed = await store.remove(sql, userId, sessionId)
    if (!removed) return undefined
    const { browserId } = removed
    await endBoundProviderSessions(sql, [removed])
    await endDirectorySessions(sql, [userId])
    const tokens =
      withPersonalTokens && browserId !== null ? await personalTokens.removeByBrowser(sql, userId, browserId) : []
    await recordRevoked(sql, removed, visit, { actorId, tokens })
    return { personalTokensLeft: browserId === null ? 0 : await personalTokens.countByBrowser(sql, userId, browserId) }
  })
}

/** Ends all of a user's sessions but one; returns how many it ended. */
export function revokeOtherSessions(sql: Sql, userId: string, keptSessionId: string, visit: Visit): Promise<number> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeAll(sql, userId, keptSessionId)
    await endBoundProviderSessions(sql, removed)
    for (const session of removed) await recordRevoked(sql, session, visit)
    await endDirectorySessions(sql, [userId])
    return removed.length
  })
}

interface SignOutEverywhere {
  userId: string
  /** Their personal tokens too: programs that use one then stop working. */
  withPersonalTokens?: boolean | undefined
  visit: Visit
  /** Defaults to the user. */
  actorId?: string
}

/** Revokes all sessions and tokens of a user; returns how many sessions and personal tokens that were. */
export function signOutEverywhere(
  sql: Sql,
  { userId, withPersonalTokens = false, visit, actorId = userId }: SignOutEverywhere,
): Promise<{ sessions: number; personalTokens: number }> {
  return transaction(sql, async (sql) => {
    const ended = {
      sessions: (await signOutUsers(sql, [userId])).length,
      personalTokens: withPersonalTokens ? (await personalTokens.removeAll(sql, [userId])).length : 0,
    }
    await audit.record(sql, {
      action: 'signout.everywhere',
      actorId,
      target: { kind: 'user', id: userId },
      after: { sessions: ended.sessions, ...(withPersonalTokens && { personalTokens: ended.personalTokens }) },
      visit,
    })
    return ended
  })
}

/** The credentials that a change ended, for its audit event. */
export interface EndedCredentials {
  sessions: number
  refreshTokens: number
  /** The first characters of personal tokens. */
  personalTokens: string[]
}

/**
 * Revokes all credentials of some users: those of `signOutUsers`, and personal tokens. The caller records the reason,
 * with the ended credentials of each user.
 */
export async function endAllCredentials(sql: Sql, userIds: string[]): Promise<(userId: string) => EndedCredentials> {
  const refreshTokens = await provider.countRefreshTokens(sql, userIds)
  const sessions = Map.groupBy(await signOutUsers(sql, userIds), ({ userId }) => userId)
  const tokens = Map.groupBy(await personalTokens.removeAll(sql, userIds), ({ userId }) => userId)
  return (userId) => ({
    sessions: sessions.get(userId)?.length ?? 0,
    refreshTokens: refreshTokens.get(userId) ?? 0,
    personalTokens: tokens.get(userId)?.map(({ start }) => start) ?? [],
  })
}

/**
 * Revokes what the sign-ins of some users created: sessions, grants, codes, tokens, devices approved by them or started
 * in their sessions, and their sessions at the built-in directory. The caller records the reason.
 */
export async function signOutUsers(sql: Sql, userIds: string[]): Promise<store.RemovedSession[]> {
  const removed = await store.removeAll(sql, userIds)
  await endDevices(sql, userIds, removed)
  await provider.endAllSessionsAndGrants(sql, 'passport', userIds)
  await endDirectorySessions(sql, userIds)
  return removed
}

async function endDevices(sql: Sql, userIds: string[], removed: store.RemovedSession[]) {
  const ids = removed.map(({ id }) => id)
  await provider.endDeviceCodes(sql, await devices.endRequests(sql, userIds, ids))
}

/**
 * Ends the users' sessions at the built-in directory, which would sign their browsers in again without the password.
 */
async function endDirectorySessions(sql: Sql, userIds: string[]) {
  await provider.endAllSessionsAndGrants(sql, 'directory', await accounts.listSubjects(sql, userIds, identityIssuer))
}

/**
 * Ends what removed logins created: sessions, pending devices, grants even with offline access, and personal tokens. If an
 * account has no other login, ends all of its credentials: nobody could see or revoke them. Call it before the logins are
 * removed, in the same transaction. The caller records the reason, with the ended credentials of each user.
 */
export async function endAllByLogins(sql: Sql, logins: UserLogin[]): Promise<(userId: string) => EndedCredentials> {
  const loginIds = logins.map(({ id }) => id)
  const userIds = [...new Set(logins.map(({ userId }) => userId))]
  const withoutOthers = await accounts.listUsersOfOnly(sql, userIds, loginIds)
  const endedWhole = await endAllCredentials(sql, withoutOthers)
  const others = logins.filter(({ userId }) => !withoutOthers.includes(userId))
  const refreshTokensBefore = await provider.countRefreshTokens(sql, userIds)
  const sessions = Map.groupBy(await endSignIns(sql, others), ({ userId }) => userId)
  const tokens = Map.groupBy(await personalTokens.removeByLogins(sql, userIds, loginIds), ({ userId }) => userId)
  const refreshTokensAfter = await provider.countRefreshTokens(sql, userIds)
  return (userId) =>
    withoutOthers.includes(userId)
      ? endedWhole(userId)
      : {
          sessions: sessions.get(userId)?.length ?? 0,
          refreshTokens: (refreshTokensBefore.get(userId) ?? 0) - (refreshTokensAfter.get(userId) ?? 0),
          personalTokens: tokens.get(userId)?.map(({ start }) => start) ?? [],
        }
}

type UserLogin = Pick<accounts.Login, 'id' | 'userId'>

/** Ends the sessions that logins started, their pending devices, and the grants made in them, even with offline access. */
async function endSignIns(sql: Sql, logins: UserLogin[]): Promise<store.RemovedSession[]> {
  const loginIds = logins.map(({ id }) => id)
  const userIds = [...new Set(logins.map(({ userId }) => userId))]
  const removed = await store.removeByLogins(sql, loginIds)
  await endBoundProviderSessions(sql, removed)
  await endDevices(sql, userIds, removed)
  await provider.endGrantsByLogins(sql, userIds, loginIds)
  return removed
}

/**
 * Ends the sign-ins of all logins at an identity provider that is not used for now. The logins stay, and so do personal
 * tokens, which programs use.
 */
export async function endAllAtProvider(sql: Sql, identityIssuer: string): Promise<void> {
  await endSignIns(sql, await accounts.listLoginsAt(sql, identityIssuer))
}

/**
 * Ends what a user's sign-ins in one browser created: sessions, pending devices, grants even with offline access,
 * personal tokens, and the sessions at the built-in directory. The caller records the reason.
 */
export async function endAllByBrowser(sql: Sql, userId: string, browserId: string): Promise<EndedCredentials> {
  const refreshTokens = await provider.endGrantsByBrowser(sql, userId, browserId)
  const removed = await store.removeByBrowser(sql, userId, browserId)
  await endBoundProviderSessions(sql, removed)
  await endDevices(sql, [userId], removed)
  await endDirectorySessions(sql, [userId])
  const tokens = await personalTokens.removeByBrowser(sql, userId, browserId)
  return { sessions: removed.length, refreshTokens, personalTokens: tokens.map(({ start }) => start) }
}

/**
 * Ends at most `limit` expired sessions, and the tokens of applications bound to them; returns how many sessions it
 * ended.
 */
export function sweepSessions(sql: Sql, limit: number): Promise<number> {
  return transaction(sql, async (sql) => {
    const removed = await store.removeExpired(sql, limit)
    await endBoundProviderSessions(sql, removed)
    return removed.length
  })
}

const endBoundProviderSessions = (sql: Sql, sessions: store.RemovedSession[]) =>
  provider.endProviderSessions(
    sql,
    sessions.flatMap(({ providerSession }) => providerSession ?? []),
  )

const recordRevoked = (
  sql: Sql,
  { id, userId, idp }: store.RemovedSession,
  visit: Visit,
  { actorId = userId, tokens = [] }: { actorId?: string; tokens?: personalTokens.RemovedToken[] } = {},
) =>
  audit.record(sql, {
    action: 'session.revoked',
    actorId,
    target: { kind: 'user', id: userId },
    before: { session: id, idp, ...(tokens.length > 0 && { personalTokens: tokens.map(({ start }) => start) }) },
    visit,
  })
