import { retentionDays } from '@passport/contract/groups'
import { maxCounted } from '@passport/contract/page'
import { allOf, type Fragment, type ListOrder, type ListRange, orderBy, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { toNameQuery, toWordQuery } from '../database/word-search.ts'
import { clockSlackSeconds } from '../http/clock-slack.ts'

/** A group with the membership of one user. */
export interface GroupRow {
  id: string
  name: string
  description: string
  orgId: string | null
  orgName: string | null
  isProvisioned: boolean
  memberCount: number
  ownerCount: number
  roles: string[]
  version: string
  createdAt: string
  updatedAt: string
  lastModified: string
  deletedAt: string | null
  /** Whether the caller is a member. */
  isMember: boolean
  /** Whether the caller is an owner. */
  isOwner: boolean
}

/** Finds a group, deleted or not. */
export async function find(sql: Sql, id: string, userId: string | null): Promise<GroupRow | undefined> {
  const [group] = await sql<GroupRow[]>`
    select s.*, p.is_member, p.is_owner
    from group_summaries s cross join lateral part_in_group(${userId}, s.id) p
    where s.id = ${id}`
  return group
}

/** Lists the groups with these ids that are not deleted, with their roles. */
export async function listWithRoles(
  sql: Sql,
  ids: string[],
): Promise<{ id: string; name: string; orgId: string | null; roles: string[] }[]> {
  return sql<{ id: string; name: string; orgId: string | null; roles: string[] }[]>`
    select id, name, org_id, roles from group_summaries where id = any(${ids}) and deleted_at is null`
}

/** Lists the groups of an organisation that have no role, by name. */
export async function listWithoutRoles(
  sql: Sql,
  orgId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from group_summaries where org_id = ${orgId} and deleted_at is null and roles = '{}'
    order by lower(name), id limit ${limit}`
}

/** Reads a group that this transaction has locked; throws if it is missing. */
export async function reload(sql: Sql, id: string, userId: string | null): Promise<GroupRow> {
  const group = await find(sql, id, userId)
  if (!group) throw new Error(`The locked group ${id} does not exist`)
  return group
}

/** Returns the memberships of users in a group; users who are neither member nor owner are omitted. */
export async function findMemberships(
  sql: Sql,
  id: string,
  userIds: string[],
): Promise<{ userId: string; isMember: boolean; isOwner: boolean }[]> {
  return sql<{ userId: string; isMember: boolean; isOwner: boolean }[]>`
    select user_id, bool_or(is_member) as is_member, bool_or(is_owner) as is_owner from parts_in_groups
    where group_id = ${id} and user_id = any(${userIds}) group by user_id`
}

/**
 * A row of a page with the number of rows of the whole list, exact up to `maxCounted` and estimated beyond. An empty page
 * is one row with the count alone.
 */
export type CountedRow<Row> = { count: number } & (Row | { id: null })
export type NamedRow = GroupRow & { sortName: string }

/** The SQL of a list of groups: its rows, which have an `id` and the key of the order, and their count. */
interface Source {
  /** A common table expression that `rows` and `count` refer to. */
  definition?: Fragment
  rows: Fragment
  columns: Fragment
  condition?: Fragment | undefined
  count: Fragment
  order: ListOrder
}

/** Selects a page of a list, with the summary of each group and the membership of a user in it. */
function selectPage(sql: Sql, source: Source, membership: Fragment, { after, offset, limit }: ListRange): Fragment {
  const { definition = sql``, rows, columns, condition, count, order } = source
  return sql`
    ${definition}
    select c.count, t.*, s.*, p.is_member, p.is_owner
    from (${count}) c
    left join lateral (
      select ${columns} from ${rows} ${pageWhere(sql, order, { after, offset, limit: limit + 1 }, condition)}
    ) t on true
    left join group_summaries s on s.id = t.id
    cross join lateral ${membership} p
    ${orderBy(sql, { ...order, key: `t.${order.key}`, id: 't.id' })}`
}
/** Selects the membership of a user in each group of a page. */
const selectMembership = (sql: Sql, userId: string) => sql`part_in_group(${userId}, t.id)`
/** Selects the membership from the rows of a source that has it. */
const selectKnownMembership = (sql: Sql) => sql`(select t.is_member, t.is_owner)`

/** The columns by which groups are sorted; an index has each of them, with the id. */
export const sortColumns = { name: 'sort_name', members: 'member_count', updated: 'updated_at' }
const listedColumns = (sql: Sql) => sql`id, sort_name, member_count, updated_at`

/** The range and the order of a page. */
export interface OrderedRange extends ListRange {
  order: ListOrder
}

/** Lists all groups. */
export async function list(sql: Sql, userId: string, range: OrderedRange): Promise<CountedRow<NamedRow>[]> {
  const count = sql`
    select count_or_estimate(count(*), ${maxCounted}, 'select from groups_listed', '{}') as count
    from (select from groups_listed order by sort_name, id limit ${maxCounted + 1}) n`
  const source = { rows: sql`groups_listed`, columns: listedColumns(sql), count, order: range.order }
  return sql<CountedRow<NamedRow>[]>`${selectPage(sql, source, selectMembership(sql, userId), range)}`
}

/** The filters of a list: word prefixes or an id, and an organisation. Null matches every group. */
export interface GroupSearch {
  words: string | null
  orgId: string | null
}

/** Lists the groups that match the words. */
export async function search(
  sql: Sql,
  userId: string,
  { words, orgId }: GroupSearch & { words: string },
  range: OrderedRange,
): Promise<CountedRow<NamedRow>[]> {
  const { beginning, others } = toNameQuery(words)
  const matching = sql`
    select group_id as id, sort_name collate "C" as sort_name from groups_by_words(${beginning}, ${others})
    where ${orgId}::text is null or group_id in (select id from groups_listed where org_id = ${orgId})
    union
    select id, sort_name from groups_listed where id = ${words} and (${orgId}::text is null or org_id = ${orgId})`
  // The word index has the names, so that only another order reads the groups.
  const definition =
    range.order.key === sortColumns.name
      ? sql`with found as materialized (${matching})`
      : sql`
        with found as materialized (
          select m.id, g.sort_name, g.member_count, g.updated_at from (${matching}) m
          cross join lateral (select * from groups_listed where id = m.id offset 0) g
        )`
  const count = sql`select count(*)::integer as count from found`
  const source = { definition, rows: sql`found`, columns: sql`*`, count, order: range.order }
  return sql<CountedRow<NamedRow>[]>`${selectPage(sql, source, selectMembership(sql, userId), range)}`
}

/** Lists the groups of an organisation. */
export async function listForOrg(
  sql: Sql,
  userId: string,
  orgId: string,
  range: OrderedRange,
): Promise<CountedRow<NamedRow>[]> {
  const condition = sql`org_id = ${orgId}`
  const count = sql`
    select count_or_estimate(count(*), ${maxCounted}, 'select from groups_listed where org_id = $1[1]', array[${orgId}]) as count
    from (select from groups_listed where ${condition} limit ${maxCounted + 1}) n`
  const source = { rows: sql`groups_listed`, columns: listedColumns(sql), condition, count, order: range.order }
  return sql<CountedRow<NamedRow>[]>`${selectPage(sql, source, selectMembership(sql, userId), range)}`
}

/** Lists the groups of which a user is a member or an owner. */
export async function listOwn(
  sql: Sql,
  userId: string,
  { words, orgId }: GroupSearch,
  range: OrderedRange,
): Promise<CountedRow<NamedRow>[]> {
  const hasWords =
    words === null ? undefined : sql`(g.id = ${words} or g.search_words @@ to_tsquery('simple', ${toWordQuery(words)}))`
  const definition = sql`
    with own as materialized (
      select g.id, g.sort_name, g.member_count, g.updated_at, bool_or(p.is_member) as is_member, bool_or(p.is_owner) as is_owner
      from parts_in_groups p join groups_listed g on g.id = p.group_id
      where ${allOf(sql, sql`p.user_id = ${userId}`, orgId === null ? undefined : sql`g.org_id = ${orgId}`, hasWords)}
      group by g.id, g.sort_name, g.member_count, g.updated_at
    )`
  const count = sql`select count(*)::integer as count from own`
  const source = { definition, rows: sql`own`, columns: sql`*`, count, order: range.order }
  return sql<CountedRow<NamedRow>[]>`${selectPage(sql, source, selectKnownMembership(sql), range)}`
}

interface SettledInstant {
  before: string
  /** Whether `since` is further in the future than the clock of a client may be ahead. */
  isAhead: boolean
  /** Whether `since` is before the retention period. */
  isTooLongAgo: boolean
}

/**
 * Returns the instant before which no further change can appear, and whether `since` is out of range. For a client whose
 * clock is ahead, the instant is before `since`, so that the next watermark skips no change. Must not run in a transaction.
 */
export async function readSettledInstant(sql: Sql, since: string | null): Promise<SettledInstant> {
  const [row] = await sql<[SettledInstant]>`
    select case when ${since}::timestamptz > now() then settled_before()
        else greatest(settled_before(), ${since}::timestamptz) end as before,
      coalesce(${since}::timestamptz > now() + make_interval(secs => ${clockSlackSeconds}), false) as is_ahead,
      coalesce(${since}::timestamptz < now() - make_interval(days => ${retentionDays}), false) as is_too_long_ago`
  return row
}

/** A changed group, or with `isGone` a tombstone, for which only the id, `changedAt` and `changedVersion` matter. */
export type ChangedRow = GroupRow & { changedAt: string; changedVersion: string; isGone: boolean }
type ChangeRange = ListRange & { since: string; before: string }

const byChange = { key: 'changed_at' }

/** Lists the changes of all groups in [`since`, `before`), oldest first. */
export async function listChanges(
  sql: Sql,
  userId: string,
  { since, before, ...range }: ChangeRange,
): Promise<CountedRow<ChangedRow>[]> {
  const condition = sql`changed_at >= ${since} and changed_at < ${before}`
  const count = sql`
    select count_or_estimate(count(*), ${maxCounted},
      'select from group_changes where changed_at >= $1[1]::timestamptz and changed_at < $1[2]::timestamptz',
      array[${since}::text, ${before}::text]) as count
    from (select from group_changes where ${condition} limit ${maxCounted + 1}) n`
  const source = { rows: sql`group_changes`, columns: sql`*`, condition, count, order: byChange }
  return sql<CountedRow<ChangedRow>[]>`${selectPage(sql, source, selectMembership(sql, userId), range)}`
}

/** Lists the changes that a user may see in [`since`, `before`), oldest first. Groups that they no longer see are gone. */
export async function listChangesFor(
  sql: Sql,
  userId: string,
  { since, before, ...range }: ChangeRange,
): Promise<CountedRow<ChangedRow>[]> {
  const definition = sql`
    with changed as materialized (
      select id, changed_at, changed_version, is_gone, bool_or(is_member) as is_member, bool_or(is_owner) as is_owner
      from group_changes_of_users
      where user_id = ${userId} and changed_at >= ${since} and changed_at < ${before}
      group by id, changed_at, changed_version, is_gone
    )`
  const count = sql`select count(*)::integer as count from changed`
  const source = { definition, rows: sql`changed`, columns: sql`*`, count, order: byChange }
  return sql<CountedRow<ChangedRow>[]>`${selectPage(sql, source, selectKnownMembership(sql), range)}`
}
