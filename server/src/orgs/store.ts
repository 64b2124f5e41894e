import { restorableDays } from '@passport/contract/bin'
import type { OrgRole } from '@passport/contract/orgs'
import { maxCounted } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'

/** A row of `org_rows`. */
export interface OrgRow {
  id: string
  name: string
  slug: string
  kind: 'standard' | 'entra'
  memberCount: number
  createdAt: string
  updatedAt: string
  deletedAt: string | null
  version: number
  sortName: string
}

/** Adds an organisation; undefined where the slug is taken. */
export async function add(sql: Sql, org: { id: string; name: string; slug: string }): Promise<OrgRow | undefined> {
  const [added] = await sql<OrgRow[]>`
    insert into orgs (id, name, slug) values (${org.id}, ${org.name}, ${org.slug})
    on conflict (lower(slug)) where deleted_at is null do nothing
    returning id, name, slug, kind, member_count, created_at, updated_at, deleted_at, version::integer, sort_name`
  return added
}

/** An organisation that is not deleted. */
export async function find(sql: Sql, id: string): Promise<OrgRow | undefined> {
  const [found] = await sql<OrgRow[]>`
    select * from org_rows where id = ${id} and deleted_at is null`
  return found
}

/** Like `find`, with what somebody is there: null for nothing. */
export async function findFor(
  sql: Sql,
  id: string,
  userId: string,
): Promise<(OrgRow & { callerRole: OrgRole | null }) | undefined> {
  const [found] = await sql<(OrgRow & { callerRole: OrgRole | null })[]>`
    select o.*, (select m.role from org_members m where m.org_id = o.id and m.user_id = ${userId}) as caller_role
    from org_rows o where o.id = ${id} and o.deleted_at is null`
  return found
}

/** Like `find`, and nothing else changes it or its people until the transaction ends. */
export async function lock(sql: Sql, id: string): Promise<OrgRow | undefined> {
  const [found] = await sql<OrgRow[]>`
    select * from org_rows where id = ${id} and deleted_at is null for no key update`
  return found
}

/** A deleted organisation that can still be brought back, locked. */
export async function lockDeleted(sql: Sql, id: string): Promise<OrgRow | undefined> {
  const [found] = await sql<OrgRow[]>`
    select * from org_rows where id = ${id} and deleted_at > now() - make_interval(days => ${restorableDays}) for no key update`
  return found
}

/** Throws a violation of uniqueness where the slug is taken. */
export async function rename(sql: Sql, id: string, { name, slug }: { name: string; slug: string }): Promise<void> {
  await sql`
    update orgs set name = ${name}, slug = ${slug}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Deletes an organisation softly and returns when that was. */
export async function remove(sql: Sql, id: string): Promise<string> {
  const [removed] = await sql<{ deletedAt: string }[]>`
    update orgs set deleted_at = now(), updated_at = now(), version = version + 1 where id = ${id} returning deleted_at`
  return removed?.deletedAt ?? ''
}

/** Throws a violation of uniqueness where the slug is taken. */
export async function restore(sql: Sql, id: string, slug: string): Promise<void> {
  await sql`
    update orgs set deleted_at = null, slug = ${slug}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Something of the organisation that has a table of its own was changed. */
export async function touch(sql: Sql, id: string): Promise<void> {
  await sql`update orgs set updated_at = now(), version = version + 1 where id = ${id}`
}

interface Asked {
  /** As `wordQuery` makes it; null for all. */
  words: string | null
  after: Cursor | undefined
  offset: number
  /** One more than are shown, to know whether there are more. */
  limit: number
}

export type Sorting = 'name' | '-name' | 'created' | '-created' | 'members' | '-members'

/** How each order is read: each by its index, from a place on. */
const pages: Record<Sorting, (sql: Sql, asked: Asked) => Promise<OrgRow[]>> = {
  name: (sql, { words, after: [key, id] = ['', ''], offset, limit }) => sql<OrgRow[]>`
    select * from org_rows where deleted_at is null and (sort_name, id) > (${key}, ${id})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by sort_name, id offset ${offset} limit ${limit}`,
  '-name': (sql, { words, after: [key, id] = ['\u{10ffff}', ''], offset, limit }) => sql<OrgRow[]>`
    select * from org_rows where deleted_at is null and (sort_name, id) < (${key}, ${id})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by sort_name desc, id desc offset ${offset} limit ${limit}`,
  created: (sql, { words, after: [key, id] = ['-infinity', ''], offset, limit }) => sql<OrgRow[]>`
    select * from org_rows where deleted_at is null and (created_at, id) > (${key}, ${id})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by created_at, id offset ${offset} limit ${limit}`,
  '-created': (sql, { words, after: [key, id] = ['infinity', ''], offset, limit }) => sql<OrgRow[]>`
    select * from org_rows where deleted_at is null and (created_at, id) < (${key}, ${id})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by created_at desc, id desc offset ${offset} limit ${limit}`,
  members: (sql, { words, after: [key, id] = ['-1', ''], offset, limit }) => sql<OrgRow[]>`
    select * from org_rows where deleted_at is null and (member_count, id) > (${key}::text::integer, ${id})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by member_count, id offset ${offset} limit ${limit}`,
  '-members': (sql, { words, after: [key, id] = ['2147483647', ''], offset, limit }) => sql<OrgRow[]>`
    select * from org_rows where deleted_at is null and (member_count, id) < (${key}::text::integer, ${id})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by member_count desc, id desc offset ${offset} limit ${limit}`,
}

/** Organisations that are not deleted. */
export const list = (sql: Sql, sorting: Sorting, asked: Asked): Promise<OrgRow[]> => pages[sorting](sql, asked)

/** How many there are, counted up to one more than `maxCounted`. */
export async function countFound(sql: Sql, words: string | null): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (
      select from orgs
      where deleted_at is null and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
      limit ${maxCounted + 1}
    ) as matches`
  return row?.found ?? 0
}

export interface PersonRow {
  id: string
  name: string
  username: string | null
  role: OrgRole
  rank: number
  since: string
}

/** The people of an organisation, or those of one role: owners, admins, members, each from the first on. */
export async function listPeople(
  sql: Sql,
  orgId: string,
  { words, role, after: [key, id] = ['-1 -infinity', ''], offset, limit }: Asked & { role: OrgRole | null },
): Promise<PersonRow[]> {
  const [rank = '', since = ''] = key.split(' ')
  return sql<PersonRow[]>`
    select id, name, username, role, rank, since from org_people
    where org_id = ${orgId} and (rank, since, id) > (${rank}::text::smallint, ${since}, ${id})
      and (${role}::text is null or role = ${role})
      and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
    order by rank, since, id offset ${offset} limit ${limit}`
}

/** How many `listPeople` finds, counted up to one more than `maxCounted`. */
export async function countPeople(
  sql: Sql,
  orgId: string,
  { words, role }: { words: string | null; role: OrgRole | null },
): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (
      select from org_people
      where org_id = ${orgId} and (${role}::text is null or role = ${role})
        and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
      limit ${maxCounted + 1}
    ) as matches`
  return row?.found ?? 0
}

export async function findPerson(sql: Sql, orgId: string, userId: string): Promise<PersonRow | undefined> {
  const [found] = await sql<PersonRow[]>`
    select id, name, username, role, rank, since from org_people where org_id = ${orgId} and id = ${userId}`
  return found
}

/** Of the people, those who are of the organisation, and as what. */
export async function rolesIn(sql: Sql, orgId: string, ids: string[]): Promise<{ id: string; role: OrgRole }[]> {
  return sql<{ id: string; role: OrgRole }[]>`
    select user_id as id, role from org_members where org_id = ${orgId} and user_id = any(${ids})`
}

export async function countOwners(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ owners: number }[]>`
    select count(*)::integer as owners from org_members where org_id = ${orgId} and rank = 0`
  return row?.owners ?? 0
}

/** Adds people to an organisation that is locked; returns those who were not in before. */
export async function addMembers(
  sql: Sql,
  orgId: string,
  ids: string[],
  { role, by }: { role: OrgRole; by: string },
): Promise<string[]> {
  const added = await sql<{ userId: string }[]>`
    insert into org_members (org_id, user_id, role, added_by)
    select ${orgId}, id, ${role}, ${by} from unnest(${ids}::text[]) as id
    on conflict do nothing returning user_id`
  if (added.length > 0) await countChange(sql, orgId, added.length)
  return added.map(({ userId }) => userId)
}

/** Removes people who are in; the organisation is locked. */
export async function removeMembers(sql: Sql, orgId: string, ids: string[]): Promise<void> {
  await sql`delete from org_members where org_id = ${orgId} and user_id = any(${ids})`
  await countChange(sql, orgId, -ids.length)
}

export async function setRole(sql: Sql, orgId: string, userId: string, role: OrgRole): Promise<void> {
  await sql`update org_members set role = ${role} where org_id = ${orgId} and user_id = ${userId}`
  await touch(sql, orgId)
}

async function countChange(sql: Sql, id: string, by: number) {
  await sql`
    update orgs set member_count = member_count + ${by}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** What is given of each organisation where many are loaded, and of each member. */
export const load = { table: 'orgs', columns: ['id', 'name', 'slug', 'member_count', 'created_at', 'updated_at'] }
export const memberLoad = { table: 'org_members', columns: ['org_id', 'user_id', 'role', 'added_at'] }

/** An organisation that a person belongs to, and as what. */
export interface OrgOfUser {
  id: string
  name: string
  role: OrgRole
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
  addedAt: string
  addedBy: string | null
}

/** Takes a person out of every organisation; returns what `putBack` needs to undo it. */
export async function takeOut(sql: Sql, userId: string): Promise<LeftOrg[]> {
  await sql`
    select from orgs where id in (select org_id from org_members where user_id = ${userId})
    order by id for no key update`
  const left = await sql<LeftOrg[]>`
    delete from org_members where user_id = ${userId} returning org_id, role, added_at, added_by`
  await recount(
    sql,
    left.map(({ orgId }) => orgId),
  )
  return [...left]
}

/** Undoes `takeOut`, as far as the organisations are still there; who is in by now is the more of the two. */
export async function putBack(sql: Sql, userId: string, left: LeftOrg[]): Promise<void> {
  await sql`select from orgs where id = any(${left.map(({ orgId }) => orgId)}) order by id for no key update`
  await sql`
    insert into org_members (org_id, user_id, role, added_at, added_by)
    select o.id, ${userId}, l."role", l."addedAt", l."addedBy"
    from jsonb_to_recordset(${sql.json(left as never)})
      as l ("orgId" text, "role" text, "addedAt" timestamptz, "addedBy" text)
    join orgs o on o.id = l."orgId"
    on conflict (org_id, user_id) do update set role = excluded.role
    where excluded.role = 'owner' or org_members.role = 'member'`
  await recount(
    sql,
    left.map(({ orgId }) => orgId),
  )
}

/** Of organisations that are locked: what others have just written would not be counted. */
async function recount(sql: Sql, ids: string[]) {
  await sql`
    update orgs set updated_at = now(), version = version + 1,
      member_count = (select count(*) from org_members m where m.org_id = orgs.id)
    where id = any(${ids})`
}

/** Whether the organisation is there; it is not deleted until the transaction ends. */
export async function hold(sql: Sql, id: string): Promise<boolean> {
  const found = await sql`select id from orgs where id = ${id} and deleted_at is null for share`
  return found.length > 0
}

/** What organisations are called, by name. */
export async function namesOf(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from orgs where id = any(${ids}) and deleted_at is null order by name, id`
}

/** What an organisation is called; undefined where there is none. */
export const nameOf = async (sql: Sql, id: string): Promise<{ id: string; name: string } | undefined> =>
  (await namesOf(sql, [id]))[0]

/** Removes for good, with all that is theirs, at most `limit` of those that were deleted more than so many days ago; returns their ids. */
export async function eraseDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const doomed = await sql<{ id: string }[]>`
    select id from orgs where deleted_at < now() - make_interval(days => ${olderThanDays})
    order by deleted_at limit ${limit} for update skip locked`
  const ids = doomed.map(({ id }) => id)
  // First, while the organisations are there: the versions of their people count these in.
  await sql`delete from org_members where org_id = any(${ids})`
  await sql`delete from orgs where id = any(${ids})`
  return ids
}
