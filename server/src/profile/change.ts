import type { UsernameVerdict } from '@passport/contract/profile'
import { findUsernameError } from '@passport/contract/username'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { usernameTaken } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import type { MailContext } from '../mail/send.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import { notifyOfNames } from './notices.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** The number of days for which a released username is reserved for its former owner. */
const reservationDays = 90
/** A user may change their username at most `maxChanges` times per `changeDays` days. */
const maxChanges = 3
const changeDays = 30
const dayMs = 24 * 60 * 60 * 1000

interface ChangeContext {
  caller: Caller
  visit: Visit
  preconditions: Preconditions
}
interface Change {
  displayname?: string | undefined
  username?: string | undefined
}

/**
 * Changes a user's display name and username, and records the old and new values. A change without effect is not
 * recorded. Throws 404, 412, 409 `username-taken`, and 429 `username-cooldown` if users change their own username too
 * often.
 */
export async function change(
  services: MailContext & { sql: Sql },
  userId: string,
  { displayname, username }: Change,
  context: ChangeContext,
): Promise<store.ProfileRow> {
  try {
    return await transaction(services.sql, async (sql) => {
      const user = await users.lock(sql, userId)
      await recheckCaller(sql, context.caller)
      const before = await requireProfile(sql, userId)
      context.preconditions.check({ etag: String(before.version) })
      const after = { displayName: displayname ?? before.displayName, username: username ?? before.username }
      if (after.displayName === before.displayName && after.username === before.username) return before
      if (after.username !== before.username && userId === context.caller.id) await requireAllowance(sql, before)
      await users.setNames(sql, userId, after)
      if (after.username !== before.username) await moveUsername(sql, before, after.username)
      await recordChange(sql, before, after, context)
      if (user) await notifyOfUsername(sql, services, user, after.username, context)
      return requireProfile(sql, userId)
    })
  } catch (error) {
    throw (error as { code?: string }).code === '23505' ? usernameTaken() : error
  }
}

/** Returns the profile of an existing user. Throws 404. */
export async function requireProfile(sql: Sql, userId: string): Promise<store.ProfileRow> {
  const profile = await store.find(sql, userId)
  if (!profile) throw problems.profileNotFound()
  return profile
}

/**
 * Reserves the released username. Throws 409 if the claimed one is reserved for another user. Call it after the claimed
 * name is written: by then its previous owner has committed, so the release is visible.
 */
async function moveUsername(sql: Sql, { id, username }: store.ProfileRow, claimed: string | null) {
  if (claimed !== null && (await isTaken(sql, claimed, id))) throw usernameTaken()
  if (username !== null && username.toLowerCase() !== claimed) await store.release(sql, id, username)
}

/** Throws 429 if the user has no username change left. The first username is no change. */
async function requireAllowance(sql: Sql, { id, username }: store.ProfileRow) {
  const { nextChangeAt } = username === null ? { nextChangeAt: null } : await findAllowance(sql, id)
  if (nextChangeAt === null) return
  const seconds = Math.max(1, Math.ceil((Date.parse(nextChangeAt) - Date.now()) / 1000))
  throw problems.usernameCooldown(seconds, { maxChanges, days: changeDays })
}

/** Returns the number of username changes that a user has left and, if it is 0, the time of the next allowed change. */
async function findAllowance(sql: Sql, userId: string) {
  const released = await store.listReleases(sql, userId, changeDays)
  const first = released[maxChanges - 1]
  return {
    changesLeft: Math.max(0, maxChanges - released.length),
    nextChangeAt: first === undefined ? null : new Date(Date.parse(first) + changeDays * dayMs).toISOString(),
  }
}

/** Reports whether another user has the username or released it recently. */
export const isTaken = (sql: Sql, username: string, userId = ''): Promise<boolean> =>
  store.isTaken(sql, username, userId, reservationDays)

/** Filters usernames in lower case to those reserved because another user released them recently. */
export const filterReserved = (sql: Sql, usernames: string[], userId = ''): Promise<string[]> =>
  store.filterReserved(sql, usernames, userId, reservationDays)

/** Deletes at most `limit` expired username reservations; returns how many. */
export const sweepReleases = (sql: Sql, limit: number): Promise<number> =>
  store.deleteReleases(sql, reservationDays, limit)

/** Returns the result that claiming a username now would have. */
export async function checkUsername(sql: Sql, userId: string, requested: string): Promise<UsernameVerdict> {
  const name = requested.trim().toLowerCase()
  const { username } = await requireProfile(sql, userId)
  const allowance = await findAllowance(sql, userId)
  const message = findUsernameError(name) ?? null
  const result = { username: name, message: null, ...allowance }
  if (username?.toLowerCase() === name) return { ...result, verdict: 'yours' }
  if (message) return { ...result, verdict: 'invalid', message }
  return { ...result, verdict: (await isTaken(sql, name, userId)) ? 'taken' : 'free' }
}

const notifyOfUsername = (
  sql: Sql,
  services: MailContext,
  before: users.User,
  username: string | null,
  { caller, visit }: ChangeContext,
) =>
  notifyOfNames(sql, services, {
    id: before.id,
    before,
    after: { ...before, username },
    isByAdministrator: caller.id !== before.id,
    visit,
  })

interface Names {
  displayName: string | null
  username: string | null
}

async function recordChange(sql: Sql, before: Names & { id: string }, after: Names, { caller, visit }: ChangeContext) {
  const pickChanged = (names: Names) => ({
    ...(before.displayName !== after.displayName && { displayname: names.displayName }),
    ...(before.username !== after.username && { username: names.username }),
  })
  const target = { kind: 'user', id: before.id } as const
  const [oldNames, newNames] = [pickChanged(before), pickChanged(after)]
  await audit.record(sql, {
    action: 'profile.changed',
    actorId: caller.id,
    target,
    before: oldNames,
    after: newNames,
    visit,
  })
}
