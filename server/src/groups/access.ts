import { retentionDays } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { type Actor, isAdministrator } from '../http/caller.ts'
import { groupNotFound } from '../http/problems.ts'
import { requireCanGrant } from '../roles/change.ts'
import type { GroupRow } from './list-store.ts'
import * as lists from './list-store.ts'
import * as problems from './problems.ts'

/** Returns a group that the caller may see: members, owners and administrators may. Throws 404 otherwise. */
export async function requireVisibleGroup(sql: Sql, id: string, caller: Actor): Promise<GroupRow> {
  const group = await lists.find(sql, id, caller.id)
  const isVisible = group && (group.isMember || group.isOwner || isAdministrator(caller))
  if (!isVisible || group.deletedAt !== null) throw groupNotFound()
  return group
}

/**
 * Returns a deleted group that the caller may restore, as an owner or an administrator. Throws 404 if the caller may
 * not restore it or it is past the retention period, and 409 if it is not deleted.
 */
export async function requireDeletedGroup(sql: Sql, id: string, caller: Actor): Promise<GroupRow> {
  const group = await lists.find(sql, id, caller.id)
  if (!group || !(group.isOwner || isAdministrator(caller))) throw groupNotFound()
  if (group.deletedAt === null) throw problems.notDeleted()
  if (Date.parse(group.deletedAt) < Date.now() - retentionDays * 24 * 60 * 60 * 1000) throw groupNotFound()
  return group
}

/** Requires an owner of the group or an administrator. Throws 403 for its members, who may see it. */
export function requireOwner(group: GroupRow, caller: Actor): void {
  if (!group.isOwner && !isAdministrator(caller)) throw problems.notOwner()
}

/**
 * Requires that the caller may grant every role of the group, since adding a member grants them, and an owner can add
 * members. Throws 403 otherwise.
 */
export function requireCanGrantRoles(group: GroupRow, caller: Actor): void {
  requireCanGrant(
    caller,
    group.roles.map((role) => ({ role })),
  )
}
