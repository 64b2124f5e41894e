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
import { compare, durationOf, elementAt, equal, hasKey, isKey, isSubtree, nanosOf, timestampOf } from './cel-values.ts'
import { parseBool, parseDouble, parseInt64, parseUint64, printDouble, printFixed } from './go-number.ts'
import { dateIn, type Instant, parseDuration, parseTimestamp, timestampParts } from './go-time.ts'
import { isInBlock } from './ip-address.ts'

const { BOOL, BYTES, DOUBLE, DYN, INT, STRING, UINT } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)
const TIMESTAMP = objectType(TimestampSchema)
const DURATION = objectType(DurationSchema)

/** From year 1 to year 9999, in seconds since 1970. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n]

const comparisons = [
  celFunc('@less', [DYN, DYN], BOOL, (l, r) => compare(l, r) < 0),
  celFunc('@less_equal', [DYN, DYN], BOOL, (l, r) => compare(l, r) <= 0),
  celFunc('@greater', [DYN, DYN], BOOL, (l, r) => compare(l, r) > 0),
  celFunc('@greater_equal', [DYN, DYN], BOOL, (l, r) => compare(l, r) >= 0),
  celFunc('_==_', [DYN, DYN], BOOL, equal),
  celFunc('_!=_', [DYN, DYN], BOOL, (l, r) => !equal(l, r)),
]

/** The library takes a key whose value is null for absent, and throws through the whole expression at `list[1.5]`. */
const containers = [
  celFunc('@has', [DYN, STRING], BOOL, hasKey),
  celFunc('@index', [DYN, DYN], DYN, elementAt),
  celFunc('@in', [DYN, LIST], BOOL, (value, list) => {
    spend(list.size)
    return [...list].some((element) => equal(element, value))
  }),
  ...[STRING, DOUBLE, INT, BOOL, UINT].map((key) => celFunc('@in', [key, MAP], BOOL, isKey)),
  // Copied: the library would nest a list in the next for each round of a loop.
  celFunc('_+_', [LIST, LIST], LIST, (l, r) => {
    spend(l.size + r.size)
    return celList([...l, ...r])
  }),
]

/** How many characters of a text are gone through in the time of a step. */
const charactersOfStep = 64

/** What loops are counted by, and the functions of the library that go through whole texts. */
const counted = [
  celFunc('@range', [DYN], DYN, (range) => {
    if (isCelList(range) || isCelMap(range)) spend(range.size)
    return range
  }),
  celFunc('@round', [DYN, INT], DYN, (condition, weight) => {
    spend(Number(weight))
    return condition
  }),
  celFunc('_+_', [STRING, STRING], STRING, (l, r) => {
    spend((l.length + r.length) / charactersOfStep)
    return l + r
  }),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    // Where it almost fits all along, each place is tried for as long as the part is.
    spend((this.length * (1 + part.length / charactersOfStep)) / charactersOfStep)
    return this.includes(part)
  }),
]

/** Where the library converts otherwise than Go: hexadecimal and blank text, instants in milliseconds, and so on. */
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
  celFunc('timestamp', [STRING], TIMESTAMP, (text) => timestampOf(inYears(parseTimestamp(text)))),
  celFunc('timestamp', [INT], TIMESTAMP, (seconds) => timestampOf(inYears({ seconds, nanos: 0 }))),
  celFunc('duration', [STRING], DURATION, (text) => durationOf(parseDuration(text) ?? fail('no duration'))),
  celFunc('duration', [INT], DURATION, () => fail('no such overload')),
  celFunc('_%_', [INT, INT], INT, remainder),
]

/** The library reads the parts of an instant by the clock of the process, on which an hour of the year is missing. */
const times = [
  ...Object.entries(timestampParts).flatMap(([name, part]) => [
    celMethod(name, TIMESTAMP, [], INT, function () {
      return BigInt(part(dateIn('', this.message), this.message.nanos))
    }),
    celMethod(name, TIMESTAMP, [STRING], INT, function (zone) {
      return BigInt(part(dateIn(zone, this.message), this.message.nanos))
    }),
  ]),
  celMethod('getMilliseconds', DURATION, [], INT, function () {
    return nanosOf(this.message) / 1_000_000n
  }),
]

/** What SpiceDB adds to CEL, and regular expressions. Addresses are normalised texts. */
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

/** Where expressions run: the library's functions, and ours in place of those that answer otherwise than SpiceDB. */
const environment = celEnv({
  funcs: [...comparisons, ...containers, ...counted, ...conversions, ...times, ...additions],
})

/**
 * Where two errors meet at `&&` or `||` the library keeps the id of the first, and forgets the errors that were kept in
 * it. With itself as its id nothing of it is lost: which parameters are missing hangs on that.
 */
Object.defineProperty(Object.getPrototypeOf(celError('')), 'exprId', {
  configurable: true,
  get(this: unknown) {
    return this
  },
})

/** The errors that an error was made of, itself first. */
export function errorsIn(error: unknown): Set<unknown> {
  const found = new Set<unknown>()
  const pending = [error]
  while (pending.length > 0) {
    const next = pending.pop()
    if (!isCelError(next) || found.has(next)) continue
    found.add(next)
    // What the library was told as its id: the first of those that met.
    pending.push((next as { _exprId?: unknown })._exprId)
    if (Array.isArray(next.cause)) pending.push(...next.cause)
  }
  return found
}

export type CelProgram = (bindings: Record<string, CelInput>) => unknown

/** Makes an expression ready to run. What goes wrong when it runs is returned as a `CelError`, not thrown. */
export function planExpression(expression: CelExpression): CelProgram {
  return plan(environment, expression)
}

function remainder(left: bigint, right: bigint): bigint {
  if (right === 0n) fail('modulus by zero')
  return left === -(2n ** 63n) && right === -1n ? fail('integer overflow') : left % right
}

function inYears(instant: Instant | undefined): Instant {
  const isSound = instant && instant.seconds >= firstSecond && instant.seconds <= lastSecond
  return isSound ? instant : fail('no timestamp')
}

function fail(message: string): never {
  throw new Error(message)
}
