import type { Sql } from '../database/sql.ts'
import type { ActivityRow } from '../http/activity.ts'

/** The sums of an hour; `buckets` is the histogram of all requests. */
export interface HourRow {
  /** The start of the hour in UTC. */
  hour: string
  requests: number
  errors: number
  succeeded: number
  failed: number
  tokens: number
  /** The largest number of active sessions; null if it was not counted. */
  sessions: number | null
  buckets: number[]
}

/** The sum of a route or of a code. */
export interface ActivityCount {
  route: string
  code: string
  status: number | null
  count: number
}

/** Adds a row to that of the same hour. The number of sessions is the largest, as the same ones last for hours. */
const addToHour = `(hour, route, code) do update set
  count = case activity_hours.route when 'sessions' then greatest(activity_hours.count, excluded.count)
    else activity_hours.count + excluded.count end,
  buckets = add_buckets(activity_hours.buckets, excluded.buckets)`

/** The bulk load of hours, which adds to those that servers have folded. */
export const hourCopyTarget = {
  table: 'activity_hours',
  columns: ['hour', 'route', 'code', 'status', 'count', 'buckets'],
  onConflict: addToHour,
} as const

/** Sums the histograms of a group of rows. */
const sumBuckets = (sql: Sql) =>
  sql`array[sum(buckets[1]), sum(buckets[2]), sum(buckets[3]), sum(buckets[4]), sum(buckets[5]), sum(buckets[6]),
    sum(buckets[7]), sum(buckets[8]), sum(buckets[9]), sum(buckets[10]), sum(buckets[11]), sum(buckets[12])]`

/** Adds the rows of an instance. A row that is stored already stays as it is, so that a repeated call counts nothing twice. */
export async function insertMinutes(sql: Sql, instance: string, rows: ActivityRow[]): Promise<void> {
  await sql`
    insert into activity_minutes (minute, instance, route, code, status, count, buckets)
    select n.minute, ${instance}, n.route, n.code, n.status, n.count, n.buckets
    from jsonb_to_recordset(${sql.json(rows as never)}) as n (minute timestamptz, route text, code text, status smallint,
      count bigint, buckets bigint[])
    on conflict do nothing`
}

/** Adds the number of sessions in use within the last hour to the current minute. */
export async function insertSessionCount(sql: Sql, count: number): Promise<void> {
  await sql`
    insert into activity_minutes (minute, instance, route, code, status, count, buckets)
    values (date_trunc('minute', now()), '', 'sessions', 'active', null, ${count}, array_fill(0, array[12]))
    on conflict (minute, instance, route, code) do update set count = greatest(activity_minutes.count, excluded.count)`
}

/** Adds up the oldest hour that ended more than a day ago, on all instances. Returns whether there was one. */
export async function foldHour(sql: Sql): Promise<boolean> {
  const folded = await sql`
    with oldest as (
      select date_trunc('hour', min(minute), 'UTC') as hour from activity_minutes
      where minute < date_trunc('hour', now() - interval '24 hours', 'UTC')),
    folded as (
      delete from activity_minutes using oldest
      where minute >= oldest.hour and minute < oldest.hour + interval '1 hour'
      returning oldest.hour, route, code, status, count, buckets)
    insert into activity_hours (hour, route, code, status, count, buckets)
    select hour, route, code, max(status), case route when 'sessions' then max(count) else sum(count) end,
      ${sumBuckets(sql)}
    from folded group by hour, route, code order by hour, route, code
    on conflict ${sql.unsafe(addToHour)}
    returning hour`
  return folded.length > 0
}

/** Deletes at most `limit` rows older than 400 days; returns their number. */
export async function sweepHours(sql: Sql, limit: number): Promise<number> {
  const deleted = await sql`
    delete from activity_hours where ctid = any(array(
      select ctid from activity_hours where hour < now() - interval '400 days' order by hour limit ${limit}))
    returning hour`
  return deleted.length
}

/** Returns the sums of each hour since `since` that has any activity, oldest first. */
export const readHours = (sql: Sql, since: string): Promise<HourRow[]> =>
  sql<HourRow[]>`
    select hour,
      coalesce(sum(count) filter (where status is not null), 0)::float8 as requests,
      coalesce(sum(count) filter (where status >= 400), 0)::float8 as errors,
      coalesce(sum(count) filter (where route = 'sign-in' and code = 'succeeded'), 0)::float8 as succeeded,
      coalesce(sum(count) filter (where route = 'sign-in' and code <> 'succeeded'), 0)::float8 as failed,
      coalesce(sum(count) filter (where route = 'POST /connect/token' and status = 200), 0)::float8 as tokens,
      (max(count) filter (where route = 'sessions'))::float8 as sessions,
      ${sumBuckets(sql)}::float8[] as buckets
    from activity_rows where hour >= ${since} group by hour order by hour`

/** Returns the failures since `since` by code: errors with a status, and the reasons of failed sign-ins without. */
export const readCodes = (sql: Sql, since: string): Promise<Omit<ActivityCount, 'route'>[]> =>
  sql<Omit<ActivityCount, 'route'>[]>`
    select code, status, sum(count)::float8 as count from activity_rows
    where hour >= ${since} and (status >= 400 or (route = 'sign-in' and code <> 'succeeded'))
    group by code, status order by count desc, code`

/** Returns the requests since `since` by route, with their errors and their histogram. */
export const readRoutes = (
  sql: Sql,
  since: string,
): Promise<{ route: string; count: number; errors: number; buckets: number[] }[]> =>
  sql<{ route: string; count: number; errors: number; buckets: number[] }[]>`
    select route, sum(count)::float8 as count, coalesce(sum(count) filter (where status >= 400), 0)::float8 as errors,
      ${sumBuckets(sql)}::float8[] as buckets
    from activity_rows where hour >= ${since} and status is not null group by route`
