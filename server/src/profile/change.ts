import type { UsernameVerdict } from '@passport/contract/profile'
import { usernameFault } from '@passport/contract/username'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { refuseFormer } from '../roles/former.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/** A name that someone gave up is nobody else's for so long. */
const releaseDays = 90
/** So many changes of the username in so many days. */
const maxChanges = 3
const changeDays = 30
const dayMs = 24 * 60 * 60 * 1000

interface By {
  caller: Caller
  visit: Visit
  preconditions: Preconditions
}
interface Change {
  displayname?: string | undefined
  username?: string | undefined
}

/**
 * Changes what a person is called and found by, and records what it was and is; what changes nothing is not recorded.
 * Throws 404, 412, 409 `username-taken`, and 429 `username-cooldown` where people change their own too often.
 */
export async function change(
  sql: Sql,
  userId: string,
  { displayname, username }: Change,
  by: By,
): Promise<store.ProfileRow> {
  try {
    return await transaction(sql, async (sql) => {
      await users.lock(sql, userId)
      await refuseFormer(sql, by.caller)
      const before = await findOne(sql, userId)
      by.preconditions.check({ etag: String(before.version) })
      const after = { displayName: displayname ?? before.displayName, username: username ?? before.username }
      if (after.displayName === before.displayName && after.username === before.username) return before
      if (after.username !== before.username && userId === by.caller.id) await refuseTooOften(sql, before)
      await users.setNames(sql, userId, after)
      if (after.username !== before.username) await moveUsername(sql, before, after.username)
      await recordChange(sql, before, after, by)
      return findOne(sql, userId)
    })
  } catch (error) {
    throw (error as { code?: string }).code === '23505' ? taken() : error
  }
}

/** The profile of someone who is there. Throws 404. */
export async function findOne(sql: Sql, userId: string): Promise<store.ProfileRow> {
  const found = await store.find(sql, userId)
  if (!found) throw new Problem(404, 'profile-not-found', 'There is no such profile.')
  return found
}

/**
 * Asked after the name was written: whoever had it until now has committed by then, so that what they released is seen.
 */
async function moveUsername(sql: Sql, { id, username }: store.ProfileRow, claimed: string | null) {
  if (claimed !== null && (await isHeld(sql, claimed, id))) throw taken()
  if (username !== null && username.toLowerCase() !== claimed) await store.release(sql, id, username)
}

async function refuseTooOften(sql: Sql, { id, username }: store.ProfileRow) {
  const { nextChangeAt } = username === null ? { nextChangeAt: null } : await allowanceOf(sql, id)
  if (nextChangeAt === null) return
  const seconds = Math.max(1, Math.ceil((Date.parse(nextChangeAt) - Date.now()) / 1000))
  const detail = `A username is changed at most ${maxChanges} times in ${changeDays} days.`
  throw new Problem(429, 'username-cooldown', detail, { headers: { 'Retry-After': String(seconds) } })
}

/** How often a person may still change their username, and from when on where not at all. */
async function allowanceOf(sql: Sql, userId: string) {
  const released = await store.listReleases(sql, userId, changeDays)
  const first = released[maxChanges - 1]
  return {
    changesLeft: Math.max(0, maxChanges - released.length),
    nextChangeAt: first === undefined ? null : new Date(Date.parse(first) + changeDays * dayMs).toISOString(),
  }
}

/** Whether a username is someone else's, or was until lately. */
export const isHeld = (sql: Sql, username: string, userId = ''): Promise<boolean> =>
  store.isHeld(sql, username, userId, releaseDays)

/** Of some usernames in lower case, those that nobody else may have yet because someone gave them up lately. */
export const releasedOf = (sql: Sql, usernames: string[], userId = ''): Promise<string[]> =>
  store.releasedOf(sql, usernames, userId, releaseDays)

/** Forgets at most `limit` usernames that anyone may have again; returns how many. */
export const sweepReleases = (sql: Sql, limit: number): Promise<number> => store.forgetReleases(sql, releaseDays, limit)

/** What would come of claiming a username now. */
export async function judge(sql: Sql, userId: string, asked: string): Promise<UsernameVerdict> {
  const name = asked.trim().toLowerCase()
  const { username } = await findOne(sql, userId)
  const allowance = await allowanceOf(sql, userId)
  const message = usernameFault(name) ?? null
  const told = { username: name, message: null, ...allowance }
  if (username?.toLowerCase() === name) return { ...told, verdict: 'yours' }
  if (message) return { ...told, verdict: 'invalid', message }
  return { ...told, verdict: (await isHeld(sql, name, userId)) ? 'taken' : 'free' }
}

const taken = () => {
  const errors = [
    { field: 'username', code: 'username-taken', message: 'Someone has this username, or had it lately.' },
  ]
  return new Problem(409, 'username-taken', 'Someone has this username, or had it lately.', { errors })
}

interface Names {
  displayName: string | null
  username: string | null
}

async function recordChange(sql: Sql, before: Names & { id: string }, after: Names, { caller, visit }: By) {
  const changed = (told: Names) => ({
    ...(before.displayName !== after.displayName && { displayname: told.displayName }),
    ...(before.username !== after.username && { username: told.username }),
  })
  const target = { kind: 'user', id: before.id } as const
  const [was, is] = [changed(before), changed(after)]
  await audit.record(sql, { action: 'profile.changed', actorId: caller.id, target, before: was, after: is, visit })
}
