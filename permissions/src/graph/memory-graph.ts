import { type Condition, type Graph, Names } from './graph.ts'
import { ensureCapacity, ObjectIndex, PairIndex } from './number-tables.ts'
import { type ReadPage, readOrdered } from './read-relationships.ts'
import type { Relationship, RelationshipFilter, SubjectReference } from './relationship.ts'

const none = -1

/**
 * A set of relationships in memory, indexed by resource and relation and by subject. Objects and relationships are
 * numbers in typed arrays; caveats and expirations are stored separately. Adding and removing take about constant time.
 * The numbers of removed relationships, and of objects without relationships, are reused.
 */
export class MemoryGraph implements Graph {
  readonly names: Names
  readonly #objects = new ObjectIndex()
  /** The number of entries in `#objectsAndRelations` of each object. */
  #relationCounts = new Int32Array(16)
  readonly #objectsAndRelations = new PairIndex()
  #objectHead = new Int32Array(16)
  #usersetHead = new Int32Array(16)
  #inHead = new Int32Array(16)
  readonly #edges = new PairIndex()
  #nextOut = new Int32Array(16)
  #previousOut = new Int32Array(16)
  #nextIn = new Int32Array(16)
  #previousIn = new Int32Array(16)
  #isConditional = new Uint8Array(16)
  readonly #conditions = new Map<number, Condition>()

  /** Several graphs may share `names`. */
  constructor(names = new Names()) {
    this.names = names
  }

  /** The number of relationships, including expired ones. */
  get size(): number {
    return this.#edges.size
  }

  /** Adds a relationship, or replaces its caveat and expiration. Returns whether it is new. */
  add(relationship: Relationship): boolean {
    const { resource, relation, subject } = relationship
    const from = this.#ensure(resource.type, resource.id, relation)
    const to = this.#ensure(subject.type, subject.id, subject.relation ?? '')
    const known = this.#edges.find(from, to)
    const edge = known === none ? this.#link(from, to) : known
    this.#setCondition(edge, relationship)
    return known === none
  }

  /** Like `add`, for a relationship without caveat and expiration between two results of `ensureFromBytes`. */
  addUnconditional(from: number, to: number): boolean {
    const known = this.#edges.find(from, to)
    this.#setCondition(known === none ? this.#link(from, to) : known, {})
    return known === none
  }

  /**
   * Finds or creates an object and relation, with the id in ASCII bytes. The caller must add an edge to a new one: only
   * removing its last edge frees its number.
   */
  ensureFromBytes(type: number, bytes: Uint8Array, start: number, end: number, relation: number): number {
    const known = this.#objects.findBytes(type, bytes, start, end)
    const object = known === none ? this.#addObject(type, decodeId(bytes, start, end)) : known
    return this.#ensureObjectAndRelation(object, relation)
  }

  /** Removes a relationship, regardless of its caveat and expiration. Returns whether it existed. */
  remove(relationship: Relationship): boolean {
    const edge = this.findRelationship(relationship)
    if (edge === none) return false
    const from = this.edgeResource(edge)
    const to = this.edgeSubject(edge)
    this.#conditions.delete(edge)
    this.#isConditional[edge] = 0
    this.#unlink(edge, from, to)
    this.#removeIfUnused(from)
    if (to !== from) this.#removeIfUnused(to)
    return true
  }

  findRelationship({ resource, relation, subject }: Pick<Relationship, 'resource' | 'relation' | 'subject'>): number {
    const from = this.#findReference({ ...resource, relation })
    const to = this.#findReference(subject)
    return from === none || to === none ? none : this.#edges.find(from, to)
  }

  /**
   * Returns at most `limit` matching relationships after `after`, sorted by the type and id of the resource, the
   * relation, and the type, id and relation of the subject. Includes expired ones unless `now` is given.
   */
  read(filter: RelationshipFilter, page: ReadPage = { limit: Number.POSITIVE_INFINITY }): Relationship[] {
    return readOrdered(this, filter, page)
  }

  /** Returns the numbers of all objects. */
  objects(): Iterable<number> {
    return this.#objects.numbers()
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

  findObjectAndRelation(object: number, relation: number): number {
    return this.#objectsAndRelations.find(object, relation)
  }

  objectOf(objectAndRelation: number): number {
    return this.#objectsAndRelations.first[objectAndRelation] as number
  }

  relationOf(objectAndRelation: number): number {
    return this.#objectsAndRelations.second[objectAndRelation] as number
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

  firstObjectEdge(objectAndRelation: number): number {
    return this.#objectHead[objectAndRelation] as number
  }

  firstUsersetEdge(objectAndRelation: number): number {
    return this.#usersetHead[objectAndRelation] as number
  }

  nextOutEdge(edge: number): number {
    return this.#nextOut[edge] as number
  }

  firstInEdge(objectAndRelation: number): number {
    return this.#inHead[objectAndRelation] as number
  }

  nextInEdge(edge: number): number {
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

  #reference(objectAndRelation: number) {
    const object = this.objectOf(objectAndRelation)
    return {
      type: this.names.nameOf(this.objectType(object)),
      id: this.objectId(object),
      relation: this.names.nameOf(this.relationOf(objectAndRelation)),
    }
  }

  #findReference({ type, id, relation = '' }: SubjectReference): number {
    const object = this.#objects.find(this.names.find(type), id)
    return object === none ? none : this.#objectsAndRelations.find(object, this.names.find(relation))
  }

  #ensure(type: string, id: string, relation: string): number {
    const typeNumber = this.names.intern(type)
    const known = this.#objects.find(typeNumber, id)
    const object = known === none ? this.#addObject(typeNumber, id) : known
    return this.#ensureObjectAndRelation(object, this.names.intern(relation))
  }

  #addObject(type: number, id: string): number {
    const object = this.#objects.insert(type, id)
    this.#relationCounts = ensureCapacity(this.#relationCounts, object + 1)
    this.#relationCounts[object] = 0
    return object
  }

  #ensureObjectAndRelation(object: number, relation: number): number {
    const known = this.#objectsAndRelations.find(object, relation)
    return known === none ? this.#addObjectAndRelation(object, relation) : known
  }

  #addObjectAndRelation(object: number, relation: number): number {
    const objectAndRelation = this.#objectsAndRelations.insert(object, relation)
    this.#objectHead = ensureCapacity(this.#objectHead, objectAndRelation + 1)
    this.#usersetHead = ensureCapacity(this.#usersetHead, objectAndRelation + 1)
    this.#inHead = ensureCapacity(this.#inHead, objectAndRelation + 1)
    this.#objectHead[objectAndRelation] = none
    this.#usersetHead[objectAndRelation] = none
    this.#inHead[objectAndRelation] = none
    this.#relationCounts[object] = (this.#relationCounts[object] as number) + 1
    return objectAndRelation
  }

  #link(from: number, to: number): number {
    const edge = this.#edges.insert(from, to)
    this.#nextOut = ensureCapacity(this.#nextOut, edge + 1)
    this.#previousOut = ensureCapacity(this.#previousOut, edge + 1)
    this.#nextIn = ensureCapacity(this.#nextIn, edge + 1)
    this.#previousIn = ensureCapacity(this.#previousIn, edge + 1)
    this.#isConditional = ensureCapacity(this.#isConditional, edge + 1)
    pushFront(edge, from, this.#outHead(to), this.#nextOut, this.#previousOut)
    pushFront(edge, to, this.#inHead, this.#nextIn, this.#previousIn)
    return edge
  }

  #unlink(edge: number, from: number, to: number): void {
    removeFromList(edge, from, this.#outHead(to), this.#nextOut, this.#previousOut)
    removeFromList(edge, to, this.#inHead, this.#nextIn, this.#previousIn)
    this.#edges.remove(edge)
  }

  #outHead(subject: number): Int32Array {
    return this.relationOf(subject) === 0 ? this.#objectHead : this.#usersetHead
  }

  #removeIfUnused(objectAndRelation: number): void {
    if (
      this.#objectHead[objectAndRelation] !== none ||
      this.#usersetHead[objectAndRelation] !== none ||
      this.#inHead[objectAndRelation] !== none
    )
      return
    const object = this.objectOf(objectAndRelation)
    this.#objectsAndRelations.remove(objectAndRelation)
    const remaining = (this.#relationCounts[object] as number) - 1
    this.#relationCounts[object] = remaining
    if (remaining === 0) this.#objects.remove(object)
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
const decodeId = (bytes: Uint8Array, start: number, end: number) => ascii.decode(bytes.subarray(start, end))

function pushFront(
  edge: number,
  objectAndRelation: number,
  head: Int32Array,
  next: Int32Array,
  previous: Int32Array,
): void {
  const first = head[objectAndRelation] as number
  next[edge] = first
  previous[edge] = none
  if (first !== none) previous[first] = edge
  head[objectAndRelation] = edge
}

function removeFromList(
  edge: number,
  objectAndRelation: number,
  head: Int32Array,
  next: Int32Array,
  previous: Int32Array,
): void {
  const before = previous[edge] as number
  const after = next[edge] as number
  if (before === none) head[objectAndRelation] = after
  else next[before] = after
  if (after !== none) previous[after] = before
}
