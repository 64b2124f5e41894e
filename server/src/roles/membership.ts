import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { roleNotFound, unknownProfiles } from '../http/problems.ts'
import * as users from '../users/store.ts'
import { changeRoles } from './change.ts'
import * as store from './store.ts'

type MembershipContext = RoleChangeQuery & ChangeContext

interface MembershipChange {
  role: string
  changed: string[]
  unchanged: string[]
}

/** Grants users a role, all or none. Throws 400 `unknown-profiles` with each unknown user. */
export function addMembers(
  sql: Sql,
  role: string,
  userIds: string[],
  context: MembershipContext,
): Promise<MembershipChange> {
  return changeRoles(sql, context, userIds, async (sql) => {
    await lock(sql, role)
    await rejectUnknownUsers(sql, userIds)
    const holders = new Set(await store.filterDirectHolders(sql, role, userIds))
    const changed = userIds.filter((id) => !holders.has(id))
    await store.grantTo(sql, role, changed, context.caller.id)
    await record(sql, 'role.granted', role, changed, context)
    return { role, changed, unchanged: userIds.filter((id) => holders.has(id)) }
  })
}

/** Removes a direct role of users, all or none; users in a group with the role keep it. Throws like `addMembers`. */
export function removeMembers(
  sql: Sql,
  role: string,
  userIds: string[],
  context: MembershipContext,
): Promise<MembershipChange> {
  return changeRoles(sql, context, userIds, async (sql) => {
    await lock(sql, role)
    await rejectUnknownUsers(sql, userIds)
    const holders = new Set(await store.filterDirectHolders(sql, role, userIds))
    const changed = userIds.filter((id) => holders.has(id))
    await store.revokeFrom(sql, role, changed)
    await record(sql, 'role.taken', role, changed, context)
    return { role, changed, unchanged: userIds.filter((id) => !holders.has(id)) }
  })
}

/** Locks a role against deletion. Throws 404. */
async function lock(sql: Sql, role: string) {
  if (!(await store.lockExisting(sql, [role])).has(role)) throw roleNotFound()
}

async function rejectUnknownUsers(sql: Sql, userIds: string[]) {
  const known = await users.lockExisting(sql, userIds)
  const errors = userIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `members[${index}]`, code: 'not-found', message: 'User not found.' }],
  )
  if (errors.length > 0) throw unknownProfiles(errors)
}

async function record(
  sql: Sql,
  action: 'role.granted' | 'role.taken',
  role: string,
  userIds: string[],
  context: MembershipContext,
) {
  const sides = action === 'role.granted' ? { after: { role } } : { before: { role } }
  const event = { action, ...toActorFields(context), ...sides }
  await Promise.all(userIds.map((id) => audit.record(sql, { ...event, target: { kind: 'user', id } })))
}
