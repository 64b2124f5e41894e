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
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(amounts)) return undefined
  let nanos = 0n
  for (const [, whole = '', fraction = '', unit = ''] of amounts.matchAll(/(\d*)(?:\.(\d*))?([a-zµμ]+)/g)) {
    if (isOverlong(whole)) return undefined
    const factor = units[unit] ?? 0
    nanos += BigInt(whole || 0) * BigInt(factor) + fractionToNanos(factor, fraction)
  }
  if (sign === '-') return nanos > maxNanos ? undefined : -nanos
  return nanos >= maxNanos ? undefined : nanos
}

/** Reports whether digits make a number beyond 64 bits; to compute that of a megabyte would take half a second. */
const isOverlong = (digits: string) => digits.replace(/^[-+]?0*/, '').length > 20

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

/** Parses a timestamp as Go's `time.Parse(time.RFC3339, …)` does, with fractions and without leap seconds. */
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

/** CEL's accessors of timestamps. Each computes its result from a date in the requested zone. */
export const timestampParts: Record<string, (date: Date, nanos: number) => number> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: computeDayOfYear,
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (_date, nanos) => Math.floor(nanos / 1e6),
}

function computeDayOfYear(date: Date): number {
  const first = new Date(date)
  first.setUTCMonth(0, 1)
  return Math.round((date.getTime() - first.getTime()) / 86_400_000)
}

/** Returns a date whose UTC fields are the local time in the zone. Throws for an unknown zone. */
export function toLocalDate(zone: string, { seconds }: Instant): Date {
  return new Date((Number(seconds) + findZoneOffset(zone, Number(seconds))) * 1000)
}

function findZoneOffset(zone: string, seconds: number): number {
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

const minInt = -(2n ** 63n)

/** Parses an int as Go's `strconv.ParseInt` does. Throws on a syntax error. */
export function parseInt64(text: string): bigint {
  return /^[-+]?\d+$/.test(text) && !isOverlong(text)
    ? requireRange(BigInt(text.replace('+', '')), minInt, -minInt)
    : fail(text)
}

/** Parses a uint as Go's `strconv.ParseUint` does: without a sign. */
export function parseUint64(text: string): bigint {
  return /^\d+$/.test(text) && !isOverlong(text) ? requireRange(BigInt(text), 0n, 2n ** 64n) : fail(text)
}

/** Parses a double as Go's `strconv.ParseFloat` does, but rejects its hexadecimal form. */
export function parseDouble(text: string): number {
  const [, sign, word] = /^([-+]?)(inf|infinity|nan)$/i.exec(text) ?? []
  if (word?.toLowerCase() === 'nan') return sign ? fail(text) : Number.NaN
  if (word) return sign === '-' ? -Infinity : Infinity
  const number = Number(text)
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(number) ? number : fail(text)
}

/** Parses a bool as Go's `strconv.ParseBool` does. */
export function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : fail(text)
}

/** Formats a double as Go's shortest format `g` does: `1e+06`, `0.5`, `1e-07`. */
export function printDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [digits = '0', exponent = 0] = toScientific(value)
  if (exponent >= -4 && exponent < 6) return printFixed(value)
  const [first, ...rest] = digits
  const sign = exponent < 0 ? '-' : '+'
  const mantissa = rest.length > 0 ? `${first}.${rest.join('')}` : first
  return `${isNegative(value) ? '-' : ''}${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Formats a double without an exponent, as Go's shortest format `f` does. */
export function printFixed(value: number): string {
  const [digits, exponent] = toScientific(value)
  const sign = isNegative(value) ? '-' : ''
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const rest = digits.slice(exponent + 1)
  return sign + (rest ? `${whole}.${rest}` : whole)
}

function toScientific(value: number): [digits: string, exponent: number] {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  return [mantissa.replace('.', ''), Number(exponent)]
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0)
}

function requireRange(value: bigint, min: bigint, max: bigint): bigint {
  return value >= min && value < max ? value : fail(String(value))
}

function fail(text: string): never {
  throw new Error(`\`${text}\` cannot be converted`)
}

/** An IPv4 or IPv6 address. As in Go's `netip`, an IPv4-mapped IPv6 address is an IPv6 address. */
interface Address {
  bits: 32 | 128
  value: bigint
  zone: string
}

/** Formats an address so that equal addresses are equal strings. Returns undefined for an invalid one. */
export function normaliseAddress(text: string): string | undefined {
  const address = parseAddress(text)
  return address && `${address.bits}:${address.value.toString(16)}%${address.zone}`
}

/**
 * Reports whether a normalised address lies in a block such as `10.0.0.0/8`. Returns undefined for an invalid block.
 */
export function isInBlock(normalised: string, block: string): boolean | undefined {
  const [, base = '', length = ''] = /^([^%]+)\/(0|[1-9]\d{0,2})$/.exec(block) ?? []
  const prefix = parseAddress(base)
  if (!prefix || Number(length) > prefix.bits) return undefined
  const [, bits, value, zone] = /^(\d+):([0-9a-f]+)%(.*)$/s.exec(normalised) ?? []
  // A block has no zone, so it never contains an address with a zone.
  if (Number(bits) !== prefix.bits || zone) return false
  const shift = BigInt(prefix.bits - Number(length))
  return BigInt(`0x${value}`) >> shift === prefix.value >> shift
}

function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const value = parseIpv4(text)
    return value === undefined ? undefined : { bits: 32, value, zone: '' }
  }
  const [, digits = '', zone = ''] = /^([^%]*)(?:%(.+))?$/s.exec(text) ?? []
  const value = parseIpv6(digits)
  if (value === undefined || (zone && value >> 32n === 0xffffn)) return undefined
  return { bits: 128, value, zone }
}

function parseIpv4(text: string): bigint | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return undefined
  const bytes = text.split('.').map(Number)
  if (bytes.some((byte) => byte > 255)) return undefined
  return bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
}

function parseIpv6(text: string): bigint | undefined {
  const halves = expandDottedTail(text)?.split('::')
  if (!halves || halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const zeros = 8 - head.length - tail.length
  if (halves.length === 2 ? zeros < 1 : zeros !== 0) return undefined
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}

/**
 * Replaces the last four bytes in IPv4 notation, if any, by hexadecimal groups. Returns undefined if they are invalid.
 */
function expandDottedTail(text: string): string | undefined {
  const dotted = /^(.*:)([\d.]+)$/s.exec(text)
  if (!dotted?.[2]?.includes('.')) return text
  const value = parseIpv4(dotted[2] ?? '')
  return value === undefined
    ? undefined
    : `${dotted[1]}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}
