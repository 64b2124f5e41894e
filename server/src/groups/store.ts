import type { Sql } from '../database/sql.ts'

/** What is given of each group where many are loaded, of each member and owner, and of each role that a group carries. */
export const load = {
  table: 'groups',
  columns: ['id', 'name', 'description', 'org_id', 'member_count', 'owner_count', 'created_at', 'updated_at'],
}
export const memberLoad = { table: 'group_members', columns: ['group_id', 'user_id', 'added_at'] }
export const ownerLoad = { table: 'group_owners', columns: ['group_id', 'user_id', 'added_at'] }
export const roleLoad = { table: 'group_roles', columns: ['group_id', 'role'] }

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

/** Removes for good, with all that is theirs, at most `limit` of those that were deleted more than so many days ago; returns their ids. */
export async function eraseDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const erased = await sql<{ id: string }[]>`
    delete from groups where id in (
      select id from groups where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning id`
  return erased.map(({ id }) => id)
}
