import {
  type CelInput,
  CelScalar,
  celEnv,
  celError,
  celFunc,
  celList,
  celMethod,
  celUint,
  isCelError,
  isCelList,
  isCelMap,
  listType,
  mapType,
  objectType,
  plan,
} from '@bufbuild/cel'
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import type { CelExpression } from './cel-expression.ts'
import { spend } from './cel-meter.ts'
import { matches } from './cel-patterns.ts'
import {
  compare,
  getElement,
  hasKey,
  isEqual,
  isKey,
  isSubtree,
  nanosOf,
  toDuration,
  toTimestamp,
} from './cel-values.ts'
import {
  type Instant,
  isInBlock,
  parseBool,
  parseDouble,
  parseDuration,
  parseInt64,
  parseTimestamp,
  parseUint64,
  printDouble,
  printFixed,
  timestampParts,
  toLocalDate,
} from './go-formats.ts'

const { BOOL, BYTES, DOUBLE, DYN, INT, STRING, UINT } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)
const TIMESTAMP = objectType(TimestampSchema)
const DURATION = objectType(DurationSchema)

/** The years 1 to 9999, in Unix seconds. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n]

const comparisons = [
  celFunc('@less', [DYN, DYN], BOOL, (l, r) => compare(l, r) < 0),
  celFunc('@less_equal', [DYN, DYN], BOOL, (l, r) => compare(l, r) <= 0),
  celFunc('@greater', [DYN, DYN], BOOL, (l, r) => compare(l, r) > 0),
  celFunc('@greater_equal', [DYN, DYN], BOOL, (l, r) => compare(l, r) >= 0),
  celFunc('_==_', [DYN, DYN], BOOL, isEqual),
  celFunc('_!=_', [DYN, DYN], BOOL, (l, r) => !isEqual(l, r)),
]

/** In the library, a key with a null value is absent, and `list[1.5]` throws out of the whole expression. */
const containers = [
  celFunc('@has', [DYN, STRING], BOOL, hasKey),
  celFunc('@index', [DYN, DYN], DYN, getElement),
  celFunc('@in', [DYN, LIST], BOOL, (value, list) => {
    spend(list.size)
    return [...list].some((element) => isEqual(element, value))
  }),
  ...[STRING, DOUBLE, INT, BOOL, UINT].map((key) => celFunc('@in', [key, MAP], BOOL, isKey)),
  // Copies the list: the library would nest one list in the next for each round of a loop.
  celFunc('_+_', [LIST, LIST], LIST, (l, r) => {
    spend(l.size + r.size)
    return celList([...l, ...r])
  }),
]

/** The number of characters processed in one step. */
const charactersPerStep = 64

/** The hooks that `addMetering` adds to loops, and functions of the library that scan whole strings. */
const meteredFunctions = [
  celFunc('@range', [DYN], DYN, (range) => {
    if (isCelList(range) || isCelMap(range)) spend(range.size)
    return range
  }),
  celFunc('@round', [DYN, INT], DYN, (condition, weight) => {
    spend(Number(weight))
    return condition
  }),
  celFunc('_+_', [STRING, STRING], STRING, (l, r) => {
    spend((l.length + r.length) / charactersPerStep)
    return l + r
  }),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    // In the worst case, an almost matching substring is compared at every position.
    spend((this.length * (1 + part.length / charactersPerStep)) / charactersPerStep)
    return this.includes(part)
  }),
]

/**
 * Conversions in which the library differs from Go, for example for hexadecimal and blank strings and for timestamps in
 * milliseconds.
 */
const conversions = [
  celFunc('int', [STRING], INT, parseInt64),
  celFunc('int', [DURATION], INT, ({ message }) => nanosOf(message)),
  celFunc('uint', [STRING], UINT, (text) => celUint(parseUint64(text))),
  celFunc('double', [STRING], DOUBLE, parseDouble),
  celFunc('bool', [STRING], BOOL, parseBool),
  celFunc('string', [DOUBLE], STRING, printDouble),
  celFunc('string', [BYTES], STRING, (bytes) =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  ),
  celFunc(
    'string',
    [DURATION],
    STRING,
    ({ message }) => `${printFixed(Number(message.seconds) + message.nanos / 1e9)}s`,
  ),
  celFunc('string', [TIMESTAMP], STRING, () => fail('the text of a timestamp is not supported')),
  celFunc('timestamp', [STRING], TIMESTAMP, (text) => toTimestamp(requireSupportedYear(parseTimestamp(text)))),
  celFunc('timestamp', [INT], TIMESTAMP, (seconds) => toTimestamp(requireSupportedYear({ seconds, nanos: 0 }))),
  celFunc('duration', [STRING], DURATION, (text) => toDuration(parseDuration(text) ?? fail('no duration'))),
  celFunc('duration', [INT], DURATION, () => fail('no such overload')),
  celFunc('_%_', [INT, INT], INT, computeRemainder),
]

/**
 * The library computes parts of timestamps in the time zone of the process, where daylight saving time skips an hour.
 */
const times = [
  ...Object.entries(timestampParts).flatMap(([name, part]) => [
    celMethod(name, TIMESTAMP, [], INT, function () {
      return BigInt(part(toLocalDate('', this.message), this.message.nanos))
    }),
    celMethod(name, TIMESTAMP, [STRING], INT, function (zone) {
      return BigInt(part(toLocalDate(zone, this.message), this.message.nanos))
    }),
  ]),
  celMethod('getMilliseconds', DURATION, [], INT, function () {
    return nanosOf(this.message) / 1_000_000n
  }),
]

/** SpiceDB's additions to CEL, with addresses as normalised strings, and regular expressions. */
const additions = [
  celMethod('in_cidr', STRING, [STRING], BOOL, function (block) {
    return isInBlock(this, block) ?? fail(`invalid CIDR string: ${block}`)
  }),
  celMethod('isSubtreeOf', MAP, [MAP], BOOL, function (other) {
    return isSubtree(this, other)
  }),
  celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
    return matches(this, pattern)
  }),
  celFunc('matches', [STRING, STRING], BOOL, matches),
]

/** The library's functions, with ours replacing those that differ from SpiceDB. */
const environment = celEnv({
  funcs: [...comparisons, ...containers, ...meteredFunctions, ...conversions, ...times, ...additions],
})

/**
 * Makes each error its own id. When both operands of `&&` or `||` are errors, the library keeps only the id of the
 * first, and would lose the errors merged into it, which the list of missing parameters needs.
 */
Object.defineProperty(Object.getPrototypeOf(celError('')), 'exprId', {
  configurable: true,
  get(this: unknown) {
    return this
  },
})

/** Returns the errors merged into an error, the error itself first. */
export function collectErrors(error: unknown): Set<unknown> {
  const errors = new Set<unknown>()
  const pending = [error]
  while (pending.length > 0) {
    const next = pending.pop()
    if (!isCelError(next) || errors.has(next)) continue
    errors.add(next)
    // The id of merged errors is the first of them.
    pending.push((next as { _exprId?: unknown })._exprId)
    if (Array.isArray(next.cause)) pending.push(...next.cause)
  }
  return errors
}

export type CelProgram = (bindings: Record<string, CelInput>) => unknown

/** Plans an expression for evaluation. Runtime errors are returned as a `CelError`, not thrown. */
export function planExpression(expression: CelExpression): CelProgram {
  return plan(environment, expression)
}

function computeRemainder(left: bigint, right: bigint): bigint {
  if (right === 0n) fail('modulus by zero')
  return left === -(2n ** 63n) && right === -1n ? fail('integer overflow') : left % right
}

function requireSupportedYear(instant: Instant | undefined): Instant {
  const isInRange = instant && instant.seconds >= firstSecond && instant.seconds <= lastSecond
  return isInRange ? instant : fail('no timestamp')
}

function fail(message: string): never {
  throw new Error(message)
}
