import { type CelList, type CelMap, type CelUint, type CelValue, isCelList, isCelMap, isCelUint } from '@bufbuild/cel'
import { create } from '@bufbuild/protobuf'
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { spend } from './cel-meter.ts'

const nanosPerSecond = 1_000_000_000n

/** A protobuf timestamp or duration: both have seconds and nanoseconds. */
interface Time {
  seconds: bigint
  nanos: number
}

/** Returns the nanoseconds of a duration, or since 1970. */
export function nanosOf({ seconds, nanos }: Time): bigint {
  return seconds * nanosPerSecond + BigInt(nanos)
}

export function toDuration(nanos: bigint): ReflectMessage {
  const duration = { seconds: nanos / nanosPerSecond, nanos: Number(nanos % nanosPerSecond) }
  return reflect(DurationSchema, create(DurationSchema, duration))
}

export function toTimestamp(time: Time): ReflectMessage {
  return reflect(TimestampSchema, create(TimestampSchema, time))
}

/**
 * Implements `==`. Numbers of different types are equal if their values are; an int is compared with a double as a
 * double.
 */
export function isEqual(left: CelValue, right: CelValue): boolean {
  if (left === right) return true
  const [l, r] = [unwrapUint(left), unwrapUint(right)]
  if (typeof l === 'bigint' && typeof r === 'bigint') return l === r
  if (isNumber(l) && isNumber(r)) return Number(l) === Number(r)
  if (l instanceof Uint8Array) return r instanceof Uint8Array && compareBytes(l, r) === 0
  if (isCelList(l)) return isCelList(r) && isEqualList(l, r)
  if (isCelMap(l)) return isCelMap(r) && isEqualMap(l, r)
  if (isReflectMessage(l) && isReflectMessage(r)) return l.desc === r.desc && nanosOf(timeOf(l)) === nanosOf(timeOf(r))
  return false
}

function isEqualList(left: CelList, right: CelList): boolean {
  if (left.size !== right.size) return false
  spend(left.size)
  const otherValues = right.values()
  for (const value of left) if (!isEqual(value, otherValues.next().value as CelValue)) return false
  return true
}

function isEqualMap(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false
  spend(left.size)
  for (const [key, value] of left) {
    const other = right.get(key)
    if (other === undefined || !isEqual(value, other)) return false
  }
  return true
}

/**
 * Returns a negative number if `left` is less, and a positive one if it is greater. Throws for values without an order.
 */
export function compare(left: CelValue, right: CelValue): number {
  const [l, r] = [unwrapUint(left), unwrapUint(right)]
  if (typeof l === 'bigint' && typeof r === 'bigint') return l < r ? -1 : Number(l > r)
  if (isNumber(l) && isNumber(r)) return compareDoubles(Number(l), Number(r))
  if (typeof l === 'string' && typeof r === 'string') return compareBytes(utf8.encode(l), utf8.encode(r))
  if (typeof l === 'boolean' && typeof r === 'boolean') return Number(l) - Number(r)
  if (l instanceof Uint8Array && r instanceof Uint8Array) return compareBytes(l, r)
  if (isReflectMessage(l) && isReflectMessage(r) && l.desc === r.desc) {
    return Number(nanosOf(timeOf(l)) - nanosOf(timeOf(r)))
  }
  throw new Error('no such overload')
}

function unwrapUint(value: CelValue): Exclude<CelValue, CelUint> {
  return isCelUint(value) ? value.value : value
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function timeOf(message: ReflectMessage): Time {
  return message.message as unknown as Time
}

function compareDoubles(left: number, right: number): number {
  if (Number.isNaN(left) || Number.isNaN(right)) throw new Error('NaN values cannot be ordered')
  return left < right ? -1 : Number(left > right)
}

/** CEL orders text by code point, as UTF-8 does; JavaScript orders it by UTF-16 code unit. */
const utf8 = new TextEncoder()

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** Implements `has(map.key)`: false for values without keys, but an error for a list. */
export function hasKey(container: CelValue, key: string): boolean {
  if (isCelMap(container)) return container.get(key) !== undefined
  if (isCelList(container)) throw new Error('unsupported index type in list')
  return false
}

/** Reports whether a map has a key. */
export function isKey(key: CelValue, map: CelMap): boolean {
  return map.get(key as string) !== undefined
}

/** Implements `container[key]` for lists and maps. Throws for a missing element. */
export function getElement(container: CelValue, key: CelValue): CelValue {
  const element = isCelMap(container) ? container.get(key as string) : getItem(container, unwrapUint(key))
  if (element === undefined) throw new Error('no such key')
  return element
}

function getItem(container: CelValue, index: unknown): CelValue | undefined {
  if (!isCelList(container) || !isNumber(index)) throw new Error('no such overload')
  return Number.isInteger(Number(index)) ? container.get(Number(index)) : undefined
}

/** Implements `isSubtreeOf`: every key of `map` and its nested maps is in the other, with the same value and type. */
export function isSubtree(map: CelMap, other: CelMap): boolean {
  spend(map.size)
  for (const [key, value] of map) {
    const otherValue = other.get(key)
    if (otherValue === undefined) return false
    if (isCelMap(value) ? !isCelMap(otherValue) || !isSubtree(value, otherValue) : !isSameValue(value, otherValue))
      return false
  }
  return true
}

function isSameValue(left: CelValue, right: CelValue): boolean {
  const isUncomparable = (isCelList(left) && isCelList(right)) || (isBytes(left) && isBytes(right))
  if (isUncomparable) throw new Error('lists and bytes cannot be compared by isSubtreeOf')
  return kindOf(left) === kindOf(right) && isEqual(left, right)
}

function isBytes(value: CelValue): boolean {
  return value instanceof Uint8Array
}

function kindOf(value: CelValue): string {
  return isCelUint(value) ? 'uint' : typeof value
}

/**
 * Formats a value as a CEL literal. Returns undefined for values that would change type or meaning: a uint, which
 * SpiceDB checks as an int, and text that is not valid Unicode.
 */
export function printLiteral(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return printDouble(value)
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : undefined
  if (value instanceof Uint8Array) return `b"${[...value].map(printByte).join('')}"`
  if (isCelList(value)) return joinEnclosed('[', [...value].map(printLiteral), ']')
  if (isCelMap(value)) return joinEnclosed('{', [...value].map(printEntry), '}')
  return isReflectMessage(value) ? printTime(value) : undefined
}

function printEntry([key, value]: readonly [unknown, unknown]): string | undefined {
  const [name, text] = [printLiteral(key), printLiteral(value)]
  return name === undefined || text === undefined ? undefined : `${name}: ${text}`
}

function joinEnclosed(open: string, parts: (string | undefined)[], close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(', ')}${close}`
}

function printDouble(value: number): string {
  if (!Number.isFinite(value)) return `double("${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}")`
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

const printByte = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`

function printTime({ desc, message }: { desc: { typeName: string }; message: unknown }): string | undefined {
  const time = message as { seconds: bigint; nanos: number }
  if (desc.typeName === TimestampSchema.typeName) {
    const [day = '', clock = ''] = new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19).split('T')
    const fraction = time.nanos === 0 ? '' : `.${String(time.nanos).padStart(9, '0').replace(/0+$/, '')}`
    return `timestamp("${day}T${clock}${fraction}Z")`
  }
  if (desc.typeName !== DurationSchema.typeName) return undefined
  const nanos = nanosOf(time)
  if (BigInt.asIntN(64, nanos) !== nanos) return undefined
  return nanos % 1_000_000_000n === 0n ? `duration("${nanos / 1_000_000_000n}s")` : `duration("${nanos}ns")`
}
