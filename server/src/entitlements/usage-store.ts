import { closingMinutes, type UsageHour } from '@passport/contract/entitlement-usage'
import { v7 as uuid } from 'uuid'
import { afterCursor, allOf, orderBy } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'

interface Report {
  entitlementId: string
  orgId: string
  quantity: number
  at: string
  /** The number of open hours to skip: the first ones may close while the call waits. */
  skippedHours: number
}

/** The hour in which a report was counted; `former` is the quantity before. */
export interface CountedRow {
  hour: string
  quantity: number
  former: number
  subscriptionId: string | null
}

/**
 * Adds usage to the hour of `at`, or to the first open hour if that one is closed, for the oldest subscription of the
 * organisation that is billed for it. Returns undefined if the hour was closed at this moment. Throws
 * `numeric_value_out_of_range` if the hour has too much.
 */
export async function add(sql: Sql, report: Report): Promise<CountedRow | undefined> {
  const { entitlementId, orgId, quantity, at, skippedHours } = report
  const [row] = await sql<CountedRow[]>`
    insert into entitlement_usage (id, entitlement_id, org_id, hour, quantity, subscription_id)
    select ${uuid()}, ${entitlementId}, ${orgId},
      greatest(
        date_trunc('hour', ${at}::timestamptz, 'UTC'),
        date_trunc('hour', now() - make_interval(mins => ${closingMinutes}), 'UTC') + make_interval(hours => ${skippedHours})),
      ${quantity},
      (select b.subscription_id from billable_subscriptions b
        where b.org_id = ${orgId} and b.entitlement_id = ${entitlementId} and (b.since is null or b.since <= ${at})
        order by b.since nulls first, b.subscription_id limit 1)
    on conflict (entitlement_id, org_id, hour, coalesce(subscription_id, '')) do update
    set quantity = entitlement_usage.quantity + excluded.quantity, reports = entitlement_usage.reports + 1, updated_at = now()
    where entitlement_usage.closed_at is null
    returning hour, quantity, quantity - ${quantity}::integer as former, subscription_id`
  return row
}

/** Closes at most `limit` hours that ended `closingMinutes` ago: their quantities are final. Returns their number. */
export async function closeHours(sql: Sql, limit: number): Promise<number> {
  const closed = await sql`
    update entitlement_usage set closed_at = now() where id in (
      select id from entitlement_usage
      where closed_at is null and hour <= now() - make_interval(hours => 1, mins => ${closingMinutes})
      order by hour limit ${limit} for update skip locked)
    returning id`
  return closed.length
}

/** Closes the hours of subscriptions that have begun, even if they have not ended. Returns their number. */
export async function closeHoursOf(sql: Sql, subscriptionIds: string[]): Promise<number> {
  const closed = await sql`
    update entitlement_usage set closed_at = now()
    where closed_at is null and hour <= now() and subscription_id = any(${subscriptionIds}) returning id`
  return closed.length
}

/** Usage of a closed hour that a subscription is billed for. */
export interface ClosedUsage {
  id: string
  subscriptionId: string
  entitlementId: string
  hour: string
  quantity: number
}

/** Locks closed usage that has not been taken over for metering, oldest first, until the transaction ends. */
export async function lockUnmetered(sql: Sql, limit: number): Promise<ClosedUsage[]> {
  return sql<ClosedUsage[]>`
    select id, subscription_id, entitlement_id, hour, quantity from entitlement_usage
    where closed_at is not null and metered_at is null and subscription_id is not null
    order by hour, subscription_id, id limit ${limit} for update`
}

/** Marks usage as taken over for metering. */
export async function markMetered(sql: Sql, ids: string[]): Promise<void> {
  await sql`update entitlement_usage set metered_at = now() where id = any(${ids})`
}

/** Sums the usage that a subscription will be billed for and that has not been taken over for metering. */
export async function sumUnmetered(
  sql: Sql,
  subscriptionId: string,
): Promise<{ entitlementId: string; quantity: number }[]> {
  return sql<{ entitlementId: string; quantity: number }[]>`
    select entitlement_id, sum(quantity)::double precision as quantity from entitlement_usage
    where subscription_id = ${subscriptionId} and metered_at is null group by entitlement_id`
}

interface UsageFilter {
  entitlementId: string
  orgId: string | undefined
  isBilled: boolean | undefined
  from: string | undefined
  to: string | undefined
}

/** Lists the usage of an entitlement, newest hour first. */
export async function list(
  sql: Sql,
  { entitlementId, orgId, isBilled, from, to }: UsageFilter,
  limit: number,
  after: Cursor | undefined,
): Promise<UsageHour[]> {
  const order = { key: 'hour', isDescending: true }
  return sql<UsageHour[]>`
    select id, org_id, org_name, hour, subscription_id, product_name, quantity, reports, closed_at, updated_at
    from entitlement_usage_rows
    where ${allOf(
      sql,
      sql`entitlement_id = ${entitlementId}`,
      orgId === undefined ? undefined : sql`org_id = ${orgId}`,
      isBilled === undefined ? undefined : sql`(subscription_id is not null) = ${isBilled}`,
      from === undefined ? undefined : sql`hour >= ${from}`,
      to === undefined ? undefined : sql`hour < ${to}`,
      afterCursor(sql, order, after),
    )}
    ${orderBy(sql, order)} limit ${limit}`
}
