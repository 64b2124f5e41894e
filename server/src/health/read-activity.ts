import type { Activity } from '@passport/contract/health'
import type { Sql } from '../database/sql.ts'
import * as store from './activity-store.ts'
import { estimatePercentile } from './percentile.ts'

const hourMs = 3_600_000
const maxRoutes = 10
/** With fewer requests, one slow response decides the percentile. */
const minRequests = 5

/** Reads the activity of the last days by hour, in UTC. Hours without a row have zeros. */
export async function readActivity(sql: Sql, days: number): Promise<Activity> {
  const currentHour = Math.floor(Date.now() / hourMs) * hourMs
  const hourCount = days * 24
  const hours = Array.from({ length: hourCount }, (_, index) =>
    new Date(currentHour - (hourCount - 1 - index) * hourMs).toISOString(),
  )
  const since = hours[0] ?? ''
  const [sums, codes, routes] = await Promise.all([
    store.readHours(sql, since),
    store.readCodes(sql, since),
    store.readRoutes(sql, since),
  ])
  const byHour = new Map(sums.map((sum) => [sum.hour, sum]))
  return {
    hours: hours.map((hour) => toHour(hour, byHour.get(hour))),
    failures: codes.flatMap(({ code, status, count }) => (status === null ? [{ reason: code, count }] : [])),
    errors: codes.flatMap(({ code, status, count }) => (status === null ? [] : [{ code, status, count }])),
    routes: routes
      .filter(({ count }) => count >= minRequests)
      .map(({ route, count, errors, buckets }) => ({
        route,
        count,
        errors,
        p50Ms: estimatePercentile(buckets, 0.5) ?? 0,
        p95Ms: estimatePercentile(buckets, 0.95) ?? 0,
      }))
      .toSorted((a, b) => b.p95Ms - a.p95Ms || b.count - a.count)
      .slice(0, maxRoutes),
  }
}

const toHour = (hour: string, sum: store.HourRow | undefined): Activity['hours'][number] => ({
  hour,
  requests: sum?.requests ?? 0,
  errors: sum?.errors ?? 0,
  p95Ms: sum ? estimatePercentile(sum.buckets, 0.95) : null,
  signIns: { succeeded: sum?.succeeded ?? 0, failed: sum?.failed ?? 0 },
  tokens: sum?.tokens ?? 0,
  sessions: sum?.sessions ?? null,
})
