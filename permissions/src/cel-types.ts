import type { CaveatType } from './schema.ts'

/**
 * A type as the checker of CEL sees it. `A` and `B` stand for any type in a signature, `none` is what the elements of
 * an empty list are, `dyn` is found out when it runs.
 */
export interface CelTerm {
  name: string
  /** Of a list its elements, of a map its values. */
  of?: CelTerm
  key?: CelTerm
}

export type Bindings = Map<string, CelTerm>

const string: CelTerm = { name: 'string' }

/** How a parameter is seen by expressions: SpiceDB checks a `uint` as an `int`. */
export function termOf(type: CaveatType): CelTerm {
  const of = type.of ? termOf(type.of) : { name: 'dyn' }
  if (type.name === 'list') return { name: 'list', of }
  if (type.name === 'map') return { name: 'map', key: string, of }
  return { name: type.name === 'any' ? 'dyn' : type.name === 'uint' ? 'int' : type.name }
}

/** Reads the way that types are written in signatures: `map<A,list<int>>`. */
export function readTerm(text: string): CelTerm {
  const list = /^list<(.+)>$/.exec(text)
  if (list) return { name: 'list', of: readTerm(list[1] ?? '') }
  const map = /^map<([^,]+),(.+)>$/.exec(text)
  if (map) return { name: 'map', key: readTerm(map[1] ?? ''), of: readTerm(map[2] ?? '') }
  return { name: text }
}

/** As in messages: `list<int>`. */
export function describeTerm({ name, of, key }: CelTerm): string {
  if (!of) return name === 'none' || name === 'dyn' ? 'any' : name
  return key ? `${name}<${describeTerm(key)}, ${describeTerm(of)}>` : `${name}<${describeTerm(of)}>`
}

/** Whether a type occurs in another. */
export function holds(term: CelTerm | undefined, name: string): boolean {
  return term !== undefined && (term.name === name || holds(term.of, name) || holds(term.key, name))
}

/** Whether a value of type `actual` may stand where `wanted` is asked for; what `A` and `B` stand for is kept in `bindings`. */
export function isAssignable(wanted: CelTerm, actual: CelTerm, bindings: Bindings): boolean {
  if (wanted.name === 'A' || wanted.name === 'B') return bind(wanted.name, actual, bindings)
  // An address that is compared as anything else than an address is an error in SpiceDB each time.
  if (wanted.name === 'dyn') return !holds(actual, 'ipaddress')
  if (actual.name === 'dyn') return !holds(wanted, 'ipaddress')
  if (actual.name === 'none' || wanted.name === 'none') return true
  if (actual.name === 'null') return ['null', 'timestamp', 'duration'].includes(wanted.name)
  if (wanted.name === 'null') return ['timestamp', 'duration'].includes(actual.name)
  if (wanted.name !== actual.name) return false
  if (wanted.key && actual.key && !isAssignable(wanted.key, actual.key, bindings)) return false
  return !wanted.of || !actual.of || isAssignable(wanted.of, actual.of, bindings)
}

function bind(name: string, actual: CelTerm, bindings: Bindings): boolean {
  const bound = bindings.get(name)
  if (bound && isAssignable(bound, actual, bindings)) {
    if (generality(actual) > generality(bound)) bindings.set(name, actual)
    return true
  }
  if (bound && !isAssignable(actual, bound, bindings)) return false
  bindings.set(name, actual)
  return true
}

/** More where more of it is left open; `none` is what gives way to all others. */
function generality({ name, of, key }: CelTerm): number {
  if (name === 'none') return -1
  if (name === 'dyn') return 100
  return (of ? generality(of) : 0) / 2 + (key ? generality(key) : 0) / 4
}

/** The type with what `A` and `B` were found to be. */
export function resolve(term: CelTerm, bindings: Bindings): CelTerm {
  const bound = bindings.get(term.name)
  if (bound) return bound
  if (!term.of) return term
  const of = resolve(term.of, bindings)
  return term.key ? { name: term.name, of, key: resolve(term.key, bindings) } : { name: term.name, of }
}

/** The type of the elements of a literal; nothing where an address would be hidden among other types. */
export function join(terms: CelTerm[]): CelTerm | undefined {
  let joined: CelTerm = { name: 'none' }
  for (const term of terms) {
    const bindings: Bindings = new Map([['A', joined]])
    if (isAssignable({ name: 'A' }, term, bindings)) joined = bindings.get('A') ?? term
    else if (holds(term, 'ipaddress') || holds(joined, 'ipaddress')) return undefined
    else joined = { name: 'dyn' }
  }
  return joined
}
