import type { Metric, MetricValueWithName, Registry } from 'prom-client'
import { bucketLimitsMs, bucketOf, type CompletedRequest, createBuckets } from './activity.ts'

/** All completed requests with the same labels. */
interface Row {
  method: string
  route: string
  status: number
  count: number
  seconds: number
  /** The requests up to each limit but above the one before it; the last bucket has no limit. */
  buckets: number[]
}

/** The buckets that are exported, of those that are counted: each is a line for every route. */
const exported = [
  ...[10, 50, 250, 1000, 2500].map((ms) => ({ le: ms / 1000, end: bucketOf(ms) + 1 })),
  { le: '+Inf', end: bucketLimitsMs.length + 1 },
]
const requestsName = 'http_requests_total'
const durationsName = 'http_request_duration_seconds'

/**
 * Counts completed requests for two metrics of a registry. A counter and a histogram of the library would look up their
 * labels in each request, which costs as much as its response from memory.
 */
export function createRequestTally(registry: Registry): { count: (request: CompletedRequest) => void } {
  const rows = new Map<string, Row>()

  const addMetric = (name: string, help: string, type: string, read: () => MetricValueWithName<string>[]) => {
    const get = async () => ({ name, help, type, aggregator: 'sum', values: read() })
    registry.registerMetric({ name, help, get, reset: () => rows.clear() } as unknown as Metric)
  }
  addMetric(requestsName, 'Completed requests', 'counter', () =>
    [...rows.values()].map(({ method, route, status, count }) => ({
      metricName: requestsName,
      labels: { method, route, status },
      value: count,
    })),
  )
  addMetric(durationsName, 'Time from the arrival of a request to its response', 'histogram', () =>
    mergeStatuses([...rows.values()]).flatMap(toHistogram),
  )

  return {
    count: ({ method, route, status, seconds, count = 1 }) => {
      const key = `${method} ${route} ${status}`
      let row = rows.get(key)
      if (!row) {
        row = {
          method,
          route,
          status,
          count: 0,
          seconds: 0,
          buckets: createBuckets(),
        }
        rows.set(key, row)
      }
      row.count += count
      row.seconds += seconds * count
      const bucket = bucketOf(seconds * 1000)
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + count
    },
  }
}

/** Adds the rows of a method and a route. */
function mergeStatuses(rows: Row[]): Row[] {
  const groups = Object.values(Object.groupBy(rows, ({ method, route }) => `${method} ${route}`)) as Row[][]
  return groups.map((group) => group.reduce(addRows))
}

const addRows = ({ method, route, status, count, seconds, buckets }: Row, other: Row): Row => ({
  method,
  route,
  status,
  count: count + other.count,
  seconds: seconds + other.seconds,
  buckets: buckets.map((inBucket, index) => inBucket + (other.buckets[index] ?? 0)),
})

/** Returns the lines of a histogram, whose buckets include those before them. */
function toHistogram({ method, route, count, seconds, buckets }: Row): MetricValueWithName<string>[] {
  const labels = { method, route }
  return [
    ...exported.map(({ le, end }) => ({
      metricName: `${durationsName}_bucket`,
      labels: { le, ...labels },
      value: buckets.slice(0, end).reduce((sum, inBucket) => sum + inBucket, 0),
    })),
    { metricName: `${durationsName}_sum`, labels, value: seconds },
    { metricName: `${durationsName}_count`, labels, value: count },
  ]
}
