/** Unix seconds and nanoseconds, as in a protobuf timestamp. */
export interface Instant {
  seconds: bigint
  nanos: number
}

const units: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }
const maxNanos = 2n ** 63n

/** Parses a duration such as `1h30m` or `-1.5s` into nanoseconds, as Go's `time.ParseDuration` does. */
export function parseDuration(text: string): bigint | undefined {
  const [, sign, amounts = ''] = /^([-+]?)(.*)$/s.exec(text) ?? []
  if (amounts === '0') return 0n
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(amounts)) return undefined
  let nanos = 0n
  for (const [, whole = '', fraction = '', unit = ''] of amounts.matchAll(/(\d*)\.?(\d*)([a-zµμ]+)/g)) {
    const factor = units[unit] ?? 0
    nanos += BigInt(whole || 0) * BigInt(factor) + fractionToNanos(factor, fraction)
  }
  if (sign === '-') return nanos > maxNanos ? undefined : -nanos
  return nanos >= maxNanos ? undefined : nanos
}

/** Go computes fractions in floating point, and ignores digits that do not fit into 63 bits. */
function fractionToNanos(factor: number, digits: string): bigint {
  let value = 0n
  let scale = 1
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit)
    if (value > (maxNanos - 1n) / 10n || next > maxNanos) break
    value = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (factor / scale)))
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([-+])(\d\d):(\d\d))$/

/** Parses a timestamp as Go's `time.Parse(time.RFC3339, …)` does: accepts fractions, rejects leap seconds. */
export function parseTimestamp(text: string): Instant | undefined {
  const match = rfc3339.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const offset = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * (match[8] === '-' ? -60 : 60)
  if (hour > 23 || minute > 59 || second > 59 || Number(match[9] ?? 0) > 24 || Number(match[10] ?? 0) > 60)
    return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset
  return { seconds: BigInt(seconds), nanos: Number((match[7] ?? '').slice(0, 9).padEnd(9, '0')) }
}

/** CEL's timestamp accessors, each with its numeric result. */
export const timestampParts: Record<string, (date: Date, nanos: number) => number> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (_date, nanos) => Math.floor(nanos / 1e6),
}

function dayOfYear(date: Date): number {
  const first = new Date(date)
  first.setUTCMonth(0, 1)
  return Math.round((date.getTime() - first.getTime()) / 86_400_000)
}

/** Returns a date whose UTC fields are the local time in the zone. Throws for an unknown zone. */
export function dateIn(zone: string, { seconds }: Instant): Date {
  return new Date((Number(seconds) + offsetOf(zone, Number(seconds))) * 1000)
}

function offsetOf(zone: string, seconds: number): number {
  if (zone === '' || zone === 'UTC') return 0
  const fixed = /^([-+]?)(\d{1,2}):(\d\d)$/.exec(zone)
  if (fixed) return (Number(fixed[2]) * 60 + Number(fixed[3])) * (fixed[1] === '-' ? -60 : 60)
  const parts = getFormatter(zone).formatToParts(seconds * 1000)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, rest] = /^GMT(?:([-+])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? []
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(rest ?? 0)) * (sign === '-' ? -1 : 1)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function getFormatter(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone)
  if (cached) return cached
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  // Go accepts `Europe/Rome` but not `europe/rome`; Intl accepts both.
  if (formatter.resolvedOptions().timeZone !== zone) throw new Error(`unknown time zone ${zone}`)
  formatters.set(zone, formatter)
  return formatter
}
