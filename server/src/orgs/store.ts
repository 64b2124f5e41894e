import type { Sql } from '../database/sql.ts'

/** What is given of each organisation where many are loaded, and of each member. */
export const load = { table: 'orgs', columns: ['id', 'name', 'slug', 'member_count', 'created_at', 'updated_at'] }
export const memberLoad = { table: 'org_members', columns: ['org_id', 'user_id', 'role', 'added_at'] }

/** An organisation that a person belongs to, and as what. */
export interface OrgOfUser {
  id: string
  name: string
  role: 'owner' | 'admin' | 'member'
}

/** The organisations of a person, by name. */
export async function listOf(sql: Sql, userId: string): Promise<OrgOfUser[]> {
  const [row] = await sql<{ orgs: OrgOfUser[] }[]>`select orgs from orgs_of_users where user_id = ${userId}`
  return row?.orgs ?? []
}

/** An organisation that a person was taken out of, and what they were there. */
export interface LeftOrg {
  orgId: string
  role: string
}

/** Takes a person out of every organisation; returns what `putBack` needs to undo it. */
export async function takeOut(sql: Sql, userId: string): Promise<LeftOrg[]> {
  const left = await sql<LeftOrg[]>`
    delete from org_members where user_id = ${userId} returning org_id, role`
  await recount(
    sql,
    left.map(({ orgId }) => orgId),
  )
  return [...left]
}

/** Undoes `takeOut`, as far as the organisations are still there. */
export async function putBack(sql: Sql, userId: string, left: LeftOrg[]): Promise<void> {
  await sql`
    insert into org_members (org_id, user_id, role)
    select o.id, ${userId}, l.role from jsonb_to_recordset(${sql.json(left.map(({ orgId, role }) => ({ id: orgId, role })))}) as l (id text, role text)
    join orgs o on o.id = l.id
    on conflict do nothing`
  await recount(
    sql,
    left.map(({ orgId }) => orgId),
  )
}

async function recount(sql: Sql, ids: string[]) {
  await sql`
    update orgs set updated_at = now(), version = version + 1,
      member_count = (select count(*) from org_members m where m.org_id = orgs.id)
    where id = any(${ids})`
}

/** Removes for good, with all that is theirs, at most `limit` of those that were deleted more than so many days ago; returns their ids. */
export async function eraseDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const erased = await sql<{ id: string }[]>`
    delete from orgs where id in (
      select id from orgs where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning id`
  return erased.map(({ id }) => id)
}
