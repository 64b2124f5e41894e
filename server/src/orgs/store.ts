import { type OrgFields, type OrgRole, toOrgFields } from '@passport/contract/orgs'
import { maxCounted } from '@passport/contract/page'
import { restorableDays } from '@passport/contract/trash'
import { type ListOrder, type ListRange, orderBy, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { toNameQuery } from '../database/word-search.ts'
import type { FormerOrg, OrgOfUser } from '../users/user-access.ts'

/** A row of `org_rows`. */
export interface OrgRow extends OrgFields {
  id: string
  kind: 'standard' | 'entra'
  memberCount: number
  createdAt: string
  updatedAt: string
  deletedAt: string | null
  version: number
  sortName: string
}

/** Adds an organisation; returns undefined if the slug is taken. */
export async function add(
  sql: Sql,
  id: string,
  fields: OrgFields,
  kind: OrgRow['kind'] = 'standard',
): Promise<OrgRow | undefined> {
  const [added] = await sql<OrgRow[]>`
    insert into orgs ${sql({ id, kind, ...fields })}
    on conflict (lower(slug)) where deleted_at is null do nothing
    returning *, version::integer`
  return added
}

/** Finds an organisation that is not deleted. */
export async function find(sql: Sql, id: string): Promise<OrgRow | undefined> {
  const [org] = await sql<OrgRow[]>`
    select * from org_rows where id = ${id} and deleted_at is null`
  return org
}

/** Like `find`, with the role of a user in the organisation; null for non-members. */
export async function findWithRole(
  sql: Sql,
  id: string,
  userId: string,
): Promise<(OrgRow & { callerRole: OrgRole | null }) | undefined> {
  const [org] = await sql<(OrgRow & { callerRole: OrgRole | null })[]>`
    select o.*, (select m.role from org_members m where m.org_id = o.id and m.user_id = ${userId}) as caller_role
    from org_rows o where o.id = ${id} and o.deleted_at is null`
  return org
}

/** Like `find`, and locks the organisation with its members until the transaction ends. */
export async function lock(sql: Sql, id: string): Promise<OrgRow | undefined> {
  const [org] = await sql<OrgRow[]>`
    select * from org_rows where id = ${id} and deleted_at is null for no key update`
  return org
}

/** Finds a deleted organisation that can still be restored, and locks it until the transaction ends. */
export async function lockDeleted(sql: Sql, id: string): Promise<OrgRow | undefined> {
  const [org] = await sql<OrgRow[]>`
    select * from org_rows where id = ${id} and deleted_at > now() - make_interval(days => ${restorableDays}) for no key update`
  return org
}

/** Replaces the editable fields. Throws a unique violation if the slug is taken. */
export async function replace(sql: Sql, id: string, fields: OrgFields): Promise<void> {
  await sql`
    update orgs set ${sql(toOrgFields(fields))}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Soft-deletes an organisation and returns the time of deletion. */
export async function remove(sql: Sql, id: string): Promise<string> {
  const [removed] = await sql<{ deletedAt: string }[]>`
    update orgs set deleted_at = now(), updated_at = now(), version = version + 1 where id = ${id} returning deleted_at`
  return removed?.deletedAt ?? ''
}

/** Undoes `remove`, with a slug. Throws a unique violation if the slug is taken. */
export async function restore(sql: Sql, id: string, slug: string): Promise<void> {
  await sql`
    update orgs set deleted_at = null, slug = ${slug}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Marks an organisation as one with a tenant of Microsoft Entra. */
export async function setKindEntra(sql: Sql, id: string): Promise<void> {
  await sql`update orgs set kind = 'entra' where id = ${id}`
}

/** Increments the version after a change of a related record. */
export async function touch(sql: Sql, id: string): Promise<void> {
  await sql`update orgs set updated_at = now(), version = version + 1 where id = ${id}`
}

interface OrgListOptions extends ListRange {
  /** From `toWordQuery`; null for all. */
  words: string | null
}

export type OrgSort = 'name' | '-name' | 'created' | '-created' | 'members' | '-members'

/** The column of each order; an index has each of them, with the id. */
const sortColumns = { name: 'sort_name', created: 'created_at', members: 'member_count' }

function toListOrder(sorting: OrgSort): ListOrder {
  const column = sorting.replace('-', '') as keyof typeof sortColumns
  return { key: sortColumns[column], isDescending: sorting.startsWith('-') }
}

/**
 * Lists organisations that are not deleted; `limit` is one more than the page size, to detect another page. Reads the
 * index of the order, and looks up only the organisations of the page.
 */
export async function list(sql: Sql, sorting: OrgSort, { words, ...range }: OrgListOptions): Promise<OrgRow[]> {
  const order = toListOrder(sorting)
  const matchesWords =
    words === null
      ? undefined
      : sql`id in (select id from orgs where search_words @@ to_tsquery('simple', ${words}) offset 0)`
  return sql<OrgRow[]>`
    select o.* from (select id from orgs ${pageWhere(sql, order, range, sql`deleted_at is null`, matchesWords)}) found
    join org_rows o on o.id = found.id
    ${orderBy(sql, { ...order, key: `o.${order.key}`, id: 'o.id' })}`
}

/** Counts organisations, exactly up to `maxCounted` and estimated beyond. */
export async function countMatches(sql: Sql, words: string | null): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count_or_estimate(count(*), ${maxCounted},
      'select from orgs
       where deleted_at is null and ($1[1] is null or search_words @@ to_tsquery(''simple'', $1[1]))', array[${words}::text]) as found
    from (
      select from orgs
      where deleted_at is null and (${words}::text is null or search_words @@ to_tsquery('simple', ${words}))
      limit ${maxCounted + 1}
    ) as matches`
  return row?.found ?? 0
}

export interface MemberRow {
  id: string
  name: string
  username: string | null
  pictureHash: string | null
  role: OrgRole
  /** 0 for an owner, 1 for an admin, 2 for a member. */
  rank: number
  since: string
}

/** Lists the members of an organisation, optionally of one role: owners, admins, members, each oldest first. */
export async function listMembers(
  sql: Sql,
  orgId: string,
  { words, role, after: [key, id] = ['-1 -infinity', ''], offset, limit }: OrgListOptions & { role: OrgRole | null },
): Promise<MemberRow[]> {
  const [rank = '', since = ''] = key.split(' ')
  const { beginning, others } = toNameQuery(words ?? '')
  return sql<MemberRow[]>`
    select p.id, p.name, p.username, p.picture_hash, p.role, p.rank, p.since
    from (
      -- From the index alone, which has the rank of a role and not the role.
      select user_id from org_members
      where org_id = ${orgId} and (rank, added_at, user_id) > (${rank}::text::smallint, ${since}, ${id})
        and (${role}::text is null or rank = case ${role} when 'owner' then 0 when 'admin' then 1 else 2 end)
        and (${words}::text is null or user_id in (select user_id from users_by_words(${beginning}, ${others}) offset 0))
      order by rank, added_at, user_id offset ${offset} limit ${limit}
    ) found
    join org_people p on p.org_id = ${orgId} and p.id = found.user_id
    order by p.rank, p.since, p.id`
}

/** Counts the results of `listMembers`, exactly up to `maxCounted` and estimated beyond. */
export async function countMembers(
  sql: Sql,
  orgId: string,
  { words, role }: { words: string | null; role: OrgRole | null },
): Promise<number> {
  const { beginning, others } = toNameQuery(words ?? '')
  const [row] = await sql<{ found: number }[]>`
    select count_or_estimate(count(*), ${maxCounted},
      'select from org_members where org_id = $1[1] and ($1[2] is null or role = $1[2])', array[${orgId}, ${role}::text]) as found
    from (
      select from org_members
      where org_id = ${orgId} and (${role}::text is null or role = ${role})
        and (${words}::text is null or user_id in (select user_id from users_by_words(${beginning}, ${others}) offset 0))
      limit ${maxCounted + 1}
    ) as matches`
  return row?.found ?? 0
}

export async function findMember(sql: Sql, orgId: string, userId: string): Promise<MemberRow | undefined> {
  const [member] = await sql<MemberRow[]>`
    select id, name, username, picture_hash, role, rank, since from org_people where org_id = ${orgId} and id = ${userId}`
  return member
}

/** Returns the roles of users in an organisation; users who are not members are omitted. */
export async function listMemberRoles(
  sql: Sql,
  orgId: string,
  ids: string[],
): Promise<{ id: string; role: OrgRole }[]> {
  return sql<{ id: string; role: OrgRole }[]>`
    select user_id as id, role from org_members where org_id = ${orgId} and user_id = any(${ids})`
}

/** A user who owns an organisation. */
export interface Ownership {
  userId: string
  orgId: string
  /** Whether the user is enabled, and the organisation is not in the trash. */
  isActive: boolean
  isInTrash: boolean
}

/** Lists the organisations that users own; deleted users own none. */
export async function listOwnerships(sql: Sql, userIds: string[]): Promise<Ownership[]> {
  return sql<Ownership[]>`
    select user_id, org_id, is_active, is_in_trash from org_ownerships where user_id = any(${userIds})`
}

/** Lists the ids of the owners of an organisation, deleted or not. */
export async function listOwnerIds(sql: Sql, orgId: string): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select user_id from org_members where org_id = ${orgId} and rank = 0 order by user_id`
  return rows.map(({ userId }) => userId)
}

export async function countOwners(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ owners: number }[]>`
    select count(*)::integer as owners from org_members where org_id = ${orgId} and rank = 0`
  return row?.owners ?? 0
}

interface NewMembership {
  role: OrgRole
  addedBy: string | null
  /** Whether the user or an administrator agreed to the membership, which is the default. */
  isAccepted?: boolean
}

/** Adds users to a locked organisation; returns those who were not members before. */
export async function addMembers(
  sql: Sql,
  orgId: string,
  ids: string[],
  { role, addedBy, isAccepted = true }: NewMembership,
): Promise<string[]> {
  const added = await sql<{ userId: string }[]>`
    insert into org_members (org_id, user_id, role, added_by, is_accepted)
    select ${orgId}, id, ${role}, ${addedBy}, ${isAccepted} from unnest(${ids}::text[]) as id
    on conflict do nothing returning user_id`
  if (added.length > 0) await adjustMemberCount(sql, orgId, added.length)
  return added.map(({ userId }) => userId)
}

/** Removes existing members of a locked organisation. */
export async function removeMembers(sql: Sql, orgId: string, ids: string[]): Promise<void> {
  await sql`delete from org_members where org_id = ${orgId} and user_id = any(${ids})`
  await adjustMemberCount(sql, orgId, -ids.length)
}

/** Records that the users, or an administrator, agreed to memberships; returns those who had not agreed before. */
export async function acceptMemberships(sql: Sql, orgId: string, ids: string[]): Promise<string[]> {
  const accepted = await sql<{ userId: string }[]>`
    update org_members set is_accepted = true
    where org_id = ${orgId} and user_id = any(${ids}) and not is_accepted returning user_id`
  return accepted.map(({ userId }) => userId)
}

export async function setRole(sql: Sql, orgId: string, userId: string, role: OrgRole): Promise<void> {
  await sql`update org_members set role = ${role} where org_id = ${orgId} and user_id = ${userId}`
  await touch(sql, orgId)
}

async function adjustMemberCount(sql: Sql, id: string, difference: number) {
  await sql`
    update orgs set member_count = member_count + ${difference}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** The tables and columns for bulk loads of organisations and members. */
export const copyTarget = { table: 'orgs', columns: ['id', 'name', 'slug', 'member_count', 'created_at', 'updated_at'] }
export const memberCopyTarget = { table: 'org_members', columns: ['org_id', 'user_id', 'role', 'added_at'] }

/** Lists the organisations of a user by name. */
export async function listForUser(sql: Sql, userId: string): Promise<OrgOfUser[]> {
  const [row] = await sql<{ orgs: OrgOfUser[] }[]>`select orgs from orgs_of_users where user_id = ${userId}`
  return row?.orgs ?? []
}

/** Removes a user from every organisation; returns the memberships for `restoreToOrgs`. */
export async function removeFromOrgs(sql: Sql, userId: string): Promise<FormerOrg[]> {
  await sql`
    select from orgs where id in (select org_id from org_members where user_id = ${userId})
    order by id for no key update`
  const former = await sql<FormerOrg[]>`
    delete from org_members where user_id = ${userId} returning org_id, role, added_at, added_by, is_accepted`
  await recount(
    sql,
    former.map(({ orgId }) => orgId),
  )
  return [...former]
}

/** Undoes `removeFromOrgs` for the organisations that still exist. A user who is a member again has the higher role. */
export async function restoreToOrgs(sql: Sql, userId: string, former: FormerOrg[]): Promise<void> {
  await sql`select from orgs where id = any(${former.map(({ orgId }) => orgId)}) order by id for no key update`
  await sql`
    insert into org_members (org_id, user_id, role, added_at, added_by, is_accepted)
    select o.id, ${userId}, l."role", l."addedAt", l."addedBy", coalesce(l."isAccepted", true)
    from jsonb_to_recordset(${sql.json(former as never)})
      as l ("orgId" text, "role" text, "addedAt" timestamptz, "addedBy" text, "isAccepted" boolean)
    join orgs o on o.id = l."orgId"
    on conflict (org_id, user_id) do update set
      role = case when excluded.role = 'owner' or org_members.role = 'member' then excluded.role else org_members.role end,
      is_accepted = org_members.is_accepted or excluded.is_accepted`
  await recount(
    sql,
    former.map(({ orgId }) => orgId),
  )
}

/** Recounts the members of organisations, which must be locked, and increments their versions. */
async function recount(sql: Sql, ids: string[]) {
  await sql`
    update orgs set updated_at = now(), version = version + 1,
      member_count = (select count(*) from org_members m where m.org_id = orgs.id)
    where id = any(${ids})`
}

/** Reports whether the organisation exists; locks it against deletion until the transaction ends. */
export async function lockExisting(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select id from orgs where id = ${id} and deleted_at is null for share`
  return rows.length > 0
}

/** Returns the names of organisations, by name. */
export async function listNames(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from orgs where id = any(${ids}) and deleted_at is null order by name, id`
}

/** Returns the slugs of organisations by id. */
export async function listSlugs(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; slug: string }[]>`select id, slug from orgs where id = any(${[...new Set(ids)]})`
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}

/** Returns the name of an organisation; undefined if it does not exist. */
export const findName = async (sql: Sql, id: string): Promise<{ id: string; name: string } | undefined> =>
  (await listNames(sql, [id]))[0]

/** Purges at most `limit` organisations that were deleted more than `olderThanDays` days ago; returns their ids. */
export async function purgeDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const expired = await sql<{ id: string }[]>`
    select id from orgs where deleted_at < now() - make_interval(days => ${olderThanDays})
    order by deleted_at limit ${limit} for update skip locked`
  const ids = expired.map(({ id }) => id)
  // Deleted first: a trigger computes the new versions of the members from the organisations.
  await sql`delete from org_members where org_id = any(${ids})`
  await sql`delete from orgs where id = any(${ids})`
  return ids
}
