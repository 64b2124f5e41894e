import autocannon from 'autocannon'

/** The result of one load test. */
export interface LoadResult {
  requestsPerSecond: number
  p99Ms: number
}

const connections = 32

/** A request to repeat, and its expected status. */
export interface TestedRequest {
  url: string
  headers?: Record<string, string>
  method?: 'GET' | 'POST'
  body?: string
  expectedStatus?: number
}

/** Repeats one request. Throws on any unexpected status, because the measured rate would be meaningless. */
export async function runLoadTest(
  request: TestedRequest,
  limit: { duration: number } | { amount: number },
): Promise<LoadResult> {
  const { expectedStatus = 200, ...options } = request
  const result = await autocannon({ connections, ...options, ...limit })
  const wrong = Object.entries(result.statusCodeStats ?? {}).filter(([code]) => Number(code) !== expectedStatus)
  if (wrong.length > 0 || result.errors > 0)
    throw new Error(
      `${request.url}: ${result.errors} requests failed; unexpected statuses: ${JSON.stringify(Object.fromEntries(wrong))}`,
    )
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
}

/**
 * Returns the run with the median requests per second, so that one outlier does not count. `results` must have an odd
 * length.
 */
export function findMedianResult(results: LoadResult[]): LoadResult {
  const sorted = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] ?? { requestsPerSecond: Number.NaN, p99Ms: Number.NaN }
}
