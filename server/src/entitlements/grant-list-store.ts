import type { GrantStatus } from '@passport/contract/entitlement-grants'
import type { GrantSource } from '@passport/contract/entitlements'
import { allOf, type Fragment, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** A grant for the API, at a moment. */
export interface GrantRow {
  id: string
  entitlementId: string
  orgId: string
  orgName: string
  orgSortName: string
  quantity: number | null
  source: GrantSource
  subscriptionId: string | null
  productName: string | null
  isEnding: boolean
  startsAt: string
  endsAt: string | null
  /** Null if no usage was reported. */
  used: number | null
  status: GrantStatus
  note: string
  version: number
}

interface GrantFilter {
  /** Now by default. */
  at: string | undefined
  entitlementId?: string | undefined
  grantId?: string | undefined
  orgId?: string | undefined
  /** Without, grants that are active or scheduled. */
  status?: GrantStatus | 'any' | undefined
  source?: GrantSource | undefined
  /** A part of the name of the organisation; empty for all. */
  word?: string | undefined
}

/** Selects `GrantRow` of the matching grants. The note and the version are those of now. */
function matching(sql: Sql, { at, entitlementId, grantId, orgId, status, source, word }: GrantFilter): Fragment {
  const recorded = at === undefined ? sql`current_grants` : sql`grants_recorded_at(${at})`
  const moment = at === undefined ? sql`now()` : sql`${at}::timestamptz`
  const statusOf = sql`
    case when g.ends_at <= ${moment} then 'ended' when g.starts_at > ${moment} then 'scheduled' else 'active' end`
  return sql`
    select g.id, g.entitlement_id, g.org_id, c.org_name, c.org_sort_name, g.quantity, g.source,
      g.subscription_id, s.product_name, coalesce(s.is_ending, false) as is_ending, g.starts_at, g.ends_at,
      used_quantity(g.entitlement_id, g.org_id, g.starts_at, least(g.ends_at, ${moment})) as used,
      ${statusOf} as status, c.note, c.version
    from ${recorded} g join grant_details c on c.id = g.id
    left join grant_subscriptions s on s.subscription_id = g.subscription_id
    where ${allOf(
      sql,
      entitlementId === undefined ? undefined : sql`g.entitlement_id = ${entitlementId}`,
      grantId === undefined ? undefined : sql`g.id = ${grantId}`,
      orgId === undefined ? undefined : sql`g.org_id = ${orgId}`,
      source === undefined ? undefined : sql`g.source = ${source}`,
      word ? sql`position(plain_text(${word}) in c.org_sort_name) > 0` : undefined,
      status === undefined ? sql`${statusOf} <> 'ended'` : undefined,
      status === undefined || status === 'any' ? undefined : sql`${statusOf} = ${status}`,
    )}`
}

/** Lists matching grants by organisation. */
export async function list(
  sql: Sql,
  { after, offset, limit, ...filter }: GrantFilter & ListRange,
): Promise<GrantRow[]> {
  return sql<GrantRow[]>`
    select * from (${matching(sql, filter)}) grants
    ${pageWhere(sql, { key: 'org_sort_name' }, { after, offset, limit })}`
}

export async function count(sql: Sql, filter: GrantFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (${matching(sql, filter)}) grants`
  return row?.count ?? 0
}

/** Finds a grant of an entitlement. */
export async function find(sql: Sql, entitlementId: string, grantId: string): Promise<GrantRow | undefined> {
  const [row] = await sql<GrantRow[]>`${matching(sql, { at: undefined, entitlementId, grantId, status: 'any' })}`
  return row
}
