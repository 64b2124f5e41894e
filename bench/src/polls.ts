import autocannon from 'autocannon'

/** What one load run saw. */
export interface Load {
  requestsPerSecond: number
  p99Ms: number
}

const connections = 32

/** Asks one address over and over; throws if any answer was not a 200, as its speed would then mean nothing. */
export async function load(
  url: string,
  cookie: string,
  amount: { duration: number } | { amount: number },
): Promise<Load> {
  const result = await autocannon({ url, connections, headers: { cookie }, ...amount })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`)
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
}

/** The middle of an odd number of runs by requests per second: one disturbed run does not count. */
export function middle(loads: Load[]): Load {
  const sorted = loads.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] ?? { requestsPerSecond: Number.NaN, p99Ms: Number.NaN }
}
