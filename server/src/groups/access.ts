import { retentionDays } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { type Actor, isAdministrator } from '../http/caller.ts'
import { groupNotFound } from '../http/problems.ts'
import { requireCanGrant } from '../roles/change.ts'
import type { GroupRow } from './list-store.ts'
import * as lists from './list-store.ts'
import * as problems from './problems.ts'

/** Returns a group that the caller may see as a member, an owner or an administrator. Throws 404 otherwise. */
export async function requireVisibleGroup(sql: Sql, id: string, caller: Actor): Promise<GroupRow> {
  const group = await lists.find(sql, id, caller.id)
  const isVisible = group && (group.isMember || group.isOwner || isAdministrator(caller))
  if (!isVisible || group.deletedAt !== null) throw groupNotFound()
  return group
}

/**
 * Returns a deleted group that the caller may restore as an owner or an administrator. Throws 404 if the caller may not
 * restore it or its retention period is over, and 409 if it is not deleted.
 */
export async function requireDeletedGroup(sql: Sql, id: string, caller: Actor): Promise<GroupRow> {
  const group = await lists.find(sql, id, caller.id)
  if (!group || !(group.isOwner || isAdministrator(caller))) throw groupNotFound()
  if (group.deletedAt === null) throw problems.notDeleted()
  if (Date.parse(group.deletedAt) < Date.now() - retentionDays * 24 * 60 * 60 * 1000) throw groupNotFound()
  return group
}

/** Throws 403 unless the caller is an owner of the group or an administrator. */
export function requireOwner(group: GroupRow, caller: Actor): void {
  if (!group.isOwner && !isAdministrator(caller)) throw problems.notOwner()
}

/**
 * Throws 403 unless the caller may grant every role of the group: adding a member grants these roles, and owners can
 * add members.
 */
export function requireCanGrantRoles(group: GroupRow, caller: Actor): void {
  requireCanGrant(
    caller,
    group.roles.map((role) => ({ role })),
  )
}
