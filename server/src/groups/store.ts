import type { Sql } from '../database/sql.ts'

/** The groups that a person was taken out of. */
export interface LeftGroups {
  member: string[]
  owner: string[]
}

/** Takes a person out of every group, as member and as owner; returns what `putBack` needs to undo it. */
export async function takeOut(sql: Sql, userId: string): Promise<LeftGroups> {
  const member = await sql<{ groupId: string }[]>`
    delete from group_members where user_id = ${userId} returning group_id`
  const owner = await sql<{ groupId: string }[]>`
    delete from group_owners where user_id = ${userId} returning group_id`
  const left = { member: member.map(({ groupId }) => groupId), owner: owner.map(({ groupId }) => groupId) }
  await recount(sql, [...left.member, ...left.owner])
  return left
}

/** Undoes `takeOut`, as far as the groups are still there. */
export async function putBack(sql: Sql, userId: string, { member, owner }: LeftGroups): Promise<void> {
  await sql`
    insert into group_members (group_id, user_id) select id, ${userId} from groups where id = any(${member})
    on conflict do nothing`
  await sql`
    insert into group_owners (group_id, user_id) select id, ${userId} from groups where id = any(${owner})
    on conflict do nothing`
  await recount(sql, [...member, ...owner])
}

async function recount(sql: Sql, ids: string[]) {
  await sql`
    update groups set updated_at = now(), version = version + 1,
      member_count = (select count(*) from group_members m where m.group_id = groups.id),
      owner_count = (select count(*) from group_owners o where o.group_id = groups.id)
    where id = any(${ids})`
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
    update groups set deleted_at = ${at}, updated_at = now(), version = version + 1
    where org_id = ${orgId} and deleted_at is null`
  return deleted.count
}

/** Undoes `deleteAllOfOrg`; groups that were deleted at another moment stay so. Returns how many are back. */
export async function restoreAllOfOrg(sql: Sql, orgId: string, at: string): Promise<number> {
  const restored = await sql`
    update groups set deleted_at = null, updated_at = now(), version = version + 1
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
  const added = await sql`
    insert into group_members (group_id, user_id, added_by) values (${groupId}, ${userId}, ${by})
    on conflict do nothing returning user_id`
  if (added.length > 0) await recount(sql, [groupId])
  return added.length > 0
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
