import type { EntitlementKind, GrantSource } from '@passport/contract/entitlements'
import { allOf } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

export interface LedgerRow {
  sequence: number
  recordedAt: string
  action: string
  actorId: string | null
  actorName: string | null
  grantId: string | null
  orgId: string | null
  orgName: string | null
  source: GrantSource | null
  subscriptionId: string | null
  quantity: number | null
  startsAt: string | null
  endsAt: string | null
  isActive: boolean
  before: { quantity: number | null; startsAt: string | null; endsAt: string | null } | null
}

/** Lists entries of an entitlement, newest first, before the entry `before`. */
export async function list(
  sql: Sql,
  {
    entitlementId,
    orgId,
    before,
    limit,
  }: {
    entitlementId: string
    orgId: string | undefined
    before: string | undefined
    limit: number
  },
): Promise<LedgerRow[]> {
  return sql<LedgerRow[]>`
    select sequence::double precision, recorded_at, action, actor_id, actor_name, grant_id, org_id, org_name, source,
      subscription_id, quantity, starts_at, ends_at, is_active, before
    from ledger_entries
    where ${allOf(
      sql,
      sql`entitlement_id = ${entitlementId}`,
      orgId === undefined ? undefined : sql`org_id = ${orgId}`,
      before === undefined ? undefined : sql`sequence < ${before}::text::bigint`,
    )}
    order by sequence desc limit ${limit}`
}

interface TotalRange {
  entitlementId: string
  kind: EntitlementKind
  from: string
  to: string
  /** The most points. */
  maxPoints: number
}

/**
 * Lists the totals of an entitlement from `from` to `to`, each valid until the next one: of the quantities, or of the
 * organisations with a flag. Of too many changes, keeps the last one of each of `maxPoints` equal intervals. Each
 * version of a grant counts from when it was recorded until it was replaced, within its own period.
 */
export async function listTotals(
  sql: Sql,
  { entitlementId, kind, from, to, maxPoints }: TotalRange,
): Promise<{ at: string; total: number }[]> {
  const intervals = maxPoints - 1
  // A quantity without a limit adds nothing to the total.
  const withoutQuantity = kind === 'flag' ? 1 : 0
  return sql<{ at: string; total: number }[]>`
    with versions as materialized (
      select * from entitlement_versions where entitlement_id = ${entitlementId}
    ),
    counted as (
      select g.org_id, g.quantity, greatest(g.recorded_at, g.starts_at, e.recorded_at, ${from}) as starts_at,
        least(g.replaced_at, g.ends_at, e.replaced_at) as ends_at
      from versions g join versions e on e.grant_id is null and e.is_active
      where g.grant_id is not null and g.is_active
    ),
    changes as (
      select org_id, starts_at as at, coalesce(quantity, ${withoutQuantity}) as change from counted where starts_at < ends_at
      union all
      select org_id, ends_at, -coalesce(quantity, ${withoutQuantity}) from counted where starts_at < ends_at
    ),
    of_orgs as (
      select org_id, at, sum(sum(change)) over (partition by org_id order by at) as value
      from changes where at <= ${to} group by org_id, at
    ),
    counts as (
      select org_id, at, case when ${kind} = 'flag' then least(value, 1) else value end as value from of_orgs
    ),
    totals as (
      select at, sum(sum(change)) over (order by at) as total
      from (
        select at, value - coalesce(lag(value) over (partition by org_id order by at), 0) as change from counts
        union all
        select ${from}::timestamptz, 0
      ) c group by at
    ),
    steps as (
      select at, total, lag(total) over (order by at) as former from totals
    ),
    sampled as (
      select distinct on (place) at, total from (
        select at, total, case
            when former is null then 0
            when (select count(*) from steps where former is distinct from total) <= ${maxPoints} then row_number() over (order by at)
            else 1 + floor(${intervals} * (extract(epoch from at - ${from}) / nullif(extract(epoch from ${to}::timestamptz - ${from}), 0)))
          end as place
        from steps where former is distinct from total
      ) s order by place, at desc
    )
    select at, total::double precision as total from sampled order by at limit ${maxPoints}`
}

/** A change of a grant of a subscription. */
export interface SubscriptionLedgerRow {
  sequence: string
  at: string
  action: string
  entitlement: { id: string; key: string; name: string }
  before: { quantity: number | null; endsAt: string | null } | null
  after: { org: string | null; quantity: number | null; endsAt: string | null }
}

/** Lists the entries about the grants of a subscription, newest first. */
export async function listOfSubscription(
  sql: Sql,
  subscriptionId: string,
  limit: number,
): Promise<SubscriptionLedgerRow[]> {
  return sql<SubscriptionLedgerRow[]>`
    select e.sequence::text as sequence, recorded_at as at, action, entitlement, before, after
    from subscription_ledger_entries e
    where subscription_id = ${subscriptionId}
    order by e.sequence desc limit ${limit}`
}
