import type { Condition, Graph } from './graph.ts'
import type { Names } from './name-numbers.ts'
import { ObjectIndex } from './object-index.ts'
import { PairIndex } from './pair-index.ts'
import type { Relationship } from './relationship.ts'

const none = -1

/** What is not of the graph below has numbers from here on; no graph in memory has so many. */
const own = 2 ** 30

/**
 * Another graph with some relationships more and some less, which is itself left as it is. It stands on the numbers of
 * the other one, so nobody keeps it while that one is changed.
 */
export class OverlayGraph implements Graph {
  readonly names: Names
  readonly #below: Graph
  readonly #hidden = new Set<number>()
  readonly #counts: (edge: number) => boolean
  readonly #objects = new ObjectIndex()
  readonly #points = new PairIndex()
  readonly #edges = new PairIndex()
  readonly #relationships: Relationship[] = []
  readonly #objectHead = new Map<number, number>()
  readonly #setHead = new Map<number, number>()
  readonly #inHead = new Map<number, number>()
  readonly #nextOut: number[] = []
  readonly #nextIn: number[] = []

  /** `counts` tells which edges of the graph below are there at all; `names` are its own unless told. */
  constructor(below: Graph, { names = below.names, counts = () => true }: OverlayOptions = {}) {
    this.#below = below
    this.names = names
    this.#counts = counts
  }

  /** Puts it there, or in the place of the same one with another caveat or expiration. */
  add(relationship: Relationship): void {
    const known = this.findRelationship(relationship)
    if (known >= 0 && isSame(this.relationshipOf(known), relationship)) return
    if (known >= 0) this.remove(relationship)
    const { resource, relation, subject } = relationship
    const from = this.#point(resource.type, resource.id, relation)
    const to = this.#point(subject.type, subject.id, subject.relation ?? '')
    const edge = this.#edges.insert(from, to)
    this.#relationships[edge] = relationship
    this.#nextOut[edge] = pushed(this.#outHead(to), from, edge)
    this.#nextIn[edge] = pushed(this.#inHead, to, edge)
  }

  /** Hides it, if it is there. What was added is not taken out again. */
  remove(relationship: Pick<Relationship, 'resource' | 'relation' | 'subject'>): void {
    const edge = this.findRelationship(relationship)
    if (edge >= own) throw new Error('What was added is not taken out again')
    if (edge >= 0) this.#hidden.add(edge)
  }

  /** Whether the edge is none of the graph below. */
  isSupposed(edge: number): boolean {
    return edge >= own
  }

  findObject(type: number, id: string): number {
    const below = this.#below.findObject(type, id)
    return below >= 0 ? below : upward(this.#objects.find(type, id))
  }

  objectType(object: number): number {
    return object >= own ? (this.#objects.type[object - own] as number) : this.#below.objectType(object)
  }

  objectId(object: number): string {
    return object >= own ? (this.#objects.ids[object - own] as string) : this.#below.objectId(object)
  }

  findPoint(object: number, relation: number): number {
    const below = object >= own ? none : this.#below.findPoint(object, relation)
    return below >= 0 ? below : upward(this.#points.find(object, relation))
  }

  pointObject(point: number): number {
    return point >= own ? (this.#points.first[point - own] as number) : this.#below.pointObject(point)
  }

  pointRelation(point: number): number {
    return point >= own ? (this.#points.second[point - own] as number) : this.#below.pointRelation(point)
  }

  findEdge(resource: number, subject: number): number {
    const added = this.#edges.find(resource, subject)
    if (added >= 0) return added + own
    if (resource >= own || subject >= own) return none
    const below = this.#below.findEdge(resource, subject)
    return below >= 0 && this.#isThere(below) ? below : none
  }

  findRelationship({ resource, relation, subject }: Pick<Relationship, 'resource' | 'relation' | 'subject'>): number {
    const from = this.#findPointOf(resource.type, resource.id, relation)
    const to = this.#findPointOf(subject.type, subject.id, subject.relation ?? '')
    return from === none || to === none ? none : this.findEdge(from, to)
  }

  edgeResource(edge: number): number {
    return edge >= own ? (this.#edges.first[edge - own] as number) : this.#below.edgeResource(edge)
  }

  edgeSubject(edge: number): number {
    return edge >= own ? (this.#edges.second[edge - own] as number) : this.#below.edgeSubject(edge)
  }

  firstObject(point: number): number {
    return headOf(this.#objectHead, point) ?? this.#firstBelow(point, false)
  }

  firstSet(point: number): number {
    return headOf(this.#setHead, point) ?? this.#firstBelow(point, true)
  }

  nextOut(edge: number): number {
    if (edge < own) return this.#thereOut(this.#below.nextOut(edge))
    const next = this.#nextOut[edge - own] as number
    if (next >= 0) return next + own
    return this.#firstBelow(this.edgeResource(edge), this.pointRelation(this.edgeSubject(edge)) !== 0)
  }

  firstIn(point: number): number {
    return headOf(this.#inHead, point) ?? this.#firstInBelow(point)
  }

  nextIn(edge: number): number {
    if (edge < own) return this.#thereIn(this.#below.nextIn(edge))
    const next = this.#nextIn[edge - own] as number
    return next >= 0 ? next + own : this.#firstInBelow(this.edgeSubject(edge))
  }

  conditionOf(edge: number): Condition | undefined {
    if (edge < own) return this.#below.conditionOf(edge)
    const { caveat, expiresAt } = this.relationshipOf(edge)
    if (caveat === undefined && expiresAt === undefined) return undefined
    return { ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) }
  }

  relationshipOf(edge: number): Relationship {
    return edge >= own ? (this.#relationships[edge - own] as Relationship) : this.#below.relationshipOf(edge)
  }

  #firstBelow(point: number, isSet: boolean): number {
    if (point >= own) return none
    return this.#thereOut(isSet ? this.#below.firstSet(point) : this.#below.firstObject(point))
  }

  #firstInBelow(point: number): number {
    return point >= own ? none : this.#thereIn(this.#below.firstIn(point))
  }

  #thereOut(from: number): number {
    let edge = from
    while (edge >= 0 && !this.#isThere(edge)) edge = this.#below.nextOut(edge)
    return edge
  }

  #thereIn(from: number): number {
    let edge = from
    while (edge >= 0 && !this.#isThere(edge)) edge = this.#below.nextIn(edge)
    return edge
  }

  #isThere(edge: number): boolean {
    return !this.#hidden.has(edge) && this.#counts(edge)
  }

  #outHead(subject: number): Map<number, number> {
    return this.pointRelation(subject) === 0 ? this.#objectHead : this.#setHead
  }

  #findPointOf(type: string, id: string, relation: string): number {
    const object = this.findObject(this.names.find(type), id)
    return object === none ? none : this.findPoint(object, this.names.find(relation))
  }

  #point(type: string, id: string, relation: string): number {
    const typeNumber = this.names.numberOf(type)
    const relationNumber = this.names.numberOf(relation)
    const known = this.findObject(typeNumber, id)
    const object = known >= 0 ? known : this.#objects.insert(typeNumber, id) + own
    const point = this.findPoint(object, relationNumber)
    return point >= 0 ? point : this.#points.insert(object, relationNumber) + own
  }
}

export interface OverlayOptions {
  names?: Names
  counts?: (edge: number) => boolean
}

const upward = (number: number) => (number >= 0 ? number + own : none)

function headOf(heads: Map<number, number>, point: number): number | undefined {
  const head = heads.get(point)
  return head === undefined ? undefined : head + own
}

function pushed(heads: Map<number, number>, point: number, edge: number): number {
  const next = heads.get(point) ?? none
  heads.set(point, edge)
  return next
}

function isSame(one: Relationship, other: Relationship): boolean {
  return JSON.stringify([one.caveat, one.expiresAt]) === JSON.stringify([other.caveat, other.expiresAt])
}
