import type { CaveatType } from '../schema/schema.ts'

/**
 * A type in the CEL checker. `A` and `B` are type parameters of a signature, `none` is the element type of an empty
 * list, and `dyn` is resolved at run time.
 */
export interface CelType {
  name: string
  /** The element type of a list, or the value type of a map. */
  of?: CelType
  key?: CelType
}

export type Bindings = Map<string, CelType>

const string: CelType = { name: 'string' }

/** Returns the type of a parameter in expressions. SpiceDB checks a `uint` as an `int`. */
export function toCelType(type: CaveatType): CelType {
  const of = type.of ? toCelType(type.of) : { name: 'dyn' }
  if (type.name === 'list') return { name: 'list', of }
  if (type.name === 'map') return { name: 'map', key: string, of }
  return { name: type.name === 'any' ? 'dyn' : type.name === 'uint' ? 'int' : type.name }
}

/** Parses a type as written in signatures: `map<A,list<int>>`. */
function parseCelType(text: string): CelType {
  const list = /^list<(.+)>$/.exec(text)
  if (list) return { name: 'list', of: parseCelType(list[1] ?? '') }
  const map = /^map<([^,]+),(.+)>$/.exec(text)
  if (map) return { name: 'map', key: parseCelType(map[1] ?? ''), of: parseCelType(map[2] ?? '') }
  return { name: text }
}

/** Formats a type for messages: `list<int>`. */
export function printCelType({ name, of, key }: CelType): string {
  if (!of) return name === 'none' || name === 'dyn' ? 'any' : name
  return key ? `${name}<${printCelType(key)}, ${printCelType(of)}>` : `${name}<${printCelType(of)}>`
}

/** Reports whether a type is, or contains, the type with a name. */
export function containsCelType(term: CelType | undefined, name: string): boolean {
  return term !== undefined && (term.name === name || containsCelType(term.of, name) || containsCelType(term.key, name))
}

/**
 * Reports whether a value of type `actual` is assignable to `expected`. Sets the types of `A` and `B` in `bindings`.
 */
export function isAssignable(expected: CelType, actual: CelType, bindings: Bindings): boolean {
  if (expected.name === 'A' || expected.name === 'B') return bindType(expected.name, actual, bindings)
  // Comparing an address with another type is always an error in SpiceDB.
  if (expected.name === 'dyn') return !containsCelType(actual, 'ipaddress')
  if (actual.name === 'dyn') return !containsCelType(expected, 'ipaddress')
  if (actual.name === 'none' || expected.name === 'none') return true
  if (actual.name === 'null') return ['null', 'timestamp', 'duration'].includes(expected.name)
  if (expected.name === 'null') return ['timestamp', 'duration'].includes(actual.name)
  if (expected.name !== actual.name) return false
  if (expected.key && actual.key && !isAssignable(expected.key, actual.key, bindings)) return false
  return !expected.of || !actual.of || isAssignable(expected.of, actual.of, bindings)
}

function bindType(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name)
  if (bound && isAssignable(bound, actual, bindings)) {
    if (rankGenerality(actual) > rankGenerality(bound)) bindings.set(name, actual)
    return true
  }
  if (bound && !isAssignable(actual, bound, bindings)) return false
  bindings.set(name, actual)
  return true
}

/** Ranks a type by its generality: `none` is lowest, `dyn` highest. */
function rankGenerality({ name, of, key }: CelType): number {
  if (name === 'none') return -1
  if (name === 'dyn') return 100
  return (of ? rankGenerality(of) : 0) / 2 + (key ? rankGenerality(key) : 0) / 4
}

/** Replaces the type parameters `A` and `B` with their bound types. */
export function resolveType(term: CelType, bindings: Bindings): CelType {
  const bound = bindings.get(term.name)
  if (bound) return bound
  if (!term.of) return term
  const of = resolveType(term.of, bindings)
  return term.key ? { name: term.name, of, key: resolveType(term.key, bindings) } : { name: term.name, of }
}

/** Returns the common type of the elements of a literal, or undefined if an address is among values of other types. */
export function joinTypes(terms: CelType[]): CelType | undefined {
  let joined: CelType = { name: 'none' }
  for (const term of terms) {
    const bindings: Bindings = new Map([['A', joined]])
    if (isAssignable({ name: 'A' }, term, bindings)) joined = bindings.get('A') ?? term
    else if (containsCelType(term, 'ipaddress') || containsCelType(joined, 'ipaddress')) return undefined
    else joined = { name: 'dyn' }
  }
  return joined
}

/** The parameter types and the result type of a function. */
export interface Signature {
  parameters: CelType[]
  result: CelType
}

const numbers = ['int int int', 'uint uint uint', 'double double double']
const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'].map(
  (t) => `${t} ${t} bool`,
)
const sizes = ['string int', 'bytes int', 'list<A> int', 'map<A,B> int']
const part = ['timestamp int', 'timestamp string int']
const partOrLength = [...part, 'duration int']

/**
 * The supported functions and operators of SpiceDB's CEL, each with its signatures: the argument types, then the result
 * type.
 */
export const functions = readSignatures({
  '!_': ['bool bool'],
  '-_': ['int int', 'double double'],
  '_+_': [
    ...numbers,
    'string string string',
    'bytes bytes bytes',
    'list<A> list<A> list<A>',
    'duration duration duration',
    'timestamp duration timestamp',
    'duration timestamp timestamp',
  ],
  '_-_': [...numbers, 'timestamp timestamp duration', 'timestamp duration timestamp', 'duration duration duration'],
  '_*_': numbers,
  '_/_': numbers,
  '_%_': ['int int int', 'uint uint uint'],
  '_==_': ['A A bool'],
  '_!=_': ['A A bool'],
  '_<_': ordered,
  '_<=_': ordered,
  '_>_': ordered,
  '_>=_': ordered,
  '_&&_': ['bool bool bool'],
  '_||_': ['bool bool bool'],
  '_?_:_': ['bool A A A'],
  '@in': ['A list<A> bool', 'A map<A,B> bool'],
  '_[_]': ['list<A> int A', 'map<A,B> A B'],
  '@not_strictly_false': ['bool bool'],
  size: sizes,
  matches: ['string string bool'],
  dyn: ['A dyn'],
  int: ['int int', 'uint int', 'double int', 'string int', 'timestamp int', 'duration int'],
  uint: ['uint uint', 'int uint', 'double uint', 'string uint'],
  double: ['double double', 'int double', 'uint double', 'string double'],
  bool: ['bool bool', 'string bool'],
  string: [
    'string string',
    'bool string',
    'int string',
    'uint string',
    'double string',
    'bytes string',
    'duration string',
  ],
  bytes: ['bytes bytes', 'string bytes'],
  timestamp: ['timestamp timestamp', 'string timestamp', 'int timestamp'],
  duration: ['duration duration', 'string duration'],
})

/** The supported methods; the first parameter is the receiver. */
export const methods = readSignatures({
  size: sizes,
  contains: ['string string bool'],
  endsWith: ['string string bool'],
  startsWith: ['string string bool'],
  matches: ['string string bool'],
  getFullYear: part,
  getMonth: part,
  getDate: part,
  getDayOfMonth: part,
  getDayOfWeek: part,
  getDayOfYear: part,
  getHours: partOrLength,
  getMinutes: partOrLength,
  getSeconds: partOrLength,
  getMilliseconds: partOrLength,
  in_cidr: ['ipaddress string bool'],
  isSubtreeOf: ['map<string,dyn> map<string,dyn> bool'],
})

function readSignatures(table: Record<string, string[]>): ReadonlyMap<string, Signature[]> {
  return new Map(Object.entries(table).map(([name, signatures]) => [name, signatures.map(readSignature)]))
}

function readSignature(text: string): Signature {
  const terms = text.split(' ').map(parseCelType)
  return { parameters: terms.slice(0, -1), result: terms.at(-1) ?? { name: 'dyn' } }
}
