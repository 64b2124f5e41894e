import { parseForeignJson } from '../http/foreign-json.ts'
import { cutText } from '../http/storable-text.ts'
import { ScimError } from './scim-error.ts'

/** A path to an attribute, as written: `urn:…:User:name.givenName` (RFC 7644, section 3.10). */
export interface AttributePath {
  /** The schema before the name; undefined for a short name. */
  urn?: string
  name: string
  sub?: string
}

export type FilterOperator = 'eq' | 'co' | 'sw'

/** A filter (RFC 7644, section 3.4.2.2) with the supported operators. */
export type Filter =
  | { kind: 'compare'; path: AttributePath; operator: FilterOperator; value: string | boolean | number | null }
  | { kind: 'and'; left: Filter; right: Filter }
  | { kind: 'or'; left: Filter; right: Filter }
  /** A value of the attribute matches the inner filter, whose paths are relative to it: `emails[type eq "work"]`. */
  | { kind: 'matches'; path: AttributePath; filter: Filter }

/**
 * An attribute, its values that match a filter, or a sub-attribute of those: the target of a PATCH operation (RFC 7644,
 * figure 7). A comparison has the same form, since Entra filters by `emails[type eq "work"].value eq "…"`.
 */
export interface PatchPath extends AttributePath {
  filter?: Filter
}

const maxLength = 4096
const maxDepth = 16
const maxComparisons = 100
const supported = ['eq', 'co', 'sw']

const invalidFilter = (detail: string) =>
  new ScimError(400, detail, {
    scimType: 'invalidFilter',
    help: 'Filters may use eq, co, sw, and, or and parentheses.',
  })

/** Parses a filter. Throws 400 `invalidFilter`, also for one that is too long or too deep. */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text, invalidFilter)
  const filter = parser.readFilter()
  parser.expectEnd()
  return filter
}

/** Parses the path of a PATCH operation. Throws 400 `invalidPath`. */
export function parsePatchPath(text: string): PatchPath {
  const parser = new Parser(
    text,
    (detail) =>
      new ScimError(400, `The path “${text.slice(0, 100)}” is not valid. ${detail}`, { scimType: 'invalidPath' }),
  )
  const path = parser.readTarget()
  parser.expectEnd()
  return path
}

/** Parses the name of an attribute in a parameter such as `sortBy`; returns undefined for any other text. */
export function parseAttributePath(text: string): AttributePath | undefined {
  try {
    const { filter, ...path } = parsePatchPath(text)
    return filter === undefined ? path : undefined
  } catch {
    return undefined
  }
}

/** A recursive descent parser; the depth and the number of comparisons are limited. */
class Parser {
  readonly #text: string
  readonly #fail: (detail: string) => ScimError
  #position = 0
  #depth = 0
  #comparisons = 0

  constructor(text: string, fail: (detail: string) => ScimError) {
    this.#text = text
    this.#fail = fail
    if (text.length > maxLength) throw fail(`It has more than ${maxLength} characters.`)
  }

  readFilter(): Filter {
    if (++this.#depth > maxDepth) throw this.#fail(`It is nested more than ${maxDepth} levels deep.`)
    let left = this.#readConjunction()
    while (this.#acceptWord('or')) left = { kind: 'or', left, right: this.#readConjunction() }
    this.#depth--
    return left
  }

  #readConjunction(): Filter {
    let left = this.#readTerm()
    while (this.#acceptWord('and')) left = { kind: 'and', left, right: this.#readTerm() }
    return left
  }

  #readTerm(): Filter {
    this.#skipSpaces()
    if (this.accept('(')) {
      const filter = this.readFilter()
      this.expect(')')
      return filter
    }
    if (++this.#comparisons > maxComparisons) throw this.#fail(`It has more than ${maxComparisons} comparisons.`)
    const { filter, ...path } = this.readTarget()
    if (filter === undefined) return this.#readComparison(path)
    const { sub, ...attribute } = path
    if (sub === undefined) return { kind: 'matches', path, filter }
    const right = this.#readComparison({ name: sub })
    return { kind: 'matches', path: attribute, filter: { kind: 'and', left: filter, right } }
  }

  #readComparison(path: AttributePath): Filter {
    this.#skipSpaces()
    const operator = this.#read(/[a-z]+/iy)?.toLowerCase() ?? ''
    if (!supported.includes(operator))
      throw this.#fail(
        operator ? `The operator ${operator} is not supported.` : `An operator is missing${this.#place()}.`,
      )
    this.#skipSpaces()
    return { kind: 'compare', path, operator: operator as FilterOperator, value: this.#readValue() }
  }

  readTarget(): PatchPath {
    const path: PatchPath = this.#readAttributePath()
    if (path.sub !== undefined || !this.accept('[')) return path
    path.filter = this.readFilter()
    this.expect(']')
    if (this.accept('.')) path.sub = this.#readName()
    return path
  }

  #readAttributePath(): AttributePath {
    this.#skipSpaces()
    const urn = this.#read(/urn:[\w.:-]+(?=:)/iy)
    if (urn !== undefined) this.expect(':')
    const name = this.#readName()
    const sub = this.accept('.') ? this.#readName() : undefined
    return { ...(urn !== undefined && { urn }), name, ...(sub !== undefined && { sub }) }
  }

  #readName(): string {
    const name = this.#read(/\$?[a-z][\w-]*/iy)
    if (name === undefined) throw this.#fail(`The name of an attribute is missing${this.#place()}.`)
    return name
  }

  #readValue(): string | boolean | number | null {
    const literal = this.#read(/"(?:[^"\\]|\\.)*"|true|false|null|-?\d+(?:\.\d+)?/iy)
    if (literal === undefined) throw this.#fail(`A value is missing${this.#place()}. Texts are in double quotes.`)
    try {
      return parseForeignJson(literal.startsWith('"') ? literal : literal.toLowerCase()) as string
    } catch {
      throw this.#fail(`The value ${cutText(literal, 100)} is not valid.`)
    }
  }

  accept(character: string): boolean {
    if (character !== '.') this.#skipSpaces()
    if (this.#text[this.#position] !== character) return false
    this.#position++
    return true
  }

  expect(character: string): void {
    if (!this.accept(character)) throw this.#fail(`“${character}” is missing${this.#place()}.`)
  }

  expectEnd(): void {
    this.#skipSpaces()
    if (this.#position < this.#text.length) throw this.#fail(`The text${this.#place()} is not expected.`)
  }

  #acceptWord(word: string): boolean {
    this.#skipSpaces()
    return this.#read(new RegExp(`${word}(?![\\w.:-])`, 'iy')) !== undefined
  }

  #read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position
    const [match] = pattern.exec(this.#text) ?? []
    if (match === undefined) return undefined
    this.#position += match.length
    return match
  }

  #skipSpaces(): void {
    while (this.#text[this.#position] === ' ') this.#position++
  }

  #place(): string {
    return ` at character ${this.#position + 1}`
  }
}

/** Formats a filter so that `parseFilter` returns an equal one. */
export function formatFilter(filter: Filter): string {
  if (filter.kind === 'compare') return `${formatPath(filter.path)} ${filter.operator} ${JSON.stringify(filter.value)}`
  if (filter.kind === 'matches') return `${formatPath(filter.path)}[${formatFilter(filter.filter)}]`
  return `(${formatFilter(filter.left)}) ${filter.kind} (${formatFilter(filter.right)})`
}

const formatPath = ({ urn, name, sub }: AttributePath) =>
  `${urn === undefined ? '' : `${urn}:`}${name}${sub === undefined ? '' : `.${sub}`}`
