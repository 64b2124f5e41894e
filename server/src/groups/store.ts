import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { FormerGroups, FormerMembership } from '../users/user-access.ts'

/** The tables and columns for bulk loads of groups, members, owners and group roles. */
export const copyTarget = {
  table: 'groups',
  columns: ['id', 'name', 'description', 'org_id', 'member_count', 'owner_count', 'created_at', 'updated_at'],
}
export const memberCopyTarget = { table: 'group_members', columns: ['group_id', 'user_id', 'added_at'] }
export const ownerCopyTarget = { table: 'group_owners', columns: ['group_id', 'user_id', 'added_at'] }
export const roleCopyTarget = { table: 'group_roles', columns: ['group_id', 'role'] }

/** Locks the groups, their members, owners and roles until the transaction ends. */
export async function lock(sql: Sql, ids: string[]): Promise<void> {
  await sql`select from groups where id = any(${ids}) order by id for update`
}

interface Texts {
  name: string
  description: string
}

interface NewGroup extends Texts {
  orgId: string | null
  members: string[]
  owners: string[]
  addedBy: string | null
  /** Other groups of the organisation with this mark may have the same name, and no others. */
  sharesName?: boolean
}

/** Adds a group with its members and owners; returns its id, or undefined if the name is taken. */
export async function create(sql: Sql, group: NewGroup): Promise<string | undefined> {
  const { name, description, orgId, members, owners, addedBy, sharesName = false } = group
  const conflict = sql`coalesce(org_id, '') = coalesce(${orgId}, '') and lower(name) = lower(${name}) and deleted_at is null`
  const [added] = await sql<{ id: string }[]>`
    insert into groups (id, name, description, org_id, member_count, owner_count, shares_name)
    select ${uuid()}, ${name}, ${description}, ${orgId}, ${members.length}, ${owners.length}, ${sharesName}
    where not exists (select from groups where ${conflict} and ${sharesName ? sql`not shares_name` : sql`shares_name`})
    on conflict (coalesce(org_id, ''), lower(name)) where deleted_at is null and not shares_name do nothing
    returning id`
  if (!added) return undefined
  await addMembers(sql, added.id, members, addedBy)
  await addOwners(sql, added.id, owners, addedBy)
  return added.id
}

class NameTaken extends Error {}

/** Returns the condition that no group that shares names and no other group have one name. Two others violate an index. */
const isNameFree = (sql: Sql, name: string) => {
  const conflict = sql`
    coalesce(n.org_id, '') = coalesce(g.org_id, '') and lower(n.name) = lower(${name}) and n.deleted_at is null and n.id <> g.id`
  return sql`
    not (g.shares_name and exists (select from groups n where ${conflict} and not n.shares_name))
      and not (not g.shares_name and exists (select from groups n where ${conflict} and n.shares_name))`
}

/** Throws an error that `isNameTaken` recognises if another group of the organisation has the name. */
export async function change(sql: Sql, id: string, { name, description }: Texts): Promise<void> {
  const changed = await sql`
    update groups g set name = ${name}, description = ${description}, version = version + 1
    where id = ${id} and ${isNameFree(sql, name)} returning id`
  if (changed.length === 0) throw new NameTaken()
}

/** Reports whether an error says that another group of the organisation has the name. */
export const isNameTaken = (error: unknown): boolean =>
  error instanceof NameTaken || (error as { constraint_name?: string }).constraint_name === 'groups_name'

/** Soft-deletes a group; its members, owners and roles are kept for `restore`. */
export async function remove(sql: Sql, id: string): Promise<void> {
  await sql`update groups set deleted_at = now(), version = version + 1 where id = ${id}`
}

/** Undoes `remove`. Throws an error that `isNameTaken` recognises if another group has the name now. */
export async function restore(sql: Sql, id: string, name: string): Promise<void> {
  const restored = await sql`
    update groups g set deleted_at = null, name = ${name}, version = version + 1
    where id = ${id} and ${isNameFree(sql, name)} returning id`
  if (restored.length === 0) throw new NameTaken()
}

/** Replaces the roles of a group. */
export async function setRoles(sql: Sql, id: string, roles: string[], grantedBy: string | null): Promise<void> {
  await sql`delete from group_roles where group_id = ${id} and role <> all(${roles})`
  await sql`
    insert into group_roles (group_id, role, granted_by) select ${id}, unnest(${roles}::text[]), ${grantedBy}
    on conflict do nothing`
  await sql`update groups set version = version + 1 where id = ${id}`
}

export async function listMemberIds(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`select user_id from group_members where group_id = ${id}`
  return rows.map(({ userId }) => userId)
}

/** A group that may be deleted. */
export interface FormerGroup {
  id: string
  name: string
  orgId: string | null
  hasRoles: boolean
}

/** Returns groups, deleted ones too, by name. */
export async function listFormer(sql: Sql, ids: string[]): Promise<FormerGroup[]> {
  return sql<FormerGroup[]>`
    select g.id, g.name, g.org_id, exists (select from group_roles r where r.group_id = g.id) as has_roles
    from groups g where g.id = any(${ids}) order by g.sort_name, g.id`
}

/** Lists the members and the owners of a group. */
export async function listUserIds(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select user_id from group_members where group_id = ${id}
    union select user_id from group_owners where group_id = ${id}`
  return rows.map(({ userId }) => userId)
}

const idsOf = (rows: readonly { userId: string }[]) => rows.map(({ userId }) => userId)

/** Adds users to a locked group; returns those who were not members before. */
export async function addMembers(sql: Sql, id: string, userIds: string[], addedBy: string | null): Promise<string[]> {
  const added = await sql<{ userId: string }[]>`
    insert into group_members (group_id, user_id, added_by) select ${id}, unnest(${userIds}::text[]), ${addedBy}
    on conflict do nothing returning user_id`
  await clearTombstones(sql, id, idsOf(added))
  return idsOf(added)
}

/** Adds owners to a locked group; returns those who were not owners before. */
export async function addOwners(sql: Sql, id: string, userIds: string[], addedBy: string | null): Promise<string[]> {
  const added = await sql<{ userId: string }[]>`
    insert into group_owners (group_id, user_id, added_by) select ${id}, unnest(${userIds}::text[]), ${addedBy}
    on conflict do nothing returning user_id`
  await clearTombstones(sql, id, idsOf(added))
  return idsOf(added)
}

/** Removes users from a locked group; returns those who were members. */
export async function removeMembers(sql: Sql, id: string, userIds: string[]): Promise<string[]> {
  const removed = await sql<{ userId: string }[]>`
    delete from group_members where group_id = ${id} and user_id = any(${userIds}) returning user_id`
  await recordTombstones(sql, id, idsOf(removed))
  return idsOf(removed)
}

/** Removes owners from a locked group; returns those who were owners. */
export async function removeOwners(sql: Sql, id: string, userIds: string[]): Promise<string[]> {
  const removed = await sql<{ userId: string }[]>`
    delete from group_owners where group_id = ${id} and user_id = any(${userIds}) returning user_id`
  await recordTombstones(sql, id, idsOf(removed))
  return idsOf(removed)
}

/** Adds to the counts of members and owners, and increments the version. */
export async function adjustCounts(sql: Sql, id: string, { members = 0, owners = 0 }): Promise<void> {
  await sql`
    update groups set version = version + 1, member_count = member_count + ${members}, owner_count = owner_count + ${owners}
    where id = ${id}`
}

/** Deletes the tombstones of users who were added again. */
async function clearTombstones(sql: Sql, id: string, userIds: string[]) {
  if (userIds.length === 0) return
  await sql`delete from group_tombstones where group_id = ${id} and user_id = any(${userIds})`
}

/** Records tombstones for users who left a group entirely, with its next version. */
async function recordTombstones(sql: Sql, id: string, userIds: string[]) {
  if (userIds.length === 0) return
  await sql`
    insert into group_tombstones (user_id, group_id, version)
    select u.id, g.id, g.version + 1 from unnest(${userIds}::text[]) as u (id) join groups g on g.id = ${id}
    where not exists (select from group_members m where m.group_id = g.id and m.user_id = u.id)
      and not exists (select from group_owners o where o.group_id = g.id and o.user_id = u.id)
    on conflict (user_id, group_id) do update set version = excluded.version, left_at = change_time()`
}

/** Returns those of the users who are a member or an owner of any group. */
export async function filterUsersInGroups(sql: Sql, userIds: string[]): Promise<Set<string>> {
  const rows = await sql<{ userId: string }[]>`
    select user_id from group_members where user_id = any(${userIds})
    union select user_id from group_owners where user_id = any(${userIds})`
  return new Set(idsOf(rows))
}

const groupIdsOf = (memberships: { groupId: string }[]) => memberships.map(({ groupId }) => groupId)

/**
 * Removes a locked user from every group, as member and as owner; returns the memberships for `restoreToGroups`.
 */
export async function removeFromGroups(sql: Sql, userId: string): Promise<FormerGroups> {
  await sql`
    select from groups where id in (
      select group_id from group_members where user_id = ${userId}
      union select group_id from group_owners where user_id = ${userId})
    order by id for update`
  const member = await sql<FormerMembership[]>`
    delete from group_members where user_id = ${userId} returning group_id, added_at, added_by`
  const owner = await sql<FormerMembership[]>`
    delete from group_owners where user_id = ${userId} returning group_id, added_at, added_by`
  await adjustAllCounts(sql, { member, owner }, -1)
  await sql`
    insert into group_tombstones (user_id, group_id, version)
    select ${userId}, id, version from groups where id = any(${groupIdsOf([...member, ...owner])})
    on conflict (user_id, group_id) do update set version = excluded.version, left_at = change_time()`
  return { member: [...member], owner: [...owner] }
}

/** Undoes `removeFromGroups` for the groups that still exist. */
export async function restoreToGroups(sql: Sql, userId: string, { member, owner }: FormerGroups): Promise<void> {
  await lock(sql, groupIdsOf([...member, ...owner]))
  const asMember = await sql<{ groupId: string }[]>`
    insert into group_members (group_id, user_id, added_at, added_by)
    select g.id, ${userId}, l."addedAt", l."addedBy"
    from jsonb_to_recordset(${sql.json(member as never)}) as l ("groupId" text, "addedAt" timestamptz, "addedBy" text)
    join groups g on g.id = l."groupId"
    on conflict do nothing returning group_id`
  const asOwner = await sql<{ groupId: string }[]>`
    insert into group_owners (group_id, user_id, added_at, added_by)
    select g.id, ${userId}, l."addedAt", l."addedBy"
    from jsonb_to_recordset(${sql.json(owner as never)}) as l ("groupId" text, "addedAt" timestamptz, "addedBy" text)
    join groups g on g.id = l."groupId"
    on conflict do nothing returning group_id`
  await sql`
    delete from group_tombstones
    where user_id = ${userId} and group_id = any(${groupIdsOf([...asMember, ...asOwner])})`
  await adjustAllCounts(sql, { member: asMember, owner: asOwner }, 1)
}

async function adjustAllCounts(
  sql: Sql,
  memberships: Record<'member' | 'owner', { groupId: string }[]>,
  difference: number,
) {
  const [member, owner] = [groupIdsOf(memberships.member), groupIdsOf(memberships.owner)]
  await sql`
    update groups set version = version + 1,
      member_count = member_count + case when id = any(${member}) then ${difference}::integer else 0 end,
      owner_count = owner_count + case when id = any(${owner}) then ${difference}::integer else 0 end
    where id = any(${[...member, ...owner]})`
}

/** Deletes at most `limit` expired tombstones; returns their number. */
export async function sweepTombstones(sql: Sql, limit: number): Promise<number> {
  const swept = await sql`
    delete from group_tombstones where (user_id, group_id) in (
      select user_id, group_id from group_tombstones where left_at < now() - interval '31 days' limit ${limit})
    returning user_id`
  return swept.length
}

/** Removes a role from every group; returns the names of these groups. */
export async function dropRole(sql: Sql, role: string): Promise<string[]> {
  const removed = await sql<{ groupId: string }[]>`delete from group_roles where role = ${role} returning group_id`
  const changed = await sql<{ name: string }[]>`
    update groups set updated_at = now(), version = version + 1
    where id = any(${removed.map(({ groupId }) => groupId)}) returning name`
  return changed.map(({ name }) => name).sort()
}

/**
 * Lists the members and owners of the groups with roles of an organisation. With `deletedAt`, only groups deleted at that
 * instant count, otherwise those that are not deleted.
 */
export async function listHoldersOfOrg(sql: Sql, orgId: string, deletedAt: string | null): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select distinct m.user_id from groups g
    join (
      select group_id, user_id from group_members union all select group_id, user_id from group_owners
    ) m on m.group_id = g.id
    where g.org_id = ${orgId} and g.deleted_at is not distinct from ${deletedAt}
      and exists (select from group_roles r where r.group_id = g.id)`
  return rows.map(({ userId }) => userId)
}

/** Soft-deletes the groups of an organisation at its own deletion instant; returns their number. */
export async function deleteAllOfOrg(sql: Sql, orgId: string, deletedAt: string): Promise<number> {
  const deleted = await sql`
    update groups set deleted_at = ${deletedAt}, version = version + 1
    where org_id = ${orgId} and deleted_at is null`
  return deleted.count
}

/** Increments the versions of the groups of an organisation, since each group contains the organisation's name. */
export async function touchAllOfOrg(sql: Sql, orgId: string): Promise<void> {
  await sql`update groups set version = version + 1 where org_id = ${orgId} and deleted_at is null`
}

/** Undoes `deleteAllOfOrg`; groups deleted at another instant stay deleted. Returns the number of restored groups. */
export async function restoreAllOfOrg(sql: Sql, orgId: string, deletedAt: string): Promise<number> {
  const restored = await sql`
    update groups set deleted_at = null, version = version + 1
    where org_id = ${orgId} and deleted_at = ${deletedAt}`
  return restored.count
}

/** Lists the groups of an organisation that are not deleted. */
export async function listIdsOfOrg(sql: Sql, orgId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from groups where org_id = ${orgId} and deleted_at is null`
  return rows.map(({ id }) => id)
}

/** A group that is not deleted, with the membership of one user. */
export interface LinkedGroup {
  id: string
  name: string
  roles: string[]
  isOwner: boolean
  isMember: boolean
}

/** Finds the target of a join link, with the membership of a user. */
export async function findLinkedGroup(sql: Sql, id: string, userId: string): Promise<LinkedGroup | undefined> {
  const [group] = await sql<LinkedGroup[]>`
    select g.id, g.name,
      array(select r.role from group_roles r where r.group_id = g.id order by r.role) as roles,
      exists (select from group_owners o where o.group_id = g.id and o.user_id = ${userId}) as is_owner,
      exists (select from group_members m where m.group_id = g.id and m.user_id = ${userId}) as is_member
    from groups g where g.id = ${id} and g.deleted_at is null`
  return group
}

/** Locks the group and adds a user; returns false if they were a member before. */
export async function addJoiningMember(sql: Sql, groupId: string, userId: string, addedBy: string): Promise<boolean> {
  await lock(sql, [groupId])
  const added = await addMembers(sql, groupId, [userId], addedBy)
  if (added.length > 0) await adjustCounts(sql, groupId, { members: 1 })
  return added.length > 0
}

/** Returns the names of groups, by name. */
export async function listNames(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from groups where id = any(${ids}) and deleted_at is null order by name, id`
}

/** Purges at most `limit` groups that were deleted more than `olderThanDays` days ago; returns their ids. */
export async function purgeDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const erased = await sql<{ id: string }[]>`
    delete from groups where id in (
      select id from groups where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning id`
  return erased.map(({ id }) => id)
}
