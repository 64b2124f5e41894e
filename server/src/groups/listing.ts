import { retentionDays } from '@passport/contract/groups'
import { maxCounted } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { toNameQuery, toWordQuery } from '../database/word-search.ts'
import type { Cursor } from '../http/paging.ts'

/** A group as one user sees it. */
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
  /** Of the requesting user. */
  isMember: boolean
  isOwner: boolean
}

/** Returns a group, deleted or not. */
export async function find(sql: Sql, id: string, userId: string | null): Promise<GroupRow | undefined> {
  const [group] = await sql<GroupRow[]>`
    select s.*, p.is_member, p.is_owner
    from group_summaries s cross join lateral part_in_group(${userId}, s.id) p
    where s.id = ${id}`
  return group
}

/** Reads a group this transaction has locked; throws if it is missing. */
export async function reload(sql: Sql, id: string, userId: string | null): Promise<GroupRow> {
  const group = await find(sql, id, userId)
  if (!group) throw new Error(`The locked group ${id} does not exist`)
  return group
}

/** Returns the parts of these people in a group; people who are neither member nor owner are left out. */
export async function findParts(
  sql: Sql,
  id: string,
  people: string[],
): Promise<{ userId: string; isMember: boolean; isOwner: boolean }[]> {
  return sql<{ userId: string; isMember: boolean; isOwner: boolean }[]>`
    select user_id, bool_or(is_member) as is_member, bool_or(is_owner) as is_owner from parts_in_groups
    where group_id = ${id} and user_id = any(${people}) group by user_id`
}

/** A range of a list: after a cursor, or from an offset. One row more than `limit` is read to detect another page. */
export interface PageRange {
  after: Cursor | undefined
  offset: number
  limit: number
}

/**
 * A row of a list with the row count of the list, exact up to `maxCounted` and estimated beyond; an empty range has
 * only the count.
 */
export type CountedRow<Row> = { count: number } & (Row | { id: null })
export type NamedRow = GroupRow & { sortName: string }

/** Lists all groups by name. */
export async function list(
  sql: Sql,
  userId: string,
  { after, offset, limit }: PageRange,
): Promise<CountedRow<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<CountedRow<NamedRow>[]>`
    select c.count, t.sort_name, s.*, p.is_member, p.is_owner
    from (
      select count_or_estimate(count(*), ${maxCounted}, 'select from groups_listed', '{}') as count
      from (select from groups_listed order by sort_name, id limit ${maxCounted + 1}) n
    ) c
    left join lateral (
      select id, sort_name from groups_listed where (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.sort_name, t.id`
}

/** Search criteria: word prefixes or an id, and an organisation. Null matches anything. */
export interface GroupSearch {
  words: string | null
  orgId: string | null
}

/** Lists the groups that match the words, by name. */
export async function search(
  sql: Sql,
  userId: string,
  { words, orgId }: GroupSearch & { words: string },
  { after, offset, limit }: PageRange,
): Promise<CountedRow<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  const { beginning, others } = toNameQuery(words)
  return sql<CountedRow<NamedRow>[]>`
    with found as materialized (
      select group_id as id, sort_name collate "C" as sort_name from groups_by_words(${beginning}, ${others})
      where ${orgId}::text is null or group_id in (select id from groups_listed where org_id = ${orgId})
      union
      select id, sort_name from groups_listed where id = ${words} and (${orgId}::text is null or org_id = ${orgId})
    )
    select c.count, t.sort_name, s.*, p.is_member, p.is_owner
    from (select count(*)::integer as count from found) c
    left join lateral (
      select id, sort_name from found where (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.sort_name, t.id`
}

/** Lists the groups of an organisation by name. */
export async function listForOrg(
  sql: Sql,
  userId: string,
  orgId: string,
  { after, offset, limit }: PageRange,
): Promise<CountedRow<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<CountedRow<NamedRow>[]>`
    select c.count, t.sort_name, s.*, p.is_member, p.is_owner
    from (
      select count_or_estimate(count(*), ${maxCounted}, 'select from groups_listed where org_id = $1[1]', array[${orgId}]) as count
      from (select from groups_listed where org_id = ${orgId} limit ${maxCounted + 1}) n
    ) c
    left join lateral (
      select id, sort_name from groups_listed where org_id = ${orgId} and (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral part_in_group(${userId}, t.id) p
    order by t.sort_name, t.id`
}

/** Lists the groups of which a user is a member or an owner, by name. */
export async function listOwn(
  sql: Sql,
  userId: string,
  { words, orgId }: GroupSearch,
  { after, offset, limit }: PageRange,
): Promise<CountedRow<NamedRow>[]> {
  const [name, id] = after ?? ['', '']
  return sql<CountedRow<NamedRow>[]>`
    with own as materialized (
      select g.id, g.sort_name, bool_or(p.is_member) as is_member, bool_or(p.is_owner) as is_owner
      from parts_in_groups p join groups_listed g on g.id = p.group_id
      where p.user_id = ${userId} and (${orgId}::text is null or g.org_id = ${orgId})
        and (${words}::text is null or g.id = ${words} or g.search_words @@ to_tsquery('simple', ${toWordQuery(words ?? '')}))
      group by g.id, g.sort_name
    )
    select c.count, t.sort_name, t.is_member, t.is_owner, s.*
    from (select count(*)::integer as count from own) c
    left join lateral (
      select * from own where (sort_name, id) > (${name}, ${id})
      order by sort_name, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    order by t.sort_name, t.id`
}

interface SettledInstant {
  before: string
  isAhead: boolean
  isTooLongAgo: boolean
}

/**
 * Returns the instant before which no change can appear any more, and how it relates to `since`. Must not run in a
 * transaction.
 */
export async function readSettledInstant(sql: Sql, since: string | null): Promise<SettledInstant> {
  const [row] = await sql<[SettledInstant]>`
    select greatest(settled_before(), ${since}::timestamptz) as before,
      coalesce(${since}::timestamptz > now() + interval '5 seconds', false) as is_ahead,
      coalesce(${since}::timestamptz < now() - make_interval(days => ${retentionDays}), false) as is_too_long_ago`
  return row
}

/** `isGone` marks a tombstone, with `changedVersion`. */
export type ChangedRow = GroupRow & { changedAt: string; changedVersion: string; isGone: boolean }
type ChangeRange = PageRange & { since: string; before: string }

/** Lists the changes of all groups in [`since`, `before`), oldest first. */
export async function listChanges(
  sql: Sql,
  userId: string,
  { since, before, after, offset, limit }: ChangeRange,
): Promise<CountedRow<ChangedRow>[]> {
  const [at, id] = after ?? [since, '']
  return sql<CountedRow<ChangedRow>[]>`
    select c.count, t.updated_at as changed_at, t.version as changed_version, t.is_gone, s.*,
      p.is_member, p.is_owner
    from (
      select count_or_estimate(count(*), ${maxCounted},
        'select from group_changes where updated_at >= $1[1]::timestamptz and updated_at < $1[2]::timestamptz',
        array[${since}::text, ${before}::text]) as count
      from (
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

/** Lists the changes that one user sees: groups no longer visible to them are gone. */
export async function listChangesFor(
  sql: Sql,
  userId: string,
  { since, before, after, offset, limit }: ChangeRange,
): Promise<CountedRow<ChangedRow>[]> {
  const [at, id] = after ?? [since, '']
  return sql<CountedRow<ChangedRow>[]>`
    with changed as materialized (
      select id, changed_at, changed_version, is_gone, bool_or(is_member) as is_member, bool_or(is_owner) as is_owner
      from group_changes_of_users
      where user_id = ${userId} and changed_at >= ${since} and changed_at < ${before}
      group by id, changed_at, changed_version, is_gone
    )
    select c.count, t.changed_at, t.changed_version, t.is_gone, t.is_member, t.is_owner, s.*
    from (select count(*)::integer as count from changed) c
    left join lateral (
      select * from changed where (changed_at, id) > (${at}::timestamptz, ${id})
      order by changed_at, id offset ${offset} limit ${limit + 1}
    ) t on true
    left join group_summaries s on s.id = t.id
    order by t.changed_at, t.id`
}
