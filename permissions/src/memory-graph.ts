import { grown } from './columns.ts'
import type { Condition, Graph } from './graph.ts'
import { Names } from './name-numbers.ts'
import { ObjectIndex } from './object-index.ts'
import { PairIndex } from './pair-index.ts'
import { type ReadPage, readOrdered } from './read-relationships.ts'
import type { Relationship, RelationshipFilter, SubjectReference } from './relationship.ts'

const none = -1

/**
 * A set of relationships in memory, made for walking: out by resource and relation, in by subject. Everything is a
 * number in typed arrays; caveats and expirations are kept aside. Adding and removing take about constant time, and what
 * nobody refers to any more is given back.
 */
export class MemoryGraph implements Graph {
  readonly names: Names
  readonly #objects = new ObjectIndex()
  /** How many points an object has. */
  #objectPoints = new Int32Array(16)
  readonly #points = new PairIndex()
  #objectHead = new Int32Array(16)
  #setHead = new Int32Array(16)
  #inHead = new Int32Array(16)
  readonly #edges = new PairIndex()
  #nextOut = new Int32Array(16)
  #previousOut = new Int32Array(16)
  #nextIn = new Int32Array(16)
  #previousIn = new Int32Array(16)
  #isConditional = new Uint8Array(16)
  readonly #conditions = new Map<number, Condition>()

  /** `names` may be shared by graphs that are asked with the same schema. */
  constructor(names = new Names()) {
    this.names = names
  }

  /** How many relationships there are, the expired ones with them. */
  get size(): number {
    return this.#edges.size
  }

  /** Of the arrays; the texts of ids are not counted. */
  get bytes(): number {
    const columns = [this.#objectHead, this.#setHead, this.#inHead, this.#objectPoints, this.#isConditional]
    const links = [this.#nextOut, this.#previousOut, this.#nextIn, this.#previousIn]
    const linked = [...columns, ...links].reduce((bytes, column) => bytes + column.byteLength, 0)
    return linked + this.#objects.bytes + this.#points.bytes + this.#edges.bytes
  }

  /** Puts it there, or in the place of the same one with another caveat or expiration. Tells whether it was new. */
  add(relationship: Relationship): boolean {
    const { resource, relation, subject } = relationship
    const from = this.#point(resource.type, resource.id, relation)
    const to = this.#point(subject.type, subject.id, subject.relation ?? '')
    const known = this.#edges.find(from, to)
    const edge = known === none ? this.#link(from, to) : known
    this.#setCondition(edge, relationship)
    return known === none
  }

  /** Like `add`, of one that always counts, between two points of `pointIn`. */
  addPlain(from: number, to: number): boolean {
    const known = this.#edges.find(from, to)
    this.#setCondition(known === none ? this.#link(from, to) : known, {})
    return known === none
  }

  /**
   * The point of an object and a relation by their numbers, its id in bytes of ASCII. It is made where there is none,
   * and something has to be added to it then.
   */
  pointIn(type: number, bytes: Uint8Array, start: number, end: number, relation: number): number {
    const known = this.#objects.findBytes(type, bytes, start, end)
    const object = known === none ? this.#newObject(type, textIn(bytes, start, end)) : known
    return this.#pointOf(object, relation)
  }

  /** Its caveat and expiration do not matter. Tells whether it was there. */
  remove(relationship: Relationship): boolean {
    const edge = this.findRelationship(relationship)
    if (edge === none) return false
    const from = this.edgeResource(edge)
    const to = this.edgeSubject(edge)
    this.#conditions.delete(edge)
    this.#isConditional[edge] = 0
    this.#unlink(edge, from, to)
    this.#forget(from)
    if (to !== from) this.#forget(to)
    return true
  }

  /** The edge of a relationship, by its resource, relation and subject. */
  findRelationship({ resource, relation, subject }: Pick<Relationship, 'resource' | 'relation' | 'subject'>): number {
    const from = this.#findPointOf({ ...resource, relation })
    const to = this.#findPointOf(subject)
    return from === none || to === none ? none : this.#edges.find(from, to)
  }

  /**
   * Those that fit the filter, ordered by the type and id of the resource, the relation, and the type, id and relation
   * of the subject; at most `limit`, after `after` in that order. Expired ones are among them unless `now` is told.
   */
  read(filter: RelationshipFilter, page: ReadPage = { limit: Number.POSITIVE_INFINITY }): Relationship[] {
    return readOrdered(this, filter, page)
  }

  /** All objects, by number. */
  *objects(): Iterable<number> {
    for (let object = 0; object < this.#objects.ids.length; object++) {
      if (this.#objects.ids[object] !== undefined) yield object
    }
  }

  findObject(type: number, id: string): number {
    return this.#objects.find(type, id)
  }

  objectType(object: number): number {
    return this.#objects.type[object] as number
  }

  objectId(object: number): string {
    return this.#objects.ids[object] as string
  }

  findPoint(object: number, relation: number): number {
    return this.#points.find(object, relation)
  }

  pointObject(point: number): number {
    return this.#points.first[point] as number
  }

  pointRelation(point: number): number {
    return this.#points.second[point] as number
  }

  findEdge(resource: number, subject: number): number {
    return this.#edges.find(resource, subject)
  }

  edgeResource(edge: number): number {
    return this.#edges.first[edge] as number
  }

  edgeSubject(edge: number): number {
    return this.#edges.second[edge] as number
  }

  firstObject(point: number): number {
    return this.#objectHead[point] as number
  }

  firstSet(point: number): number {
    return this.#setHead[point] as number
  }

  nextOut(edge: number): number {
    return this.#nextOut[edge] as number
  }

  firstIn(point: number): number {
    return this.#inHead[point] as number
  }

  nextIn(edge: number): number {
    return this.#nextIn[edge] as number
  }

  conditionOf(edge: number): Condition | undefined {
    return this.#isConditional[edge] === 1 ? this.#conditions.get(edge) : undefined
  }

  relationshipOf(edge: number): Relationship {
    const from = this.edgeResource(edge)
    const { relation, ...resource } = this.#reference(from)
    const { relation: subjectRelation, ...subject } = this.#reference(this.edgeSubject(edge))
    return {
      resource,
      relation,
      subject: subjectRelation === '' ? subject : { ...subject, relation: subjectRelation },
      ...this.conditionOf(edge),
    }
  }

  #reference(point: number) {
    const object = this.pointObject(point)
    return {
      type: this.names.nameOf(this.objectType(object)),
      id: this.objectId(object),
      relation: this.names.nameOf(this.pointRelation(point)),
    }
  }

  #findPointOf({ type, id, relation = '' }: SubjectReference): number {
    const object = this.#objects.find(this.names.find(type), id)
    return object === none ? none : this.#points.find(object, this.names.find(relation))
  }

  #point(type: string, id: string, relation: string): number {
    const typeNumber = this.names.numberOf(type)
    const known = this.#objects.find(typeNumber, id)
    const object = known === none ? this.#newObject(typeNumber, id) : known
    return this.#pointOf(object, this.names.numberOf(relation))
  }

  #newObject(type: number, id: string): number {
    const object = this.#objects.insert(type, id)
    this.#objectPoints = grown(this.#objectPoints, object + 1)
    this.#objectPoints[object] = 0
    return object
  }

  #pointOf(object: number, relation: number): number {
    const known = this.#points.find(object, relation)
    return known === none ? this.#newPoint(object, relation) : known
  }

  #newPoint(object: number, relation: number): number {
    const point = this.#points.insert(object, relation)
    this.#objectHead = grown(this.#objectHead, point + 1)
    this.#setHead = grown(this.#setHead, point + 1)
    this.#inHead = grown(this.#inHead, point + 1)
    this.#objectHead[point] = none
    this.#setHead[point] = none
    this.#inHead[point] = none
    this.#objectPoints[object] = (this.#objectPoints[object] as number) + 1
    return point
  }

  #link(from: number, to: number): number {
    const edge = this.#edges.insert(from, to)
    this.#nextOut = grown(this.#nextOut, edge + 1)
    this.#previousOut = grown(this.#previousOut, edge + 1)
    this.#nextIn = grown(this.#nextIn, edge + 1)
    this.#previousIn = grown(this.#previousIn, edge + 1)
    this.#isConditional = grown(this.#isConditional, edge + 1)
    pushFront(edge, from, this.#outHead(to), this.#nextOut, this.#previousOut)
    pushFront(edge, to, this.#inHead, this.#nextIn, this.#previousIn)
    return edge
  }

  #unlink(edge: number, from: number, to: number): void {
    takeOut(edge, from, this.#outHead(to), this.#nextOut, this.#previousOut)
    takeOut(edge, to, this.#inHead, this.#nextIn, this.#previousIn)
    this.#edges.remove(edge)
  }

  #outHead(subject: number): Int32Array {
    return this.pointRelation(subject) === 0 ? this.#objectHead : this.#setHead
  }

  #forget(point: number): void {
    if (this.#objectHead[point] !== none || this.#setHead[point] !== none || this.#inHead[point] !== none) return
    const object = this.pointObject(point)
    this.#points.remove(point)
    const left = (this.#objectPoints[object] as number) - 1
    this.#objectPoints[object] = left
    if (left === 0) this.#objects.remove(object)
  }

  #setCondition(edge: number, { caveat, expiresAt }: Condition): void {
    const isConditional = caveat !== undefined || expiresAt !== undefined
    if (!isConditional && this.#isConditional[edge] === 0) return
    this.#isConditional[edge] = isConditional ? 1 : 0
    if (!isConditional) this.#conditions.delete(edge)
    else this.#conditions.set(edge, { ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) })
  }
}

const ascii = new TextDecoder('latin1')
const textIn = (bytes: Uint8Array, start: number, end: number) => ascii.decode(bytes.subarray(start, end))

function pushFront(edge: number, point: number, head: Int32Array, next: Int32Array, previous: Int32Array): void {
  const first = head[point] as number
  next[edge] = first
  previous[edge] = none
  if (first !== none) previous[first] = edge
  head[point] = edge
}

function takeOut(edge: number, point: number, head: Int32Array, next: Int32Array, previous: Int32Array): void {
  const before = previous[edge] as number
  const after = next[edge] as number
  if (before === none) head[point] = after
  else next[before] = after
  if (after !== none) previous[after] = before
}
