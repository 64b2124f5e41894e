import type { MemoryGraph } from '@passport/permissions/memory-graph'
import type { Names } from '@passport/permissions/name-numbers'
import { type RowKey, relationshipOf, type Terms } from './rows.ts'

const [tab, lineFeed] = [9, 10]
const columns = 7

/**
 * Puts into a graph what COPY sends of relationships as text (PostgreSQL, COPY, text format). There may be millions:
 * plain ones are read from the bytes, and no text is made of them but the id of an object that is new.
 */
export class CopiedRows {
  readonly #graph: MemoryGraph
  readonly #names: NumbersOfNames
  /** How many relationships have a resource of the type, by the number of the type. */
  readonly #counts: number[] = []
  /** Where each column of the row ends. */
  readonly #ends = new Int32Array(columns)
  /** The point of the last resource and relation, and where it stands: rows of one often follow each other. */
  #from = { point: 0, start: 0, end: 0 }
  /** The beginning of a row whose end is still to come. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(graph: MemoryGraph) {
    this.#graph = graph
    this.#names = new NumbersOfNames(graph.names)
  }

  take(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const end = bytes.lastIndexOf(lineFeed) + 1
    this.#from.end = this.#from.start
    for (let at = 0; at < end; ) at = this.#takeRow(bytes, at)
    this.#rest = bytes.subarray(end)
  }

  /** How many relationships have a resource of the type. */
  counts(): Map<string, number> {
    return new Map(this.#counts.flatMap((count, type) => (count > 0 ? [[this.#graph.names.nameOf(type), count]] : [])))
  }

  /** Returns where the next one begins. */
  #takeRow(bytes: Buffer, start: number): number {
    const ends = this.#ends
    let column = 0
    let all = 0
    let at = start
    for (; ; at++) {
      const byte = bytes[at] as number
      all |= byte
      if (byte !== tab && byte !== lineFeed) continue
      ends[column++] = at
      if (byte === lineFeed) break
    }
    const isPlain = all < 0x80 && at - (ends[5] as number) === '\t{}'.length
    const isNew = isPlain ? this.#addPlain(bytes, start) : this.#addText(bytes.toString('utf8', start, at))
    if (isNew) {
      const type = this.#names.numberOf(bytes, start, ends[0] as number)
      this.#counts[type] = (this.#counts[type] ?? 0) + 1
    }
    return at + 1
  }

  #addPlain(bytes: Buffer, start: number): boolean {
    const [graph, names, ends] = [this.#graph, this.#names, this.#ends]
    const [type, id, relation, subjectType, subjectId, subjectRelation] = ends as unknown as Ends
    const last = this.#from
    if (!isSame(bytes, last.start, last.end, bytes, start, relation)) {
      const typeNumber = names.numberOf(bytes, start, type)
      const relationNumber = names.numberOf(bytes, id + 1, relation)
      const point = graph.pointIn(typeNumber, bytes, type + 1, id, relationNumber)
      this.#from = { point, start, end: relation }
    }
    const to = graph.pointIn(
      names.numberOf(bytes, relation + 1, subjectType),
      bytes,
      subjectType + 1,
      subjectId,
      names.numberOf(bytes, subjectId + 1, subjectRelation),
    )
    return graph.addPlain(this.#from.point, to)
  }

  #addText(line: string): boolean {
    const [row, terms] = rowOfLine(line)
    return this.#graph.add(relationshipOf(row, terms))
  }
}

type Ends = [number, number, number, number, number, number]

/** Numbers of names that stand in bytes: of those that come often none is made a text. */
class NumbersOfNames {
  readonly #names: Names
  readonly #known: ({ bytes: Buffer; number: number } | undefined)[] = new Array(64).fill(undefined)

  constructor(names: Names) {
    this.#names = names
  }

  numberOf(bytes: Buffer, start: number, end: number): number {
    if (start === end) return 0
    const slot = ((end - start) * 31 + (bytes[start] as number) * 7 + (bytes[end - 1] as number)) & 63
    const known = this.#known[slot]
    if (known && isSame(known.bytes, 0, known.bytes.length, bytes, start, end)) return known.number
    const number = this.#names.numberOf(bytes.toString('utf8', start, end))
    this.#known[slot] = { bytes: Buffer.from(bytes.subarray(start, end)), number }
    return number
  }
}

/** Backwards: names and ids differ at their ends. */
function isSame(known: Buffer, from: number, to: number, bytes: Buffer, start: number, end: number): boolean {
  if (to - from !== end - start) return false
  for (let back = 1; back <= end - start; back++) if (known[to - back] !== bytes[end - back]) return false
  return true
}

function rowOfLine(line: string): [RowKey, Terms] {
  const [
    resourceType = '',
    resourceId = '',
    relation = '',
    subjectType = '',
    subjectId = '',
    subjectRelation = '',
    terms = '{}',
  ] = line.split('\t')
  // Names and ids hold nothing that COPY would escape.
  const row = { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation }
  return [row, JSON.parse(unescaped(terms))]
}

const signs: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const unescaped = (text: string) => text.replace(/\\(.)/g, (_, sign: string) => signs[sign] ?? sign)
