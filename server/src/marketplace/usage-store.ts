import type { DimensionKind } from '@passport/contract/aws-products'
import type { AwsUsage, Refusal, UsageState } from '@passport/contract/aws-usage'
import { afterCursor, allOf, orderBy } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'
import type { EntitledQuantity, TermUsage } from './billed-quantity.ts'
import type { PricingModel } from './state.ts'

/** Locks the taking over of usage until the transaction ends. Returns false if another process has the lock. */
export async function lockMetering(sql: Sql): Promise<boolean> {
  return (await sql`select from aws_metering for update skip locked`).length > 0
}

/** The dimension by which the usage of an entitlement is metered. */
export interface MeteredDimension {
  subscriptionId: string
  entitlementId: string
  dimension: string
  kind: DimensionKind
  pricingModel: PricingModel
}

export async function listDimensions(sql: Sql, subscriptionIds: string[]): Promise<MeteredDimension[]> {
  return sql<MeteredDimension[]>`
    select subscription_id, entitlement_id, dimension, kind, pricing_model from metered_dimensions
    where subscription_id = any(${subscriptionIds})`
}

/** A dimension of a subscription. */
export interface Meter {
  subscriptionId: string
  dimension: string
}

/** The last hour of a meter. */
export interface LastHour extends Meter, TermUsage {
  hour: string
}

export async function listLastHours(sql: Sql, meters: Meter[]): Promise<LastHour[]> {
  return sql<LastHour[]>`
    select m."subscriptionId" as subscription_id, m.dimension, u.hour, u.term_starts_at, u.term_used::double precision as term_used
    from jsonb_to_recordset(${sql.json(meters as never)}) as m ("subscriptionId" text, dimension text)
    cross join lateral (
      select hour, term_starts_at, term_used from aws_usage
      where subscription_id = m."subscriptionId" and dimension = m.dimension order by hour desc limit 1) u`
}

/** Lists the last hour of each dimension of a subscription. */
export async function listTermUsage(sql: Sql, subscriptionId: string): Promise<LastHour[]> {
  return sql<LastHour[]>`
    select distinct on (dimension) subscription_id, dimension, hour, term_starts_at,
      term_used::double precision as term_used
    from aws_usage where subscription_id = ${subscriptionId} and term_starts_at is not null
    order by dimension, hour desc`
}

/** Returns which of these hours were counted. */
export async function listCounted(
  sql: Sql,
  hours: (Meter & { hour: string })[],
): Promise<(Meter & { hour: string })[]> {
  return sql<(Meter & { hour: string })[]>`
    select u.subscription_id, u.dimension, u.hour from aws_usage u
    join jsonb_to_recordset(${sql.json(hours as never)}) as h ("subscriptionId" text, dimension text, hour timestamptz)
      on u.subscription_id = h."subscriptionId" and u.dimension = h.dimension and u.hour = h.hour`
}

export interface KnownQuantity extends Meter, EntitledQuantity {
  expiresAt: string | null
}

/** Lists what the contracts of subscriptions have entitled them to, oldest first. */
export async function listQuantities(sql: Sql, subscriptionIds: string[]): Promise<KnownQuantity[]> {
  return sql<KnownQuantity[]>`
    select subscription_id, dimension, since, quantity, term_starts_at, expires_at from aws_entitled_quantities
    where subscription_id = any(${subscriptionIds}) order by since`
}

export async function addQuantity(sql: Sql, quantity: KnownQuantity): Promise<void> {
  await sql`insert into aws_entitled_quantities ${sql(quantity as never)} on conflict do nothing`
}

/**
 * Applies a quantity that became known after some of its hours were counted. What was never sent is corrected; what AWS
 * was sent too much of is recorded.
 */
export async function recount(
  sql: Sql,
  { subscriptionId, dimension, since, quantity, termStartsAt }: KnownQuantity,
  formerTerm: string,
): Promise<void> {
  await sql`
    with hours as (
      select hour, used, term_used - case when ${termStartsAt}::timestamptz = ${formerTerm}::timestamptz then 0 else coalesce((
          select max(b.term_used) from aws_usage b where b.subscription_id = ${subscriptionId} and b.dimension = ${dimension}
            and b.term_starts_at = ${formerTerm} and b.hour + interval '1 hour' <= ${since}::timestamptz), 0) end as term_used
      from aws_usage
      where subscription_id = ${subscriptionId} and dimension = ${dimension} and term_starts_at = ${formerTerm}
        and hour + interval '1 hour' > ${since}::timestamptz
    ), counted as (
      select hour, term_used,
        (greatest(0, term_used - ${quantity}::bigint) - greatest(0, term_used - used - ${quantity}::bigint))::integer as billed
      from hours
    )
    update aws_usage u set term_starts_at = ${termStartsAt}, term_used = c.term_used, updated_at = now(),
      quantity = case when ${neverSent(sql)} then c.billed else u.quantity end,
      status = case when not (${neverSent(sql)}) then u.status when c.billed = 0 then 'included' else 'pending' end,
      over_metered = case when ${neverSent(sql)} then 0 else greatest(0, u.quantity - c.billed) end
    from counted c where u.subscription_id = ${subscriptionId} and u.dimension = ${dimension} and u.hour = c.hour`
}

const neverSent = (sql: Sql) => sql`u.status in ('pending', 'included') and u.attempts = 0`

/** A frozen hour. */
export interface FrozenHour extends Meter, TermUsage {
  hour: string
  used: number
  quantity: number
  status: 'pending' | 'included'
}

/** Adds frozen hours. Throws if a meter has one of them. */
export async function addHours(sql: Sql, hours: FrozenHour[]): Promise<void> {
  await sql`
    insert into aws_usage (subscription_id, dimension, hour, used, quantity, status, term_starts_at, term_used)
    select h."subscriptionId", h.dimension, h.hour, h.used, h.quantity, h.status, h."termStartsAt", h."termUsed"
    from jsonb_to_recordset(${sql.json(hours as never)}) as h ("subscriptionId" text, dimension text, hour timestamptz,
      used integer, quantity integer, status text, "termStartsAt" timestamptz, "termUsed" bigint)`
}

/** Reports whether subscriptions have begun to end since their hours were closed. */
export async function hasEnding(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select from ending_meters m left join aws_usage_flushes f on f.subscription_id = m.subscription_id
    where f.ends_at is distinct from m.ends_at limit 1`
  return rows.length > 0
}

/**
 * Locks the subscriptions whose open hours are due at once: at the first sign of the end, and shortly before AWS accepts
 * no usage any more. Records the end, so that the first of the two happens once.
 */
export async function takeEnding(sql: Sql): Promise<string[]> {
  const rows = await sql<{ subscriptionId: string }[]>`
    select m.subscription_id, m.ends_at, m.is_last_call from ending_meters m
    left join aws_usage_flushes f on f.subscription_id = m.subscription_id
    where m.is_last_call or f.ends_at is distinct from m.ends_at`
  const ids = rows.map(({ subscriptionId }) => subscriptionId)
  if (ids.length > 0)
    await sql`
      insert into aws_usage_flushes (subscription_id, ends_at)
      select subscription_id, ends_at from ending_meters where subscription_id = any(${ids})
      on conflict (subscription_id) do update set ends_at = excluded.ends_at
      where aws_usage_flushes.ends_at <> excluded.ends_at`
  return ids
}

/** Records that AWS accepts no usage of hours before `earliest` any more. Returns their number. */
export async function expire(sql: Sql, earliest: string): Promise<number> {
  const rows = await sql`
    update aws_usage set status = 'expired', error = 'TimestampOutOfBoundsException', updated_at = now()
    where hour < ${earliest} and (status = 'pending' or (status = 'sent' and due_at <= now()))
    returning hour`
  return rows.length
}

/** An hour that this process sends, with what identifies the buyer at AWS. `attempts` is the number of this attempt. */
export interface ClaimedHour extends Meter {
  hour: string
  quantity: number
  attempts: number
  productId: string
  productCode: string
  licenseArn: string | null
  customerAwsAccountId: string
  customerIdentifier: string | null
  startsAt: string | null
}

/** A process has as long for an attempt; then another one repeats it. */
const leaseMinutes = 5

/** Claims at most `limit` hours to send. Their quantities were final before, and no other process sends them. */
export async function claim(sql: Sql, limit: number): Promise<ClaimedHour[]> {
  return sql<ClaimedHour[]>`
    with due as (
      select subscription_id, dimension, hour from aws_usage
      where status in ('pending', 'sent') and due_at <= now()
      order by due_at, hour limit ${limit} for update skip locked
    )
    update aws_usage u set status = 'sent', attempts = u.attempts + 1, updated_at = now(),
      due_at = now() + make_interval(mins => ${leaseMinutes})
    from due, metered_buyers b
    where u.subscription_id = due.subscription_id and u.dimension = due.dimension and u.hour = due.hour
      and b.subscription_id = u.subscription_id
    returning u.subscription_id, u.dimension, u.hour, u.quantity, u.attempts, b.product_id, b.product_code, b.license_arn,
      b.customer_aws_account_id, b.customer_identifier, b.starts_at`
}

/** The answer of AWS about an hour. `pending` is sent again after `delaySeconds`. */
export interface MeterResult extends Meter {
  hour: string
  attempts: number
  status: 'pending' | 'success' | 'duplicate' | 'not_subscribed' | 'rejected' | 'expired'
  meteringRecordId: string | null
  error: string | null
  delaySeconds: number
}

/** Records answers, except of attempts that another process has repeated since. */
export async function record(sql: Sql, results: MeterResult[]): Promise<void> {
  await sql`
    update aws_usage u set status = r.status, metering_record_id = r."meteringRecordId", error = r.error, updated_at = now(),
      answered_at = case when r.status = 'pending' then u.answered_at else now() end,
      due_at = now() + make_interval(secs => r."delaySeconds")
    from jsonb_to_recordset(${sql.json(results as never)}) as r ("subscriptionId" text, dimension text, hour timestamptz,
      attempts integer, status text, "meteringRecordId" text, error text, "delaySeconds" double precision)
    where u.subscription_id = r."subscriptionId" and u.dimension = r.dimension and u.hour = r.hour
      and u.attempts = r.attempts and u.status = 'sent'`
}

/** Makes the refused hours of a subscription due again that AWS may still accept. Returns their number. */
export async function retryRefused(sql: Sql, subscriptionId: string, earliest: string): Promise<number> {
  const rows = await sql`
    update aws_usage set status = 'pending', due_at = now(), updated_at = now()
    where subscription_id = ${subscriptionId} and status in ('rejected', 'not_subscribed') and hour >= ${earliest}
    returning hour`
  return rows.length
}

interface UsageFilter {
  subscriptionId: string
  dimension: string | undefined
  state: UsageState | undefined
  from: string | undefined
  to: string | undefined
}

/** The statuses of each state. A part of a billed hour may be included. */
const statusesOf: Record<UsageState, AwsUsage['status'][]> = {
  billed: ['success'],
  included: ['included'],
  waiting: ['pending', 'sent'],
  refused: ['duplicate', 'not_subscribed', 'rejected', 'expired'],
}

/** Lists the usage of a subscription, newest first, before the cursor (`hour`, `dimension`). */
export async function list(
  sql: Sql,
  { subscriptionId, dimension, state, from, to }: UsageFilter,
  limit: number,
  after: Cursor | undefined,
): Promise<AwsUsage[]> {
  const newestFirst = { key: 'hour', id: 'dimension', isDescending: true }
  return sql<AwsUsage[]>`
    select dimension, hour, used, quantity, over_metered, status, metering_record_id, attempts, error,
      case when status in ('pending', 'sent') then due_at end as next_attempt_at, answered_at, updated_at
    from aws_usage
    where ${allOf(
      sql,
      sql`subscription_id = ${subscriptionId}`,
      dimension === undefined ? undefined : sql`dimension = ${dimension}`,
      state === undefined ? undefined : sql`status = any(${statusesOf[state]})`,
      from === undefined ? undefined : sql`hour >= ${from}`,
      to === undefined ? undefined : sql`hour < ${to}`,
      afterCursor(sql, newestFirst, after),
    )}
    ${orderBy(sql, newestFirst)} limit ${limit}`
}

/** Sums of a dimension in an hour or a day. */
export interface UsageBucket {
  dimension: string
  at: string
  used: number
  billed: number
  waiting: number
  refused: number
  overMetered: number
}

export async function sumBuckets(
  sql: Sql,
  subscriptionId: string,
  { from, step }: { from: string; step: 'hour' | 'day' },
): Promise<UsageBucket[]> {
  return sql<UsageBucket[]>`
    select dimension, date_trunc(${step}, hour, 'UTC') as at, sum(used)::double precision as used,
      sum(quantity) filter (where status = 'success')::double precision as billed,
      sum(quantity) filter (where status = any(${statusesOf.waiting}))::double precision as waiting,
      sum(quantity) filter (where status = any(${statusesOf.refused}))::double precision as refused,
      sum(over_metered)::double precision as over_metered
    from aws_usage where subscription_id = ${subscriptionId} and hour >= ${from}
    group by 1, 2 order by 2, 1`
}

/** Groups the refused hours since `from` by their reasons; `earliest` is the first that AWS still accepts. */
export async function listRefusals(
  sql: Sql,
  subscriptionId: string,
  { from, earliest }: { from: string; earliest: string },
): Promise<Refusal[]> {
  return sql<Refusal[]>`
    select status, error, count(*)::integer as hours,
      (count(*) filter (where status in ('rejected', 'not_subscribed') and hour >= ${earliest}))::integer as retryable
    from aws_usage
    where subscription_id = ${subscriptionId} and hour >= ${from} and status = any(${statusesOf.refused})
    group by status, error order by hours desc, status, error`
}

/** Returns the next attempt of a subscription; null if no hour waits. */
export async function findNextAttempt(sql: Sql, subscriptionId: string): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(due_at) as at from aws_usage
    where subscription_id = ${subscriptionId} and status = any(${statusesOf.waiting})`
  return row?.at ?? null
}

/** Returns the seconds for which the oldest hour waits since it was closed, and the hours that AWS refused in a day. */
export async function readBacklog(sql: Sql): Promise<{ oldestSeconds: number; refused: number }> {
  const [row] = await sql<{ oldestSeconds: number; refused: number }[]>`
    select
      coalesce((select extract(epoch from now() - min(hour) - interval '75 minutes') from aws_usage
        where status in ('pending', 'sent')), 0)::double precision as oldest_seconds,
      (select count(*) from aws_usage where status in ('duplicate', 'not_subscribed', 'rejected', 'expired')
        and hour >= now() - interval '1 day')::integer as refused`
  return { oldestSeconds: Math.max(0, row?.oldestSeconds ?? 0), refused: row?.refused ?? 0 }
}
