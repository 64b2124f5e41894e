import { allOf, type Fragment, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Filter } from './filter.ts'
import { compareExact, compareText, unsupported } from './filter-store.ts'
import { groupType } from './schema.ts'

/** A group that SCIM clients manage; `members` are those that clients added, unless they were not asked for. */
export interface GroupRow {
  id: string
  externalId: string | null
  name: string
  /** The name as the client sent it, unless an administrator has renamed the group. */
  displayName: string
  createdAt: string
  updatedAt: string
  version: string
  deletedAt: string | null
  members?: string[]
}

/** Lists groups by their ids, deleted ones too, with their members if asked for. */
export async function listByIds(
  sql: Sql,
  orgId: string,
  ids: string[],
  { withMembers }: { withMembers: boolean },
): Promise<GroupRow[]> {
  return sql<GroupRow[]>`
    select id, external_id, name, display_name, created_at, updated_at, version, deleted_at ${withMembers ? sql`, members` : sql``}
    from scim_group_rows where org_id = ${orgId} and id = any(${ids})`
}

/** Finds the group with an external id, the last one first deleted or not. */
export async function findByExternalId(
  sql: Sql,
  orgId: string,
  externalId: string,
): Promise<{ id: string; name: string; deletedAt: string | null } | undefined> {
  const [found] = await sql<{ id: string; name: string; deletedAt: string | null }[]>`
    select id, name, deleted_at from scim_group_rows where org_id = ${orgId} and external_id = ${externalId}
    order by deleted_at desc nulls first limit 1`
  return found
}

export interface SavedGroup {
  externalId: string | null
  /** The name as the client sent it. */
  displayName: string
  /** The name that the group got for it. */
  name: string
}

/** Records that clients manage a group, or changes its external id and its name as sent. */
export async function save(sql: Sql, orgId: string, groupId: string, group: SavedGroup): Promise<void> {
  const { externalId, displayName, name } = group
  const isShortened = displayName !== name
  await sql`
    insert into scim_groups (group_id, org_id, external_id, display_name, shortened_name)
    values (${groupId}, ${orgId}, ${externalId}, ${isShortened ? displayName : null}, ${isShortened ? name : null})
    on conflict (group_id) do update set
      external_id = excluded.external_id, display_name = excluded.display_name, shortened_name = excluded.shortened_name`
}

/** Reports whether SCIM clients manage a group. */
export async function isManaged(sql: Sql, groupId: string): Promise<boolean> {
  const found = await sql`select from scim_groups where group_id = ${groupId}`
  return found.length > 0
}

/** Returns those of the groups that SCIM clients manage. */
export async function filterManaged(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = await sql<{ groupId: string }[]>`select group_id from scim_groups where group_id = any(${ids})`
  return new Set(rows.map(({ groupId }) => groupId))
}

/** Returns the ids of the members that SCIM clients added to a group. */
export async function listMemberIds(sql: Sql, groupId: string): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select user_id from scim_group_members where group_id = ${groupId}`
  return rows.map(({ userId }) => userId)
}

/** Records members that a client added; `manual` are those who were members before. */
export async function addMembers(sql: Sql, groupId: string, userIds: string[], manual: string[]): Promise<void> {
  await sql`
    insert into scim_group_members (group_id, user_id, was_member)
    select ${groupId}, id, id = any(${manual}) from unnest(${userIds}::text[]) id
    on conflict do nothing`
}

/** Removes the records of members; returns those who are no members otherwise. */
export async function removeMembers(sql: Sql, groupId: string, userIds: string[]): Promise<string[]> {
  const removed = await sql<{ userId: string; wasMember: boolean }[]>`
    delete from scim_group_members where group_id = ${groupId} and user_id = any(${userIds})
    returning user_id, was_member`
  return removed.flatMap(({ userId, wasMember }) => (wasMember ? [] : userId))
}

/** Lists the groups of an organisation of which a client made a user a member, with the external ids. */
export async function listGroupsOf(
  sql: Sql,
  orgId: string,
  userId: string,
): Promise<{ id: string; externalId: string | null }[]> {
  return sql<{ id: string; externalId: string | null }[]>`
    select s.group_id as id, s.external_id from scim_group_members m join scim_groups s on s.group_id = m.group_id
    where m.user_id = ${userId} and s.org_id = ${orgId} order by s.group_id`
}

/** The columns by which clients sort groups. */
export const groupOrders = { created: 'created_at', displayname: 'sort_name' } as const

export interface GroupListOptions extends ListRange {
  filter: Filter | undefined
  key: string
  isDescending: boolean
}

/** Lists the ids of groups that are not deleted, with the sort key of each. */
export async function list(
  sql: Sql,
  orgId: string,
  { filter, key, isDescending, ...range }: GroupListOptions,
): Promise<{ id: string; key: string }[]> {
  const sortKey = key === 'created_at' ? sql`format_instant(created_at)` : sql`${sql(key)}`
  return sql<{ id: string; key: string }[]>`
    select id, ${sortKey} as key from scim_group_rows
    ${pageWhere(sql, { key, isDescending }, range, ...conditionsOf(sql, orgId, filter))}`
}

/** Counts the groups that match a filter. */
export async function count(sql: Sql, orgId: string, filter: Filter | undefined): Promise<number> {
  const [row] = await sql<[{ found: number }]>`
    select count(*)::integer as found from scim_group_rows where ${allOf(sql, ...conditionsOf(sql, orgId, filter))}`
  return row.found
}

const conditionsOf = (sql: Sql, orgId: string, filter: Filter | undefined): Fragment[] => [
  sql`org_id = ${orgId}`,
  sql`deleted_at is null`,
  ...(filter ? [toGroupCondition(sql, filter)] : []),
]

/** Returns the condition of a filter on `scim_group_rows`. Throws 400 `invalidFilter` for an unknown attribute. */
function toGroupCondition(sql: Sql, filter: Filter): Fragment {
  if (filter.kind === 'and')
    return sql`(${toGroupCondition(sql, filter.left)} and ${toGroupCondition(sql, filter.right)})`
  if (filter.kind === 'or')
    return sql`(${toGroupCondition(sql, filter.left)} or ${toGroupCondition(sql, filter.right)})`
  const { path } = filter
  const name = path.name.toLowerCase()
  if (name === 'members') {
    const inner = filter.kind === 'matches' ? filter.filter : filter
    const sub = filter.kind === 'matches' ? inner.kind === 'compare' && inner.path.name : (path.sub ?? 'value')
    if (inner.kind !== 'compare' || inner.operator !== 'eq' || String(sub).toLowerCase() !== 'value')
      throw unsupported({ name, sub: 'value' }, groupType)
    return sql`exists (select from scim_group_members m where m.group_id = id and m.user_id = ${String(inner.value)})`
  }
  if (filter.kind === 'matches') throw unsupported(path, groupType)
  if (name === 'id') return compareExact(sql, sql`id`, filter)
  if (name === 'externalid') return compareExact(sql, sql`external_id`, filter)
  if (name === 'displayname') return compareText(sql, sql`display_name`, filter)
  throw unsupported(path, groupType)
}

/** The provisioned users and groups of an organisation. */
export interface Counts {
  users: number
  inactive: number
  membershipOnly: number
  groups: number
}

export async function readCounts(sql: Sql, orgId: string): Promise<Counts> {
  const [counts] = await sql<Counts[]>`
    select users, inactive, membership_only, groups from scim_counts where org_id = ${orgId}`
  return counts ?? { users: 0, inactive: 0, membershipOnly: 0, groups: 0 }
}
