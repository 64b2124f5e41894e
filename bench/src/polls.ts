import autocannon from 'autocannon'

/** The result of one load run. */
export interface Load {
  requestsPerSecond: number
  p99Ms: number
}

const connections = 32

/** A request and its expected status. */
export interface PollRequest {
  url: string
  headers?: Record<string, string>
  method?: 'GET' | 'POST'
  body?: string
  status?: number
}

/** Repeats one request; throws on any unexpected status, because its speed would be meaningless. */
export async function load(poll: PollRequest, amount: { duration: number } | { amount: number }): Promise<Load> {
  const { status = 200, ...request } = poll
  const result = await autocannon({ connections, ...request, ...amount })
  const wrong = Object.entries(result.statusCodeStats ?? {}).filter(([code]) => Number(code) !== status)
  if (wrong.length > 0 || result.errors > 0)
    throw new Error(`${poll.url}: ${result.errors} failed, and ${JSON.stringify(Object.fromEntries(wrong))} answered`)
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
}

/** Returns the median run of an odd number by requests per second: one disturbed run does not count. */
export function medianLoad(loads: Load[]): Load {
  const sorted = loads.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] ?? { requestsPerSecond: Number.NaN, p99Ms: Number.NaN }
}
