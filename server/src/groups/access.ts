import { keptDays } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import type { Doer } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { refuseToGive } from '../roles/change.ts'
import type { GroupRow } from './listing.ts'
import * as listing from './listing.ts'

export const seesAll = (caller: Pick<Doer, 'roles'>): boolean => caller.roles.has('Passport.Admin')

const notThere = () => new Problem(404, 'group-not-found', 'There is no such group.')

/** A group that the caller may know of: its members and owners, and administrators. Throws 404 for any other. */
export async function seen(sql: Sql, id: string, caller: Doer): Promise<GroupRow> {
  const group = await listing.find(sql, id, caller.id)
  const isSeen = group && (group.isMember || group.isOwner || seesAll(caller))
  if (!isSeen || group.deletedAt !== null) throw notThere()
  return group
}

/** A deleted group that the caller may restore: one of its owners, or an administrator. Throws 404, or 409 where it is not deleted. */
export async function seenInBin(sql: Sql, id: string, caller: Doer): Promise<GroupRow> {
  const group = await listing.find(sql, id, caller.id)
  if (!group || !(group.isOwner || seesAll(caller))) throw notThere()
  if (group.deletedAt === null) throw new Problem(409, 'group-not-deleted', 'The group is not deleted.')
  if (Date.parse(group.deletedAt) < Date.now() - keptDays * 24 * 60 * 60 * 1000) throw notThere()
  return group
}

/** Owners run a group, and administrators. Throws 403 for its members, who may know of it. */
export function refuseUnlessOwner(group: GroupRow, caller: Doer): void {
  if (!group.isOwner && !seesAll(caller)) throw new Problem(403, 'not-group-owner', 'You are no owner of this group.')
}

/**
 * Whoever makes somebody a member or an owner of a group that carries roles gives these roles, or hands on who gets
 * them. Throws 403 for whoever may not; and for a token, which must not be the whole console, whoever it speaks for.
 */
export function refuseRolesOf(group: GroupRow, caller: Doer): void {
  if (group.roles.length === 0) return
  refuseToGive(
    caller,
    group.roles.map((role) => ({ role })),
  )
  if (caller.id !== null && !caller.session)
    throw new Problem(403, 'bearer-not-accepted', 'The group carries roles. Sign in for this.')
}
