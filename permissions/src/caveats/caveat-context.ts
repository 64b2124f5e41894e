import { type CelInput, celList, celMap, celUint } from '@bufbuild/cel'
import { isRecord } from '../graph/context.ts'
import type { CaveatType } from '../schema/schema.ts'
import { spend } from './cel-meter.ts'
import { toDuration, toTimestamp } from './cel-values.ts'
import { normaliseAddress, parseDuration, parseTimestamp } from './go-formats.ts'

/** A value that does not match its type. The message is the expected value, such as `a boolean`. */
export class WrongValue extends Error {}

type Reader = (value: unknown, elementType: CaveatType | undefined) => CelInput

/** Converts a JSON value to a type, as SpiceDB does. Throws `WrongValue`. */
export function readValue(type: CaveatType, value: unknown): CelInput {
  return readers[type.name](value, type.of)
}

const readers: Record<CaveatType['name'], Reader> = {
  any: readAny,
  bool: (value) => (typeof value === 'boolean' ? value : fail('a boolean')),
  string: (value) => (typeof value === 'string' ? value : fail('a string')),
  int: (value) => clamp(readInteger(value)),
  uint: (value) => celUint(readUint(value)),
  double: readDouble,
  bytes: readBytes,
  duration: (value) => toDuration(parseText(value, parseDuration, 'a duration such as "1h30m"')),
  timestamp: (value) => toTimestamp(parseText(value, parseTimestamp, 'an instant such as "2026-01-31T12:00:00Z"')),
  list: (value, elementType = any) => {
    const items = requireList(value)
    spend(items.length)
    return celList(items.map((item) => readValue(elementType, item)))
  },
  map: (value, elementType = any) => {
    const entries = Object.entries(requireRecord(value))
    spend(entries.length)
    return celMap(new Map(entries.map(([key, item]) => [key, readValue(elementType, item)])))
  },
  ipaddress: (value) => parseText(value, normaliseAddress, 'an IP address'),
}

const any: CaveatType = { name: 'any' }
const maxInt = 2n ** 63n - 1n
/** Longer numbers do not fit in 64 bits. */
const maxDigits = 20
const decimal = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i

function readAny(value: unknown): CelInput {
  if (Array.isArray(value)) return celList(value.map(readAny))
  if (isRecord(value)) return celMap(new Map(Object.entries(value).map(([key, item]) => [key, readAny(item)])))
  return value as CelInput
}

/** Reads an integer from a number or a string: `12`, `"12"`, `"1.2e1"`. */
function readInteger(value: unknown): bigint {
  const expected = 'an integer'
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : fail(expected)
  if (typeof value !== 'string') return fail(expected)
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(value) ?? fail(expected)
  if (whole + fraction === '' || Math.abs(Number(exponent)) > 10_000) return fail(expected)
  const shift = Number(exponent) - fraction.length
  const digits = (whole + fraction).replace(/^0+/, '')
  // Only zeros may be cut off. Longer numbers are clamped before their digits are computed, which would be slow.
  if (shift < 0 && !/^0*$/.test(digits.slice(shift))) return fail(expected)
  const length = digits === '' ? 0 : digits.length + shift
  if (length > maxDigits) return sign === '-' ? -(10n ** BigInt(maxDigits)) : 10n ** BigInt(maxDigits)
  const size = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(digits === '' ? 0 : shift))
  return sign === '-' ? -size : size
}

/** Limits integers to 64 bits with a sign, as SpiceDB does even for a uint. */
function clamp(value: bigint): bigint {
  return value > maxInt ? maxInt : value < -maxInt - 1n ? -maxInt - 1n : value
}

function readUint(value: unknown): bigint {
  const whole = clamp(readInteger(value))
  return whole < 0n ? fail('a non-negative integer') : whole
}

function readDouble(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return fail('a number')
  if (/^[-+]?[iI]nf$/.test(value)) return value.startsWith('-') ? -Infinity : Infinity
  return decimal.test(value) && /\d/.test(value) ? Number(value) : fail('a number')
}

function readBytes(value: unknown): Uint8Array {
  const expected = 'base64-encoded bytes'
  const text = typeof value === 'string' ? value.replaceAll(/[\r\n]/g, '') : fail(expected)
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return fail(expected)
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function parseText<T>(value: unknown, parse: (text: string) => T | undefined, expected: string): T {
  return (typeof value === 'string' ? parse(value) : undefined) ?? fail(expected)
}

function requireList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : fail('a list')
}

function requireRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : fail('an object')
}

function fail(expected: string): never {
  throw new WrongValue(expected)
}
