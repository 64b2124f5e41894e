import { type CelInput, celList, celMap, celUint } from '@bufbuild/cel'
import { spend } from './cel-meter.ts'
import { durationOf, timestampOf } from './cel-values.ts'
import { parseDuration, parseTimestamp } from './go-time.ts'
import { normaliseAddress } from './ip-address.ts'
import type { CaveatType } from './schema.ts'

/** What a value should have been; caught and told with the name of the parameter. */
export class WrongValue extends Error {}

type Reader = (value: unknown, of: CaveatType | undefined) => CelInput

/** Turns a JSON value into what the declared type means, as SpiceDB does. Throws `WrongValue`. */
export function readValue(type: CaveatType, value: unknown): CelInput {
  return readers[type.name](value, type.of)
}

const readers: Record<CaveatType['name'], Reader> = {
  any: readAny,
  bool: (value) => (typeof value === 'boolean' ? value : want('true or false')),
  string: (value) => (typeof value === 'string' ? value : want('a text')),
  int: (value) => clamp(readWhole(value)),
  uint: (value) => celUint(readNatural(value)),
  double: readDouble,
  bytes: readBytes,
  duration: (value) => durationOf(parsed(value, parseDuration, 'a duration such as "1h30m"')),
  timestamp: (value) => timestampOf(parsed(value, parseTimestamp, 'an instant such as "2026-01-31T12:00:00Z"')),
  list: (value, of = any) => {
    const items = asList(value)
    spend(items.length)
    return celList(items.map((item) => readValue(of, item)))
  },
  map: (value, of = any) => {
    const entries = Object.entries(asRecord(value))
    spend(entries.length)
    return celMap(new Map(entries.map(([key, item]) => [key, readValue(of, item)])))
  },
  ipaddress: (value) => parsed(value, normaliseAddress, 'an IP address'),
}

const any: CaveatType = { name: 'any' }
const maxInt = 2n ** 63n - 1n
/** In digits: longer numbers do not fit in 64 bits. */
const longest = 20
const decimal = /^([-+]?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i

function readAny(value: unknown): CelInput {
  if (Array.isArray(value)) return celList(value.map(readAny))
  if (isRecord(value)) return celMap(new Map(Object.entries(value).map(([key, item]) => [key, readAny(item)])))
  return value as CelInput
}

/** A number, or a text with one: `12`, `"12"`, `"1.2e1"`. */
function readWhole(value: unknown): bigint {
  const wanted = 'a whole number'
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : want(wanted)
  if (typeof value !== 'string') return want(wanted)
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(value) ?? want(wanted)
  if (whole + fraction === '' || Math.abs(Number(exponent)) > 10_000) return want(wanted)
  const shift = Number(exponent) - fraction.length
  const digits = (whole + fraction).replace(/^0+/, '')
  // What is cut off must be zeros, and nothing is as long as this and not too large: large powers take their time.
  if (shift < 0 && !/^0*$/.test(digits.slice(shift))) return want(wanted)
  const length = digits === '' ? 0 : digits.length + shift
  if (length > longest) return sign === '-' ? -(10n ** BigInt(longest)) : 10n ** BigInt(longest)
  const size = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(digits === '' ? 0 : shift))
  return sign === '-' ? -size : size
}

/** SpiceDB takes what is beyond 64 bits for the largest int, also of a uint. */
function clamp(value: bigint): bigint {
  return value > maxInt ? maxInt : value < -maxInt - 1n ? -maxInt - 1n : value
}

function readNatural(value: unknown): bigint {
  const whole = clamp(readWhole(value))
  return whole < 0n ? want('a whole number that is not negative') : whole
}

function readDouble(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return want('a number')
  if (/^[-+]?[iI]nf$/.test(value)) return value.startsWith('-') ? -Infinity : Infinity
  return decimal.test(value) && /\d/.test(value) ? Number(value) : want('a number')
}

function readBytes(value: unknown): Uint8Array {
  const wanted = 'bytes in base64'
  const text = typeof value === 'string' ? value.replaceAll(/[\r\n]/g, '') : want(wanted)
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return want(wanted)
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function parsed<T>(value: unknown, parse: (text: string) => T | undefined, wanted: string): T {
  return (typeof value === 'string' ? parse(value) : undefined) ?? want(wanted)
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : want('a list')
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : want('an object')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function want(wanted: string): never {
  throw new WrongValue(wanted)
}
