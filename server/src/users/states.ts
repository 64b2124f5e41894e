import { restorableDays } from '@passport/contract/bin'
import * as audit from '../audit/store.ts'
import * as consents from '../consents/store.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import * as orgs from '../orgs/store.ts'
import { isHeld } from '../profile/change.ts'
import * as roles from '../roles/store.ts'
import { endAll } from '../sessions/end.ts'
import { grantedEvent } from './create.ts'
import * as store from './store.ts'

/** What became of people whose rows were locked before: who changed, as they were, and whom something was in the way of. */
export interface Outcome {
  changed: store.UserRow[]
  failed: { id: string; code: string }[]
}

/** A change of people in the given transaction, each recorded. Who may do so is for the caller to ask. */
export type Change = (sql: Sql, rows: store.UserRow[], by: audit.Actor) => Promise<Outcome>

const idsOf = (rows: store.UserRow[]) => rows.map(({ id }) => id)

/** Lets people in no more, and ends all by which they are signed in. */
export const disable: Change = (sql, rows, by) => shutOut(sql, rows, by, 'user.disabled')

/** Like `disable`, also for who is disabled already, and takes back what they allowed applications. */
export const lockDown: Change = async (sql, rows, by) => {
  const living = rows.filter(({ deletedAt }) => !deletedAt)
  const removed = Map.groupBy(await consents.removeAll(sql, idsOf(living)), ({ userId }) => userId)
  await endAll(sql, idsOf(living))
  const consentsOf = (id: string) => removed.get(id)?.map(({ clientId }) => clientId) ?? []
  return shutOut(sql, rows, by, 'user.locked-down', (id) => ({ consents: consentsOf(id) }))
}

async function shutOut(
  sql: Sql,
  rows: store.UserRow[],
  by: audit.Actor,
  action: 'user.disabled' | 'user.locked-down',
  hadBesides: (id: string) => audit.JsonObject = () => ({}),
): Promise<Outcome> {
  const { living, failed } = withoutDeleted(rows)
  const open = living.filter(({ disabledAt }) => disabledAt === null)
  const told = action === 'user.locked-down' ? living : open
  await store.setDisabled(sql, idsOf(open), new Date().toISOString())
  await endAll(sql, idsOf(open))
  await record(sql, told, by, action, ({ id, disabledAt }) => ({
    before: { disabled: disabledAt !== null, ...hadBesides(id) },
    after: { disabled: true },
  }))
  return { changed: open, failed }
}

export const enable: Change = async (sql, rows, by) => {
  const { living, failed } = withoutDeleted(rows)
  const changed = living.filter(({ disabledAt }) => disabledAt !== null)
  await store.setDisabled(sql, idsOf(changed), null)
  await record(sql, changed, by, 'user.enabled', () => ({ before: { disabled: true }, after: { disabled: false } }))
  return { changed, failed }
}

/** Ends all by which people are signed in. */
export const signOut: Change = async (sql, rows, by) => {
  const { living, failed } = withoutDeleted(rows)
  const ended = Map.groupBy(await endAll(sql, idsOf(living)), ({ userId }) => userId)
  await record(sql, living, by, 'signout.everywhere', ({ id }) => ({ after: { sessions: ended.get(id)?.length ?? 0 } }))
  return { changed: living, failed }
}

/** Deletes people softly: what they were part of is put aside. */
export const remove: Change = async (sql, rows, by) => {
  const { living: changed, failed } = withoutDeleted(rows)
  await endAll(sql, idsOf(changed))
  const taken = Map.groupBy(await roles.takeAll(sql, idsOf(changed)), ({ userId }) => userId)
  const parts = new Map<string, store.LeftBehind>()
  for (const { id } of changed) {
    const left: store.LeftBehind = {
      roles: taken.get(id) ?? [],
      groups: await groups.takeOut(sql, id),
      orgs: await orgs.takeOut(sql, id),
    }
    await store.remove(sql, id, left)
    parts.set(id, left)
  }
  await record(sql, changed, by, 'user.deleted', (row) => ({
    before: { ...told(row), ...toldParts(parts.get(row.id)) },
  }))
  return { changed, failed }
}

/** Brings deleted people back with what they were part of, as far as nobody else has their names now. */
export const restore: Change = async (sql, rows, by) => {
  const deleted = rows.filter(({ deletedAt }) => deletedAt !== null)
  await store.lockEmails(sql)
  const taken = await store.taken(
    sql,
    deleted.flatMap(({ email }) => email?.toLowerCase() ?? []),
    deleted.flatMap(({ username }) => username?.toLowerCase() ?? []),
  )
  const outcome: Outcome = { changed: [], failed: [] }
  for (const row of deleted) {
    const code = whyNotRestored(row, taken) ?? (await whyNotCalledSo(sql, row))
    if (code) {
      outcome.failed.push({ id: row.id, code })
      continue
    }
    if (!(await store.unremove(sql, row.id, row.username, row.email))) {
      outcome.failed.push({ id: row.id, code: 'username-taken' })
      continue
    }
    if (row.leftBehind) await giveBack(sql, row.id, row.leftBehind)
    outcome.changed.push(row)
  }
  await record(sql, outcome.changed, by, 'user.restored', (row) => ({ after: told(row) }))
  return outcome
}

function whyNotRestored(
  { deletedAt, email, username }: store.UserRow,
  taken: { emails: Set<string>; usernames: Set<string> },
): string | undefined {
  const days = (Date.now() - Date.parse(deletedAt ?? '')) / (24 * 60 * 60 * 1000)
  if (days > restorableDays) return 'restore-expired'
  if (username && taken.usernames.has(username.toLowerCase())) return 'username-taken'
  if (email && taken.emails.has(email.toLowerCase())) return 'email-taken'
  if (username) taken.usernames.add(username.toLowerCase())
  if (email) taken.emails.add(email.toLowerCase())
  return undefined
}

/** Somebody else may have had the name meanwhile, and given it up lately. */
const whyNotCalledSo = async (sql: Sql, { id, username }: store.UserRow) =>
  username !== null && (await isHeld(sql, username, id)) ? 'username-taken' : undefined

async function giveBack(sql: Sql, id: string, left: store.LeftBehind) {
  await roles.grantAll(sql, left.roles)
  await groups.putBack(sql, id, left.groups)
  await orgs.putBack(sql, id, left.orgs)
}

/** Gives people a role of themselves. */
export const addRole =
  (role: string): Change =>
  async (sql, rows, by) => {
    const { living, failed } = withoutDeleted(rows)
    const wanted = living.map(({ id }) => ({ userId: id, role, grantedBy: by.actorId ?? null }))
    const given = await roles.grantAll(sql, wanted)
    const ids = new Set(given.map(({ userId }) => userId))
    await audit.recordAll(
      sql,
      given.map((one) => grantedEvent(one, by)),
    )
    return { changed: living.filter(({ id }) => ids.has(id)), failed }
  }

/** Takes a role that people have of themselves. */
export const removeRole =
  (role: string): Change =>
  async (sql, rows, by) => {
    const { living, failed } = withoutDeleted(rows)
    const taken = new Set((await roles.takeAll(sql, idsOf(living), role)).map(({ userId }) => userId))
    const changed = living.filter(({ id }) => taken.has(id))
    await record(sql, changed, by, 'role.taken', () => ({ before: { role } }))
    return { changed, failed }
  }

function withoutDeleted(rows: store.UserRow[]) {
  return {
    living: rows.filter(({ deletedAt }) => deletedAt === null),
    failed: rows.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => ({ id, code: 'user-not-found' })),
  }
}

const toldParts = (left?: store.LeftBehind) => ({
  groups: [...new Set([...(left?.groups.member ?? []), ...(left?.groups.owner ?? [])].map(({ groupId }) => groupId))],
  orgs: left?.orgs.map(({ orgId }) => orgId) ?? [],
})

const told = ({ username, displayName, email, roles }: store.UserRow) => ({
  username,
  displayname: displayName,
  email,
  roles,
})

const record = (
  sql: Sql,
  rows: store.UserRow[],
  by: audit.Actor,
  action: audit.AuditEvent['action'],
  more: (row: store.UserRow) => { before?: audit.JsonObject; after?: audit.JsonObject },
) =>
  audit.recordAll(
    sql,
    rows.map((row) => ({ ...by, action, target: { kind: 'user', id: row.id }, ...more(row) })),
  )
