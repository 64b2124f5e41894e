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

/** The type of a parameter in expressions: SpiceDB checks a `uint` as an `int`. */
export function toCelType(type: CaveatType): CelType {
  const of = type.of ? toCelType(type.of) : { name: 'dyn' }
  if (type.name === 'list') return { name: 'list', of }
  if (type.name === 'map') return { name: 'map', key: string, of }
  return { name: type.name === 'any' ? 'dyn' : type.name === 'uint' ? 'int' : type.name }
}

/** Parses a type as written in signatures: `map<A,list<int>>`. */
export function parseCelType(text: string): CelType {
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

/** Reports whether a type contains another. */
export function containsCelType(term: CelType | undefined, name: string): boolean {
  return term !== undefined && (term.name === name || containsCelType(term.of, name) || containsCelType(term.key, name))
}

/**
 * Reports whether a value of type `actual` is assignable to `wanted`. Records the types of `A` and `B` in `bindings`.
 */
export function isAssignable(expected: CelType, actual: CelType, bindings: Bindings): boolean {
  if (expected.name === 'A' || expected.name === 'B') return bind(expected.name, actual, bindings)
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

function bind(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name)
  if (bound && isAssignable(bound, actual, bindings)) {
    if (generality(actual) > generality(bound)) bindings.set(name, actual)
    return true
  }
  if (bound && !isAssignable(actual, bound, bindings)) return false
  bindings.set(name, actual)
  return true
}

/** Ranks types by how general they are; `none` gives way to all others. */
function generality({ name, of, key }: CelType): number {
  if (name === 'none') return -1
  if (name === 'dyn') return 100
  return (of ? generality(of) : 0) / 2 + (key ? generality(key) : 0) / 4
}

/** Replaces the type parameters `A` and `B` with their bound types. */
export function resolve(term: CelType, bindings: Bindings): CelType {
  const bound = bindings.get(term.name)
  if (bound) return bound
  if (!term.of) return term
  const of = resolve(term.of, bindings)
  return term.key ? { name: term.name, of, key: resolve(term.key, bindings) } : { name: term.name, of }
}

/** Returns the element type of a literal, or undefined if an address would be mixed with other types. */
export function join(terms: CelType[]): CelType | undefined {
  let joined: CelType = { name: 'none' }
  for (const term of terms) {
    const bindings: Bindings = new Map([['A', joined]])
    if (isAssignable({ name: 'A' }, term, bindings)) joined = bindings.get('A') ?? term
    else if (containsCelType(term, 'ipaddress') || containsCelType(joined, 'ipaddress')) return undefined
    else joined = { name: 'dyn' }
  }
  return joined
}
