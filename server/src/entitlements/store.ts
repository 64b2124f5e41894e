import type { Entitlement, EntitlementKind, GrantSource } from '@passport/contract/entitlements'
import { allOf, type Fragment, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** An entitlement, also a deleted one, without its counts. */
export interface EntitlementRow {
  id: string
  key: string
  name: string
  description: string
  kind: EntitlementKind
  unit: string | null
  enabled: boolean
  createdAt: string
  updatedAt: string
  deletedAt: string | null
  version: number
}

/** An entitlement with its counts at a moment. */
export interface CountedRow extends EntitlementRow, Pick<Entitlement, 'orgCount' | 'total' | 'sources'> {
  sortName: string
}

const columns = (sql: Sql) =>
  sql`id, key, name, description, kind, unit, enabled, created_at, updated_at, deleted_at, version`

/**
 * Selects the grants that count: now, or at a moment. In the past, those that the ledger had recorded by then; in the
 * future, those that will count unless they change.
 */
const grantsAt = (sql: Sql, at: string | undefined): Fragment =>
  at === undefined ? sql`counted_grants` : sql`grants_counted_at(${at})`

/** Selects `CountedRow` of entitlements that are not deleted. */
const counted = (sql: Sql, at: string | undefined) => sql`
  select e.*, coalesce(c.org_count, 0) as org_count, coalesce(c.sources, '{}') as sources,
    case when e.kind = 'quantity' then coalesce(c.total, 0) end as total
  from entitlements e left join (
    select entitlement_id, count(distinct org_id)::integer as org_count, sum(quantity)::double precision as total,
      array_agg(distinct source order by source) as sources
    from ${grantsAt(sql, at)} g group by entitlement_id
  ) c on c.entitlement_id = e.id
  where e.deleted_at is null`

type EntitlementSort = 'name' | 'key' | 'orgs' | 'updated'

interface EntitlementFilter {
  /** A part of the name or the key; empty for all. */
  word: string
  kind: EntitlementKind | undefined
  source: GrantSource | undefined
  isEnabled: boolean | undefined
  /** An organisation that has it. */
  orgId: string | undefined
  /** A product that is sold as it. */
  productId: string | undefined
  at: string | undefined
}

const matches = (sql: Sql, { word, kind, source, isEnabled, orgId, productId, at }: EntitlementFilter) =>
  allOf(
    sql,
    sql`position(plain_text(${word}) in sort_name || ' ' || key) > 0`,
    kind && sql`kind = ${kind}`,
    source && sql`${source} = any(sources)`,
    isEnabled === undefined ? undefined : sql`enabled = ${isEnabled}`,
    orgId === undefined
      ? undefined
      : sql`id in (select entitlement_id from ${grantsAt(sql, at)} g where g.org_id = ${orgId})`,
    productId === undefined
      ? undefined
      : sql`id in (select entitlement_id from entitlement_mappings where product_id = ${productId})`,
  )

const sortColumns = { name: 'sort_name', key: 'key', orgs: 'org_count', updated: 'updated_at' }

interface EntitlementRange extends EntitlementFilter, ListRange {
  sort: EntitlementSort
  isDescending: boolean
}

/** Lists entitlements that are not deleted. Counts the grants of all of them, because there are few. */
export async function list(
  sql: Sql,
  { sort, isDescending, after, offset, limit, ...filter }: EntitlementRange,
): Promise<CountedRow[]> {
  const order = { key: sortColumns[sort], isDescending }
  return sql<CountedRow[]>`
    select ${columns(sql)}, org_count, total, sources, sort_name from (${counted(sql, filter.at)}) rows
    ${pageWhere(sql, order, { after, offset, limit }, matches(sql, filter))}`
}

export async function count(sql: Sql, filter: EntitlementFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (${counted(sql, filter.at)}) rows where ${matches(sql, filter)}`
  return row?.count ?? 0
}

/** Finds an entitlement that is not deleted, with its counts at a moment. */
export async function findCounted(sql: Sql, id: string, at: string | undefined): Promise<CountedRow | undefined> {
  const [row] = await sql<CountedRow[]>`
    select ${columns(sql)}, org_count, total, sources, sort_name from (${counted(sql, at)} and e.id = ${id}) rows`
  return row
}

/** Adds an entitlement; returns false if the key is taken, also by a deleted one. */
export async function add(
  sql: Sql,
  fields: Pick<EntitlementRow, 'id' | 'key' | 'kind' | 'name' | 'description' | 'unit' | 'enabled'>,
  changedBy: string | null,
): Promise<boolean> {
  const added = await sql`
    insert into entitlements ${sql({ ...fields, changedBy })} on conflict (key) do nothing returning id`
  return added.length > 0
}

/** Finds entitlements by key that are not deleted, and keeps them from being deleted until the transaction ends. */
export async function lockByKeys(sql: Sql, keys: string[]): Promise<Pick<EntitlementRow, 'id' | 'key' | 'kind'>[]> {
  return sql<Pick<EntitlementRow, 'id' | 'key' | 'kind'>[]>`
    select id, key, kind from entitlements where key = any(${keys}) and deleted_at is null order by id for share`
}

const stateColumns = (sql: Sql) => sql`select ${columns(sql)} from entitlements`

/** Finds an entitlement that is not deleted, and locks it until the transaction ends. */
export async function lock(sql: Sql, id: string): Promise<EntitlementRow | undefined> {
  const [row] = await sql<EntitlementRow[]>`
    ${stateColumns(sql)} where id = ${id} and deleted_at is null for no key update`
  return row
}

/** Like `lock`, for a change of its grants, several of which may happen at the same time. */
export async function lockForGrants(sql: Sql, id: string): Promise<EntitlementRow | undefined> {
  const [row] = await sql<EntitlementRow[]>`${stateColumns(sql)} where id = ${id} and deleted_at is null for share`
  return row
}

/** Like `lock`, for one in the trash. */
export async function lockDeleted(sql: Sql, id: string): Promise<EntitlementRow | undefined> {
  const [row] = await sql<EntitlementRow[]>`
    ${stateColumns(sql)} where id = ${id} and deleted_at is not null for no key update`
  return row
}

/** Finds an entitlement by key, also a deleted one. */
export async function findByKey(sql: Sql, key: string): Promise<EntitlementRow | undefined> {
  const [row] = await sql<EntitlementRow[]>`${stateColumns(sql)} where key = ${key}`
  return row
}

/** Replaces the changeable fields. */
export async function replace(
  sql: Sql,
  id: string,
  fields: Pick<EntitlementRow, 'name' | 'description' | 'unit' | 'enabled'>,
  changedBy: string | null,
): Promise<void> {
  await sql`
    update entitlements set ${sql({ ...fields, changedBy })}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Moves an entitlement to the trash. */
export async function remove(sql: Sql, id: string, changedBy: string | null): Promise<void> {
  await sql`
    update entitlements set deleted_at = now(), changed_by = ${changedBy}, version = version + 1 where id = ${id}`
}

export async function restore(sql: Sql, id: string, changedBy: string | null): Promise<void> {
  await sql`
    update entitlements set deleted_at = null, changed_by = ${changedBy}, updated_at = now(), version = version + 1
    where id = ${id}`
}

/** Purges at most `limit` entitlements that were deleted more than `olderThanDays` days ago; returns their ids. */
export async function purgeDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const purged = await sql<{ id: string }[]>`
    delete from entitlements where id in (
      select id from entitlements where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning id`
  return purged.map(({ id }) => id)
}

export interface MappingRow {
  entitlementId: string
  productId: string
  productName: string
  dimension: string
}

/** Lists the dimensions of products that are sold as these entitlements. */
export async function listMappings(sql: Sql, ids: string[]): Promise<MappingRow[]> {
  return sql<MappingRow[]>`
    select entitlement_id, product_id, product_name, dimension from entitlement_mappings
    where entitlement_id = any(${ids}) order by product_name, product_id, dimension`
}

/** Lists entitlements that are not deleted, by name. */
export async function listByIds(sql: Sql, ids: string[]): Promise<EntitlementRow[]> {
  return sql<EntitlementRow[]>`
    ${stateColumns(sql)} where id = any(${ids}) and deleted_at is null order by sort_name, id`
}

/** Lists all entitlements that are not deleted. */
export const listAll = async (sql: Sql): Promise<EntitlementRow[]> =>
  sql<EntitlementRow[]>`${stateColumns(sql)} where deleted_at is null order by key`

/** Finds an entitlement that is not deleted. */
export async function find(sql: Sql, id: string): Promise<EntitlementRow | undefined> {
  const [row] = await listByIds(sql, [id])
  return row
}

/** Lists the names and kinds of entitlements. */
export async function listNames(
  sql: Sql,
  ids: string[],
): Promise<Pick<EntitlementRow, 'id' | 'key' | 'name' | 'kind'>[]> {
  return sql<Pick<EntitlementRow, 'id' | 'key' | 'name' | 'kind'>[]>`
    select id, key, name, kind from entitlements where id = any(${ids})`
}
