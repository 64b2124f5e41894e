import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

/** What is given of each group where many are loaded, of each member and owner, and of each role that a group carries. */
export const load = {
  table: 'groups',
  columns: ['id', 'name', 'description', 'org_id', 'member_count', 'owner_count', 'created_at', 'updated_at'],
}
export const memberLoad = { table: 'group_members', columns: ['group_id', 'user_id', 'added_at'] }
export const ownerLoad = { table: 'group_owners', columns: ['group_id', 'user_id', 'added_at'] }
export const roleLoad = { table: 'group_roles', columns: ['group_id', 'role'] }

/** Lets nobody else change the groups, their members, owners and roles until the transaction ends. */
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
  by: string | null
}

/** Adds a group with its people and returns its id; undefined where the name is taken. */
export async function create(sql: Sql, group: NewGroup): Promise<string | undefined> {
  const { name, description, orgId, members, owners, by } = group
  const [added] = await sql<{ id: string }[]>`
    insert into groups (id, name, description, org_id, member_count, owner_count)
    values (${uuid()}, ${name}, ${description}, ${orgId}, ${members.length}, ${owners.length})
    on conflict (coalesce(org_id, ''), lower(name)) where deleted_at is null do nothing
    returning id`
  if (!added) return undefined
  await addMembers(sql, added.id, members, by)
  await addOwners(sql, added.id, owners, by)
  return added.id
}

/** Throws what `isNameTaken` tells where another group there has the name. */
export async function change(sql: Sql, id: string, { name, description }: Texts): Promise<void> {
  await sql`
    update groups set name = ${name}, description = ${description}, version = version + 1 where id = ${id}`
}

/** Whether an error says that another group there has the name. */
export const isNameTaken = (error: unknown): boolean =>
  (error as { constraint_name?: string }).constraint_name === 'groups_name'

/** Deletes a group softly, with everyone and everything in it, so that `restore` gives it back whole. */
export async function remove(sql: Sql, id: string): Promise<void> {
  await sql`update groups set deleted_at = now(), version = version + 1 where id = ${id}`
}

/** Undoes `remove`; throws what `isNameTaken` tells where another group there has the name now. */
export async function restore(sql: Sql, id: string, name: string): Promise<void> {
  await sql`update groups set deleted_at = null, name = ${name}, version = version + 1 where id = ${id}`
}

/** Makes the roles of a group these. */
export async function setRoles(sql: Sql, id: string, roles: string[], by: string | null): Promise<void> {
  await sql`delete from group_roles where group_id = ${id} and role <> all(${roles})`
  await sql`
    insert into group_roles (group_id, role, granted_by) select ${id}, unnest(${roles}::text[]), ${by}
    on conflict do nothing`
  await sql`update groups set version = version + 1 where id = ${id}`
}

export async function memberIds(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`select user_id from group_members where group_id = ${id}`
  return rows.map(({ userId }) => userId)
}

const idsOf = (rows: readonly { userId: string }[]) => rows.map(({ userId }) => userId)

/** Puts people in, in a group that is locked; returns those who were not in before. */
export async function addMembers(sql: Sql, id: string, people: string[], by: string | null): Promise<string[]> {
  const added = await sql<{ userId: string }[]>`
    insert into group_members (group_id, user_id, added_by) select ${id}, unnest(${people}::text[]), ${by}
    on conflict do nothing returning user_id`
  await noteArrivals(sql, id, idsOf(added))
  return idsOf(added)
}

/** The same for owners. */
export async function addOwners(sql: Sql, id: string, people: string[], by: string | null): Promise<string[]> {
  const added = await sql<{ userId: string }[]>`
    insert into group_owners (group_id, user_id, added_by) select ${id}, unnest(${people}::text[]), ${by}
    on conflict do nothing returning user_id`
  await noteArrivals(sql, id, idsOf(added))
  return idsOf(added)
}

/** Takes people out of a group that is locked; returns those who were in. */
export async function removeMembers(sql: Sql, id: string, people: string[]): Promise<string[]> {
  const removed = await sql<{ userId: string }[]>`
    delete from group_members where group_id = ${id} and user_id = any(${people}) returning user_id`
  await noteDepartures(sql, id, idsOf(removed))
  return idsOf(removed)
}

/** The same for owners. */
export async function removeOwners(sql: Sql, id: string, people: string[]): Promise<string[]> {
  const removed = await sql<{ userId: string }[]>`
    delete from group_owners where group_id = ${id} and user_id = any(${people}) returning user_id`
  await noteDepartures(sql, id, idsOf(removed))
  return idsOf(removed)
}

/** Counts people in or out, and makes that a new version. */
export async function count(sql: Sql, id: string, { members = 0, owners = 0 }): Promise<void> {
  await sql`
    update groups set version = version + 1, member_count = member_count + ${members}, owner_count = owner_count + ${owners}
    where id = ${id}`
}

/** What is gone from people who see a group again is not gone any more. */
async function noteArrivals(sql: Sql, id: string, people: string[]) {
  if (people.length === 0) return
  await sql`delete from group_departures where group_id = ${id} and user_id = any(${people})`
}

/** For people who are nothing in a group any more it is gone; the version is the one that follows. */
async function noteDepartures(sql: Sql, id: string, people: string[]) {
  if (people.length === 0) return
  await sql`
    insert into group_departures (user_id, group_id, version)
    select p.id, g.id, g.version + 1 from unnest(${people}::text[]) as p (id) join groups g on g.id = ${id}
    where not exists (select from group_members m where m.group_id = g.id and m.user_id = p.id)
      and not exists (select from group_owners o where o.group_id = g.id and o.user_id = p.id)
    on conflict (user_id, group_id) do update set version = excluded.version, left_at = change_time()`
}

/** Of the people, those who are in a group, as member or as owner. */
export async function amongThoseIn(sql: Sql, people: string[]): Promise<Set<string>> {
  const found = await sql<{ userId: string }[]>`
    select user_id from group_members where user_id = any(${people})
    union select user_id from group_owners where user_id = any(${people})`
  return new Set(idsOf(found))
}

/** The groups that a person was taken out of. */
export interface LeftGroups {
  member: LeftPlace[]
  owner: LeftPlace[]
}
/** A place in a group that somebody had, since when and by whom. */
interface LeftPlace {
  groupId: string
  addedAt: string
  addedBy: string | null
}
const groupsOf = (places: { groupId: string }[]) => places.map(({ groupId }) => groupId)

/** Takes a person, who is locked, out of every group, as member and as owner; returns what `putBack` needs to undo it. */
export async function takeOut(sql: Sql, userId: string): Promise<LeftGroups> {
  await sql`
    select from groups where id in (
      select group_id from group_members where user_id = ${userId}
      union select group_id from group_owners where user_id = ${userId})
    order by id for update`
  const member = await sql<LeftPlace[]>`
    delete from group_members where user_id = ${userId} returning group_id, added_at, added_by`
  const owner = await sql<LeftPlace[]>`
    delete from group_owners where user_id = ${userId} returning group_id, added_at, added_by`
  await recount(sql, { member, owner }, -1)
  await sql`
    insert into group_departures (user_id, group_id, version)
    select ${userId}, id, version from groups where id = any(${groupsOf([...member, ...owner])})
    on conflict (user_id, group_id) do update set version = excluded.version, left_at = change_time()`
  return { member: [...member], owner: [...owner] }
}

/** Undoes `takeOut`, as far as the groups are still there. */
export async function putBack(sql: Sql, userId: string, { member, owner }: LeftGroups): Promise<void> {
  await lock(sql, groupsOf([...member, ...owner]))
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
    delete from group_departures
    where user_id = ${userId} and group_id = any(${groupsOf([...asMember, ...asOwner])})`
  await recount(sql, { member: asMember, owner: asOwner }, 1)
}

async function recount(sql: Sql, places: Record<'member' | 'owner', { groupId: string }[]>, by: number) {
  const [member, owner] = [groupsOf(places.member), groupsOf(places.owner)]
  await sql`
    update groups set version = version + 1,
      member_count = member_count + case when id = any(${member}) then ${by}::integer else 0 end,
      owner_count = owner_count + case when id = any(${owner}) then ${by}::integer else 0 end
    where id = any(${[...member, ...owner]})`
}

/** Forgets departures that nobody is told of any more; tells how many. */
export async function sweepDepartures(sql: Sql, limit: number): Promise<number> {
  const swept = await sql`
    delete from group_departures where (user_id, group_id) in (
      select user_id, group_id from group_departures where left_at < now() - interval '31 days' limit ${limit})
    returning user_id`
  return swept.length
}

/** Takes a role away from every group that carries it; returns their names. */
export async function dropRole(sql: Sql, role: string): Promise<string[]> {
  const carriers = await sql<{ groupId: string }[]>`delete from group_roles where role = ${role} returning group_id`
  const changed = await sql<{ name: string }[]>`
    update groups set updated_at = now(), version = version + 1
    where id = any(${carriers.map(({ groupId }) => groupId)}) returning name`
  return changed.map(({ name }) => name).sort()
}

/** The people of the groups of an organisation that carry roles: of those that are there, or were deleted at that moment. */
export async function holdersOfOrg(sql: Sql, orgId: string, deletedAt: string | null): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select distinct m.user_id from groups g
    join group_members m on m.group_id = g.id
    where g.org_id = ${orgId} and g.deleted_at is not distinct from ${deletedAt}
      and exists (select from group_roles r where r.group_id = g.id)`
  return rows.map(({ userId }) => userId)
}

/** Deletes the groups of an organisation softly, with its own instant; returns how many. */
export async function deleteAllOfOrg(sql: Sql, orgId: string, at: string): Promise<number> {
  const deleted = await sql`
    update groups set deleted_at = ${at}, version = version + 1
    where org_id = ${orgId} and deleted_at is null`
  return deleted.count
}

/** Makes new versions of the groups of an organisation: they are told with its name. */
export async function touchAllOfOrg(sql: Sql, orgId: string): Promise<void> {
  await sql`update groups set version = version + 1 where org_id = ${orgId} and deleted_at is null`
}

/** Undoes `deleteAllOfOrg`; groups that were deleted at another moment stay so. Returns how many are back. */
export async function restoreAllOfOrg(sql: Sql, orgId: string, at: string): Promise<number> {
  const restored = await sql`
    update groups set deleted_at = null, version = version + 1
    where org_id = ${orgId} and deleted_at = ${at}`
  return restored.count
}

/** A group that is not deleted, as whoever makes links into it must know it. */
export interface LinkedGroup {
  id: string
  name: string
  roles: string[]
  isOwned: boolean
  isKnown: boolean
}

/** What a person is to a group, and which roles it carries. */
export async function standingOf(sql: Sql, id: string, userId: string): Promise<LinkedGroup | undefined> {
  const [found] = await sql<LinkedGroup[]>`
    select g.id, g.name,
      array(select r.role from group_roles r where r.group_id = g.id order by r.role) as roles,
      exists (select from group_owners o where o.group_id = g.id and o.user_id = ${userId}) as is_owned,
      exists (select from group_members m where m.group_id = g.id and m.user_id = ${userId}) as is_known
    from groups g where g.id = ${id} and g.deleted_at is null`
  return found
}

/** Adds one person; false where they were a member before. */
export async function addJoined(sql: Sql, groupId: string, userId: string, by: string): Promise<boolean> {
  await lock(sql, [groupId])
  const added = await addMembers(sql, groupId, [userId], by)
  if (added.length > 0) await count(sql, groupId, { members: 1 })
  return added.length > 0
}

/** What groups are called, by name. */
export async function namesOf(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from groups where id = any(${ids}) and deleted_at is null order by name, id`
}

/** Removes for good, with all that is theirs, at most `limit` of those that were deleted more than so many days ago; returns their ids. */
export async function eraseDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const erased = await sql<{ id: string }[]>`
    delete from groups where id in (
      select id from groups where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning id`
  return erased.map(({ id }) => id)
}
