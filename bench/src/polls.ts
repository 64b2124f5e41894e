import autocannon from 'autocannon'

/** What one load run saw. */
export interface Load {
  requestsPerSecond: number
  p99Ms: number
}

const connections = 32

/** What is asked, and which answer is the right one. */
export interface Question {
  url: string
  headers?: Record<string, string>
  method?: 'GET' | 'POST'
  body?: string
  status?: number
}

/** Asks the same over and over; throws if any answer was not the right one, as its speed would then mean nothing. */
export async function load(question: Question, amount: { duration: number } | { amount: number }): Promise<Load> {
  const { status = 200, ...request } = question
  const result = await autocannon({ connections, ...request, ...amount })
  const wrong = Object.entries(result.statusCodeStats ?? {}).filter(([code]) => Number(code) !== status)
  if (wrong.length > 0 || result.errors > 0)
    throw new Error(
      `${question.url}: ${result.errors} failed, and ${JSON.stringify(Object.fromEntries(wrong))} answered`,
    )
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
}

/** The middle of an odd number of runs by requests per second: one disturbed run does not count. */
export function middle(loads: Load[]): Load {
  const sorted = loads.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] ?? { requestsPerSecond: Number.NaN, p99Ms: Number.NaN }
}
