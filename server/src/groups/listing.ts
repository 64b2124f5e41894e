import { keptDays } from '@passport/contract/groups'
import { maxCounted } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'
import type { Cursor } from '../http/paging.ts'

/** A group as it is told to a person. */
export interface GroupRow {
  id: string
  name: string
  description: string
  orgId: string | null
  orgName: string | null
  memberCount: number
  ownerCount: number
  roles: string[]
  version: string
  createdAt: string
  updatedAt: string
  lastModified: string
  deletedAt: string | null
  /** Of the person that asks. */
  isMember: boolean
  isOwner: boolean
}

/** A group, deleted or not. */
export async function find(sql: Sql, id: string, userId: string): Promise<GroupRow | undefined> {
  const [group] = await sql<GroupRow[]>`
    select s.*, p.is_member, p.is_owner
    from group_summaries s cross join lateral part_in_group(${userId}, s.id) p
    where s.id = ${id}`
  return group
}

/** A group that the transaction holds, so that it is there. */
export async function told(sql: Sql, id: string, userId: string): Promise<GroupRow> {
  const group = await find(sql, id, userId)
  if (!group) throw new Error(`The group ${id} was locked and is not there`)
  return group
}

/** What of some people is in a group; those who are nothing there are left out. */
export async function partsOf(
  sql: Sql,
  id: string,
  people: string[],
): Promise<{ userId: string; isMember: boolean; isOwner: boolean }[]> {
  return sql<{ userId: string; isMember: boolean; isOwner: boolean }[]>`
    select user_id, bool_or(is_member) as is_member, bool_or(is_owner) as is_owner from parts_in_groups
    where group_id = ${id} and user_id = any(${people}) group by user_id`
}

/** Part of a list: from after a cursor on, or from an offset. One more row than `limit` tells that there is more. */
export interface Part {
  after: Cursor | undefined
  offset: number
  limit: number
}

/** A row of a list, and how many rows the list has, counted up to one more than `maxCounted`; only that where the part is empty. */
export type Listed<Row> = { counted: number } & (Row | { id: null })
export type NamedRow = GroupRow & { sortName: string }

/** Every group, by name. */
export async function list(sql: Sql, userId: string, { after, offset, limit }: Part): Promise<Listed<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<Listed<NamedRow>[]>`
    select c.counted, t.sort_name, s.*, p.is_member, p.is_owner
    from (select count(*)::integer as counted from (select from groups_listed order by sort_name, id limit ${maxCounted + 1}) n) c
    left join lateral (
      select id, sort_name from groups_listed where (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.sort_name, t.id`
}

/** What to look for: words by their beginnings, or an id; and an organisation. Null is whatever it may be. */
export interface Sought {
  words: string | null
  orgId: string | null
}

/** The groups that have the words, by name. */
export async function search(
  sql: Sql,
  userId: string,
  { words, orgId }: Sought & { words: string },
  { after, offset, limit }: Part,
): Promise<Listed<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<Listed<NamedRow>[]>`
    select c.counted, t.sort_name, s.*, p.is_member, p.is_owner
    from (
      select count(*)::integer as counted from (
        select from groups_listed where (id = ${words} or search_words @@ to_tsquery('simple', ${wordQuery(words)}))
          and (${orgId}::text is null or org_id = ${orgId}) limit ${maxCounted + 1}) n
    ) c
    left join lateral (
      select id, sort_name from groups_listed where (id = ${words} or search_words @@ to_tsquery('simple', ${wordQuery(words)}))
        and (${orgId}::text is null or org_id = ${orgId}) and (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.sort_name, t.id`
}

/** The groups of an organisation, by name. */
export async function listOfOrg(
  sql: Sql,
  userId: string,
  orgId: string,
  { after, offset, limit }: Part,
): Promise<Listed<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<Listed<NamedRow>[]>`
    select c.counted, t.sort_name, s.*, p.is_member, p.is_owner
    from (
      select count(*)::integer as counted from (
        select from groups_listed where org_id = ${orgId} limit ${maxCounted + 1}) n
    ) c
    left join lateral (
      select id, sort_name from groups_listed where org_id = ${orgId} and (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.sort_name, t.id`
}

/** The groups of which a person is a member or an owner, by name. */
export async function listOwn(
  sql: Sql,
  userId: string,
  { words, orgId }: Sought,
  { after, offset, limit }: Part,
): Promise<Listed<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<Listed<NamedRow>[]>`
    with own as materialized (
      select g.id, g.sort_name, bool_or(p.is_member) as is_member, bool_or(p.is_owner) as is_owner
      from parts_in_groups p join groups_listed g on g.id = p.group_id
      where p.user_id = ${userId} and (${orgId}::text is null or g.org_id = ${orgId})
        and (${words}::text is null or g.id = ${words} or g.search_words @@ to_tsquery('simple', ${wordQuery(words ?? '')}))
      group by g.id, g.sort_name
    )
    select c.counted, t.sort_name, t.is_member, t.is_owner, s.*
    from (select count(*)::integer as counted from (select from own limit ${maxCounted + 1}) n) c
    left join lateral (
      select * from own where (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    order by t.sort_name, t.id`
}

interface Settled {
  before: string
  isAhead: boolean
  isTooLongAgo: boolean
}

/** Before when nothing more can change, and what that means for one who asks from `since` on. Not within a transaction. */
export async function settled(sql: Sql, since: string | null): Promise<Settled> {
  const [row] = await sql<[Settled]>`
    select greatest(settled_before(), ${since}::timestamptz) as before,
      coalesce(${since}::timestamptz > now() + interval '5 seconds', false) as is_ahead,
      coalesce(${since}::timestamptz < now() - make_interval(days => ${keptDays}), false) as is_too_long_ago`
  return row
}

/** `isGone` where only a tombstone is told, of `changedVersion`. */
export type ChangedRow = GroupRow & { changedAt: string; changedVersion: string; isGone: boolean }
type Span = Part & { since: string; before: string }

/** What changed among all groups from `since` on and before `before`, in the order of the changes. */
export async function changes(
  sql: Sql,
  userId: string,
  { since, before, after, offset, limit }: Span,
): Promise<Listed<ChangedRow>[]> {
  const [at, id] = after ?? [since, '']
  return sql<Listed<ChangedRow>[]>`
    select c.counted, t.updated_at as changed_at, t.version as changed_version, t.is_gone, s.*,
      p.is_member, p.is_owner
    from (
      select count(*)::integer as counted from (
        select from group_changes where updated_at >= ${since} and updated_at < ${before} limit ${maxCounted + 1}) n
    ) c
    left join lateral (
      select * from group_changes
      where (updated_at, id) > (${at}::timestamptz, ${id}) and updated_at >= ${since} and updated_at < ${before}
      order by updated_at, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.updated_at, t.id`
}

/** The same, of what one person sees: what they do not see any more is gone for them. */
export async function changesFor(
  sql: Sql,
  userId: string,
  { since, before, after, offset, limit }: Span,
): Promise<Listed<ChangedRow>[]> {
  const [at, id] = after ?? [since, '']
  return sql<Listed<ChangedRow>[]>`
    with changed as materialized (
      select id, changed_at, changed_version, is_gone, bool_or(is_member) as is_member, bool_or(is_owner) as is_owner
      from group_changes_of_users
      where user_id = ${userId} and changed_at >= ${since} and changed_at < ${before}
      group by id, changed_at, changed_version, is_gone
    )
    select c.counted, t.changed_at, t.changed_version, t.is_gone, t.is_member, t.is_owner, s.*
    from (select count(*)::integer as counted from (select from changed limit ${maxCounted + 1}) n) c
    left join lateral (
      select * from changed where (changed_at, id) > (${at}::timestamptz, ${id})
      order by changed_at, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    order by t.changed_at, t.id`
}
