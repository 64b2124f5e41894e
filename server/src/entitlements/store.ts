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
  at: string | undefined
}

const matches = (sql: Sql, { word, kind, source, isEnabled, orgId, at }: EntitlementFilter) =>
  allOf(
    sql,
    sql`position(plain_text(${word}) in sort_name || ' ' || key) > 0`,
    kind && sql`kind = ${kind}`,
    source && sql`${source} = any(sources)`,
    isEnabled === undefined ? undefined : sql`enabled = ${isEnabled}`,
    orgId === undefined
      ? undefined
      : sql`id in (select entitlement_id from ${grantsAt(sql, at)} g where g.org_id = ${orgId})`,
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
