/** A completed request; `route` is the pattern of its path, `none` if no route matched. */
export interface CompletedRequest {
  /** In upper case; `other` for an unusual one. */
  method: string
  route: string
  status: number
  /** The code of the problem in the response; undefined for other responses. */
  code: string | undefined
  /** From the arrival of the request to its response. */
  seconds: number
  /** The response stayed open, so that `seconds` says nothing. */
  isStream: boolean
  /** The number of equal requests that are counted together; 1 by default. */
  count?: number
}

/** What happened in one minute with the same route and code; see the table `activity_minutes`. */
export interface ActivityRow {
  /** The start of the minute, ISO 8601. */
  minute: string
  route: string
  code: string
  status: number | null
  count: number
  buckets: number[]
}

/** Counts requests and sign-ins in the memory of this process, by minute. */
export interface Activity {
  countRequest: (request: CompletedRequest) => void
  /** Counts a sign-in by its outcome: `succeeded`, or the code of the reason why it failed. */
  countSignIn: (outcome: string) => void
  /** Removes and returns the rows of the minutes that have ended; of the current one too if `isLast`. */
  take: (isLast?: boolean) => ActivityRow[]
  /** Puts back rows that could not be stored. The oldest are dropped if there are too many. */
  restore: (rows: ActivityRow[]) => void
}

/** The upper limits of the first 11 buckets of a histogram, in milliseconds; the last one has no limit. */
export const bucketLimitsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500]

/** Creates the counts of a histogram without requests. */
export const createBuckets = (): number[] => Array.from({ length: bucketLimitsMs.length + 1 }, () => 0)

/** Returns the index of the bucket for a duration. */
export function bucketOf(ms: number): number {
  const limit = bucketLimitsMs.findIndex((limitMs) => ms <= limitMs)
  return limit < 0 ? bucketLimitsMs.length : limit
}

/** Routes of monitoring and of files, which outnumber the others and say little. */
const uncounted = new Set(['/healthz', '/readyz', '/metrics', '/app/*'])
/** Enough for hours without a database, in less than 5 MB. */
const maxRows = 20_000
const minuteMs = 60_000

/** Creates the counter of a process; `now` returns milliseconds since 1970. */
export function createActivity(now: () => number = Date.now): Activity {
  let rows = new Map<string, ActivityRow>()

  function findRow(route: string, code: string, status: number | null): ActivityRow | undefined {
    const minute = now() - (now() % minuteMs)
    const key = `${minute} ${route} ${code}`
    const found = rows.get(key)
    if (found || rows.size >= maxRows) return found
    const row = { minute: new Date(minute).toISOString(), route, code, status, count: 0, buckets: createBuckets() }
    rows.set(key, row)
    return row
  }

  return {
    countRequest: ({ method, route, status, code, seconds, isStream, count = 1 }) => {
      if (isStream || uncounted.has(route)) return
      const row = findRow(route === 'none' ? route : `${method} ${route}`, code ?? String(status), status)
      if (!row) return
      const bucket = bucketOf(seconds * 1000)
      row.count += count
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + count
    },
    countSignIn: (outcome) => {
      const row = findRow('sign-in', outcome, null)
      if (row) row.count++
    },
    take: (isLast = false) => {
      const current = new Date(now() - (now() % minuteMs)).toISOString()
      const taken = [...rows].filter(([, { minute }]) => isLast || minute !== current)
      rows = new Map(isLast ? [] : [...rows].filter(([, { minute }]) => minute === current))
      return taken.map(([, row]) => row)
    },
    restore: (returned) => {
      const keyed = returned.map((row) => [`${Date.parse(row.minute)} ${row.route} ${row.code}`, row] as const)
      rows = new Map([...keyed, ...rows].slice(-maxRows))
    },
  }
}
