import { retentionDays } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { type Actor, isAdministrator } from '../http/caller.ts'
import { groupNotFound } from '../http/problems.ts'
import { requireCanGrant } from '../roles/change.ts'
import type { GroupRow } from './listing.ts'
import * as listing from './listing.ts'
import * as problems from './problems.ts'

/** Returns a group visible to the caller: to its members and owners, and to administrators. Throws 404 otherwise. */
export async function requireVisibleGroup(sql: Sql, id: string, caller: Actor): Promise<GroupRow> {
  const group = await listing.find(sql, id, caller.id)
  const isVisible = group && (group.isMember || group.isOwner || isAdministrator(caller))
  if (!isVisible || group.deletedAt !== null) throw groupNotFound()
  return group
}

/**
 * Returns a deleted group that the caller may restore, as one of its owners or an administrator. Throws 404, or 409 if
 * it is not deleted.
 */
export async function requireDeletedGroup(sql: Sql, id: string, caller: Actor): Promise<GroupRow> {
  const group = await listing.find(sql, id, caller.id)
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
 * New members of a group with roles get these roles, and new owners decide who does. Throws 403 for callers who may not
 * grant them.
 */
export function requireCanGrantRoles(group: GroupRow, caller: Actor): void {
  requireCanGrant(
    caller,
    group.roles.map((role) => ({ role })),
  )
}
