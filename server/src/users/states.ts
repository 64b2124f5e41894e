import { restorableDays } from '@passport/contract/trash'
import * as consents from '../accounts/consent-store.ts'
import { endAllCredentials, signOutUsers } from '../accounts/end-sessions.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { takeLost } from '../mappings/apply-mappings.ts'
import * as orgs from '../orgs/store.ts'
import { isTaken } from '../profile/change.ts'
import * as roles from '../roles/store.ts'
import * as scim from '../scim/store.ts'
import * as provisioned from '../scim/user-store.ts'
import { toGrantedEvent } from './create.ts'
import { endLinksOf } from './end-links.ts'
import * as store from './store.ts'

/** The result of a change of locked users: the changed users as they were before, and the failures. */
export interface Outcome {
  changed: store.UserRow[]
  failed: { id: string; code: string }[]
}

/** Changes locked users in the given transaction, and audits each change. Does not check the rights of the actor. */
export type Change = (sql: Sql, rows: store.UserRow[], actor: audit.ActorFields) => Promise<Outcome>

const idsOf = (rows: store.UserRow[]) => rows.map(({ id }) => id)

/**
 * Disables users and revokes their sessions and tokens. A user whom a SCIM client has disabled is not changed, but the client
 * no longer enables them.
 */
export const disable: Change = async (sql, rows, actor) => {
  const { takenOver, ...outcome } = await setDisabled(sql, rows)
  const endedOf = await endAllCredentials(sql, idsOf(outcome.changed))
  await record(sql, outcome.changed, actor, 'user.disabled', ({ id }) => ({
    before: { disabled: false, ...endedOf(id) },
    after: { disabled: true },
  }))
  if (takenOver.length > 0)
    await record(sql, takenOver, actor, 'user.disabled', () => ({
      before: { disabled: true, disabledByScim: true },
      after: { disabled: true, disabledByScim: false },
    }))
  return outcome
}

/**
 * Like `disable`, and ends consents and the links that the users have created; users who are already disabled lose all that
 * too. Tokens of SCIM clients stay, since they belong to the organisation: the audit event names them.
 */
export const lockDown: Change = async (sql, rows, actor) => {
  const existing = rows.filter(({ deletedAt }) => !deletedAt)
  const removedConsents = Map.groupBy(await consents.removeAll(sql, idsOf(existing)), ({ userId }) => userId)
  const { takenOver: _, ...outcome } = await setDisabled(sql, rows)
  // The undo of an earlier bulk change must not enable a user who was disabled already.
  await store.touch(sql, idsOf(existing.filter(({ disabledAt }) => disabledAt !== null)))
  const endedOf = await endAllCredentials(sql, idsOf(existing))
  const endedLinksOf = await endLinksOf(sql, idsOf(existing), actor)
  const scimTokens = Map.groupBy(await scim.listLiveBy(sql, idsOf(existing)), ({ userId }) => userId)
  const listConsents = (id: string) => removedConsents.get(id)?.map(({ clientId }) => clientId) ?? []
  await record(sql, existing, actor, 'user.locked-down', ({ id, disabledAt }) => ({
    before: { disabled: disabledAt !== null, consents: listConsents(id), ...endedOf(id), ...endedLinksOf(id) },
    after: { disabled: true, keptScimTokens: scimTokens.get(id)?.map(({ start }) => start) ?? [] },
  }))
  return outcome
}

/**
 * Disables enabled users, and takes over those whom SCIM clients have disabled. The caller revokes their credentials, and
 * records the change.
 */
async function setDisabled(sql: Sql, rows: store.UserRow[]): Promise<Outcome & { takenOver: store.UserRow[] }> {
  const { existing, failed } = splitDeleted(rows)
  const changed = existing.filter(({ disabledAt }) => disabledAt === null)
  await store.setDisabled(sql, idsOf(changed), new Date().toISOString())
  const disabled = existing.filter(({ disabledAt }) => disabledAt !== null)
  const takenOver = disabled.length === 0 ? new Set<string>() : await provisioned.takeOverDisabled(sql, idsOf(disabled))
  return { changed, failed, takenOver: disabled.filter(({ id }) => takenOver.has(id)) }
}

export const enable: Change = async (sql, rows, actor) => {
  const { existing, failed } = splitDeleted(rows)
  const changed = existing.filter(({ disabledAt }) => disabledAt !== null)
  await store.setDisabled(sql, idsOf(changed), null)
  await record(sql, changed, actor, 'user.enabled', () => ({ before: { disabled: true }, after: { disabled: false } }))
  return { changed, failed }
}

/** Revokes all sessions and tokens of users, except personal tokens. */
export const signOut: Change = async (sql, rows, actor) => {
  const { existing, failed } = splitDeleted(rows)
  const ended = Map.groupBy(await signOutUsers(sql, idsOf(existing)), ({ userId }) => userId)
  await record(sql, existing, actor, 'signout.everywhere', ({ id }) => ({
    after: { sessions: ended.get(id)?.length ?? 0 },
  }))
  return { changed: existing, failed }
}

/** Soft-deletes users; their roles and memberships are stored for `restore`. */
export const remove: Change = async (sql, rows, actor) => {
  const { existing: changed, failed } = splitDeleted(rows)
  const endedOf = await endAllCredentials(sql, idsOf(changed))
  const removedRoles = Map.groupBy(await roles.revokeAll(sql, idsOf(changed)), ({ userId }) => userId)
  const formerByUser = new Map<string, store.FormerMemberships>()
  for (const { id } of changed) {
    const former: store.FormerMemberships = {
      roles: removedRoles.get(id) ?? [],
      groups: await groups.removeFromGroups(sql, id),
      orgs: await orgs.removeFromOrgs(sql, id),
    }
    await store.remove(sql, id, former)
    formerByUser.set(id, former)
  }
  await record(sql, changed, actor, 'user.deleted', (row) => ({
    before: { ...toAuditFields(row), ...toMembershipFields(formerByUser.get(row.id)), ...endedOf(row.id) },
  }))
  return { changed, failed }
}

/**
 * Restores deleted users with their roles and memberships, except what mappings no longer give. Fails for users whose username or
 * email is taken now.
 */
export const restore: Change = (sql, rows, actor) => restoreWith((former) => former)(sql, rows, actor)

/**
 * Returns the change that restores deleted users like `restore`, with what `choose` returns of their former roles and
 * memberships. They lose the rest.
 */
export const restoreWith =
  (choose: (former: store.FormerMemberships) => store.FormerMemberships): Change =>
  async (sql, rows, actor) => {
    const deleted = rows.filter(({ deletedAt }) => deletedAt !== null)
    await store.lockEmails(sql)
    const taken = await store.listTaken(
      sql,
      deleted.flatMap(({ email }) => email?.toLowerCase() ?? []),
      deleted.flatMap(({ username }) => username?.toLowerCase() ?? []),
    )
    const outcome: Outcome = { changed: [], failed: [] }
    for (const row of deleted) {
      const code = findRestoreError(row, taken) ?? (await findReservedName(sql, row))
      if (code) {
        outcome.failed.push({ id: row.id, code })
        continue
      }
      if (!(await store.restoreDeleted(sql, row.id, row.username, row.email))) {
        outcome.failed.push({ id: row.id, code: 'username-taken' })
        continue
      }
      if (row.leftBehind) await restoreMemberships(sql, row.id, choose(row.leftBehind))
      outcome.changed.push(row)
    }
    await takeLost(sql, { userIds: idsOf(outcome.changed) })
    await record(sql, outcome.changed, actor, 'user.restored', (row) => ({ after: toAuditFields(row) }))
    return outcome
  }

function findRestoreError(
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

/** Returns an error code if the username is reserved because another user released it recently. */
const findReservedName = async (sql: Sql, { id, username }: store.UserRow) =>
  username !== null && (await isTaken(sql, username, id)) ? 'username-taken' : undefined

async function restoreMemberships(sql: Sql, id: string, former: store.FormerMemberships) {
  await roles.grantAll(sql, former.roles)
  await groups.restoreToGroups(sql, id, former.groups)
  await orgs.restoreToOrgs(sql, id, former.orgs)
}

/** Returns the change that grants users a direct role. */
export const addRole =
  (role: string): Change =>
  async (sql, rows, actor) => {
    const { existing, failed } = splitDeleted(rows)
    const grants = existing.map(({ id }) => ({ userId: id, role, grantedBy: actor.actorId ?? null }))
    const granted = await roles.grantAll(sql, grants)
    const ids = new Set(granted.map(({ userId }) => userId))
    await audit.recordAll(
      sql,
      granted.map((grant) => toGrantedEvent(grant, actor)),
    )
    return { changed: existing.filter(({ id }) => ids.has(id)), failed }
  }

/** Returns the change that removes a direct role of users. */
export const removeRole =
  (role: string): Change =>
  async (sql, rows, actor) => {
    const { existing, failed } = splitDeleted(rows)
    const changedIds = new Set((await roles.revokeAll(sql, idsOf(existing), role)).map(({ userId }) => userId))
    const changed = existing.filter(({ id }) => changedIds.has(id))
    await record(sql, changed, actor, 'role.taken', () => ({ before: { role } }))
    return { changed, failed }
  }

function splitDeleted(rows: store.UserRow[]) {
  return {
    existing: rows.filter(({ deletedAt }) => deletedAt === null),
    failed: rows.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => ({ id, code: 'user-not-found' })),
  }
}

const toMembershipFields = (former?: store.FormerMemberships) => ({
  groups: [
    ...new Set([...(former?.groups.member ?? []), ...(former?.groups.owner ?? [])].map(({ groupId }) => groupId)),
  ],
  orgs: former?.orgs.map(({ orgId }) => orgId) ?? [],
})

const toAuditFields = ({ username, displayName, email, roles }: store.UserRow) => ({
  username,
  displayname: displayName,
  email,
  roles,
})

const record = (
  sql: Sql,
  rows: store.UserRow[],
  actor: audit.ActorFields,
  action: audit.AuditEvent['action'],
  toChange: (row: store.UserRow) => { before?: audit.JsonObject; after?: audit.JsonObject },
) =>
  audit.recordAll(
    sql,
    rows.map((row) => ({ ...actor, action, target: { kind: 'user', id: row.id }, ...toChange(row) })),
  )
