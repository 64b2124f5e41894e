import type { MemoryGraph, Names } from '@passport/permissions'
import { type RowKey, type Terms, toRelationship } from './rows.ts'

const [tab, lineFeed] = [9, 10]
const columns = 7

/**
 * Adds relationships in the text format of PostgreSQL's COPY to a graph. There may be millions, so rows of ASCII without
 * terms are parsed from the bytes, and only the ids of new objects become strings.
 */
export class CopiedRows {
  readonly #graph: MemoryGraph
  readonly #names: NameNumbers
  /** The number of relationships per resource type, by type number. */
  readonly #counts: number[] = []
  /** The end of each column of the current row. */
  readonly #ends = new Int32Array(columns)
  /** The last resource and relation in the graph, and their place in the chunk: consecutive rows often share them. */
  #from = { objectAndRelation: 0, start: 0, end: 0 }
  /** The start of an incomplete row. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(graph: MemoryGraph) {
    this.#graph = graph
    this.#names = new NameNumbers(graph.names)
  }

  addChunk(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const end = bytes.lastIndexOf(lineFeed) + 1
    this.#from.end = this.#from.start
    for (let at = 0; at < end; ) at = this.#addRow(bytes, at)
    this.#rest = bytes.subarray(end)
  }

  /** Returns the number of relationships per resource type. */
  countByType(): Map<string, number> {
    return new Map(this.#counts.flatMap((count, type) => (count > 0 ? [[this.#graph.names.nameOf(type), count]] : [])))
  }

  /** Adds the row at `start`, and returns the start of the next one. */
  #addRow(bytes: Buffer, start: number): number {
    const ends = this.#ends
    let column = 0
    let union = 0
    let at = start
    for (; ; at++) {
      const byte = bytes[at] as number
      union |= byte
      if (byte !== tab && byte !== lineFeed) continue
      ends[column++] = at
      if (byte === lineFeed) break
    }
    const isPlain = union < 0x80 && at - (ends[5] as number) === '\t{}'.length
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
      const objectAndRelation = graph.ensureFromBytes(typeNumber, bytes, type + 1, id, relationNumber)
      this.#from = { objectAndRelation, start, end: relation }
    }
    const to = graph.ensureFromBytes(
      names.numberOf(bytes, relation + 1, subjectType),
      bytes,
      subjectType + 1,
      subjectId,
      names.numberOf(bytes, subjectId + 1, subjectRelation),
    )
    return graph.addUnconditional(this.#from.objectAndRelation, to)
  }

  #addText(line: string): boolean {
    const [row, terms] = parseLine(line)
    return this.#graph.add(toRelationship(row, terms))
  }
}

type Ends = [number, number, number, number, number, number]

/** Maps names in bytes to the numbers of a graph, without creating strings for frequent names. */
class NameNumbers {
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
    const number = this.#names.intern(bytes.toString('utf8', start, end))
    this.#known[slot] = { bytes: Buffer.from(bytes.subarray(start, end)), number }
    return number
  }
}

/** Reports whether two ranges have the same bytes. Compares backwards, because names and ids differ at their ends. */
function isSame(known: Buffer, from: number, to: number, bytes: Buffer, start: number, end: number): boolean {
  if (to - from !== end - start) return false
  for (let back = 1; back <= end - start; back++) if (known[to - back] !== bytes[end - back]) return false
  return true
}

function parseLine(line: string): [RowKey, Terms] {
  const [
    resourceType = '',
    resourceId = '',
    relation = '',
    subjectType = '',
    subjectId = '',
    subjectRelation = '',
    terms = '{}',
  ] = line.split('\t')
  // Names and ids contain no characters that COPY escapes.
  const row = { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation }
  return [row, JSON.parse(unescapeText(terms))]
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const unescapeText = (text: string) => text.replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign)
