import type { Condition, Graph, Names } from './graph.ts'
import { ObjectIndex, PairIndex } from './number-tables.ts'
import type { Relationship } from './relationship.ts'

const none = -1

/** The first number of objects and edges that are only in the overlay. No base graph has that many. */
const firstOwn = 2 ** 30

/**
 * A view of a base graph with relationships added and removed, which does not change the base. It uses the numbers of
 * the base, so it is invalid once the base changes.
 */
export class OverlayGraph implements Graph {
  readonly names: Names
  readonly #base: Graph
  readonly #hidden = new Set<number>()
  readonly #isVisibleInBase: (edge: number) => boolean
  readonly #objects = new ObjectIndex()
  readonly #objectsAndRelations = new PairIndex()
  readonly #edges = new PairIndex()
  readonly #relationships: Relationship[] = []
  readonly #objectHead = new Map<number, number>()
  readonly #usersetHead = new Map<number, number>()
  readonly #inHead = new Map<number, number>()
  readonly #nextOut: number[] = []
  readonly #nextIn: number[] = []

  /** `isVisible` selects edges of the base; `names` defaults to those of the base. */
  constructor(base: Graph, { names = base.names, isVisible: isVisibleInBase = () => true }: OverlayOptions = {}) {
    this.#base = base
    this.names = names
    this.#isVisibleInBase = isVisibleInBase
  }

  /** Adds a relationship, or replaces its caveat and expiration. */
  add(relationship: Relationship): void {
    const known = this.findRelationship(relationship)
    if (known >= 0 && hasSameCondition(this.relationshipOf(known), relationship)) return
    if (known >= 0) this.remove(relationship)
    const { resource, relation, subject } = relationship
    const from = this.#ensure(resource.type, resource.id, relation)
    const to = this.#ensure(subject.type, subject.id, subject.relation ?? '')
    const edge = this.#edges.insert(from, to)
    this.#relationships[edge] = relationship
    this.#nextOut[edge] = pushFront(this.#outHead(to), from, edge)
    this.#nextIn[edge] = pushFront(this.#inHead, to, edge)
  }

  /** Hides a relationship of the base, if it exists. Throws for an added one. */
  remove(relationship: Pick<Relationship, 'resource' | 'relation' | 'subject'>): void {
    const edge = this.findRelationship(relationship)
    if (edge >= firstOwn) throw new Error('Added relationships cannot be removed again')
    if (edge >= 0) this.#hidden.add(edge)
  }

  isHypothetical(edge: number): boolean {
    return edge >= firstOwn
  }

  findObject(type: number, id: string): number {
    const below = this.#base.findObject(type, id)
    return below >= 0 ? below : toOwn(this.#objects.find(type, id))
  }

  objectType(object: number): number {
    return object >= firstOwn ? (this.#objects.type[object - firstOwn] as number) : this.#base.objectType(object)
  }

  objectId(object: number): string {
    return object >= firstOwn ? (this.#objects.ids[object - firstOwn] as string) : this.#base.objectId(object)
  }

  findObjectAndRelation(object: number, relation: number): number {
    const below = object >= firstOwn ? none : this.#base.findObjectAndRelation(object, relation)
    return below >= 0 ? below : toOwn(this.#objectsAndRelations.find(object, relation))
  }

  objectOf(objectAndRelation: number): number {
    return objectAndRelation >= firstOwn
      ? (this.#objectsAndRelations.first[objectAndRelation - firstOwn] as number)
      : this.#base.objectOf(objectAndRelation)
  }

  relationOf(objectAndRelation: number): number {
    return objectAndRelation >= firstOwn
      ? (this.#objectsAndRelations.second[objectAndRelation - firstOwn] as number)
      : this.#base.relationOf(objectAndRelation)
  }

  findEdge(resource: number, subject: number): number {
    const added = this.#edges.find(resource, subject)
    if (added >= 0) return added + firstOwn
    if (resource >= firstOwn || subject >= firstOwn) return none
    const below = this.#base.findEdge(resource, subject)
    return below >= 0 && this.#isVisible(below) ? below : none
  }

  findRelationship({ resource, relation, subject }: Pick<Relationship, 'resource' | 'relation' | 'subject'>): number {
    const from = this.#findReference(resource.type, resource.id, relation)
    const to = this.#findReference(subject.type, subject.id, subject.relation ?? '')
    return from === none || to === none ? none : this.findEdge(from, to)
  }

  edgeResource(edge: number): number {
    return edge >= firstOwn ? (this.#edges.first[edge - firstOwn] as number) : this.#base.edgeResource(edge)
  }

  edgeSubject(edge: number): number {
    return edge >= firstOwn ? (this.#edges.second[edge - firstOwn] as number) : this.#base.edgeSubject(edge)
  }

  firstObjectEdge(objectAndRelation: number): number {
    return headOf(this.#objectHead, objectAndRelation) ?? this.#firstOutOfBase(objectAndRelation, false)
  }

  firstUsersetEdge(objectAndRelation: number): number {
    return headOf(this.#usersetHead, objectAndRelation) ?? this.#firstOutOfBase(objectAndRelation, true)
  }

  nextOutEdge(edge: number): number {
    if (edge < firstOwn) return this.#skipHiddenOut(this.#base.nextOutEdge(edge))
    const next = this.#nextOut[edge - firstOwn] as number
    if (next >= 0) return next + firstOwn
    return this.#firstOutOfBase(this.edgeResource(edge), this.relationOf(this.edgeSubject(edge)) !== 0)
  }

  firstInEdge(objectAndRelation: number): number {
    return headOf(this.#inHead, objectAndRelation) ?? this.#firstInOfBase(objectAndRelation)
  }

  nextInEdge(edge: number): number {
    if (edge < firstOwn) return this.#skipHiddenIn(this.#base.nextInEdge(edge))
    const next = this.#nextIn[edge - firstOwn] as number
    return next >= 0 ? next + firstOwn : this.#firstInOfBase(this.edgeSubject(edge))
  }

  conditionOf(edge: number): Condition | undefined {
    if (edge < firstOwn) return this.#base.conditionOf(edge)
    const { caveat, expiresAt } = this.relationshipOf(edge)
    if (caveat === undefined && expiresAt === undefined) return undefined
    return { ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) }
  }

  relationshipOf(edge: number): Relationship {
    return edge >= firstOwn ? (this.#relationships[edge - firstOwn] as Relationship) : this.#base.relationshipOf(edge)
  }

  #firstOutOfBase(objectAndRelation: number, isUserset: boolean): number {
    if (objectAndRelation >= firstOwn) return none
    return this.#skipHiddenOut(
      isUserset ? this.#base.firstUsersetEdge(objectAndRelation) : this.#base.firstObjectEdge(objectAndRelation),
    )
  }

  #firstInOfBase(objectAndRelation: number): number {
    return objectAndRelation >= firstOwn ? none : this.#skipHiddenIn(this.#base.firstInEdge(objectAndRelation))
  }

  #skipHiddenOut(from: number): number {
    let edge = from
    while (edge >= 0 && !this.#isVisible(edge)) edge = this.#base.nextOutEdge(edge)
    return edge
  }

  #skipHiddenIn(from: number): number {
    let edge = from
    while (edge >= 0 && !this.#isVisible(edge)) edge = this.#base.nextInEdge(edge)
    return edge
  }

  #isVisible(edge: number): boolean {
    return !this.#hidden.has(edge) && this.#isVisibleInBase(edge)
  }

  #outHead(subject: number): Map<number, number> {
    return this.relationOf(subject) === 0 ? this.#objectHead : this.#usersetHead
  }

  #findReference(type: string, id: string, relation: string): number {
    const object = this.findObject(this.names.find(type), id)
    return object === none ? none : this.findObjectAndRelation(object, this.names.find(relation))
  }

  #ensure(type: string, id: string, relation: string): number {
    const typeNumber = this.names.intern(type)
    const relationNumber = this.names.intern(relation)
    const known = this.findObject(typeNumber, id)
    const object = known >= 0 ? known : this.#objects.insert(typeNumber, id) + firstOwn
    const objectAndRelation = this.findObjectAndRelation(object, relationNumber)
    return objectAndRelation >= 0
      ? objectAndRelation
      : this.#objectsAndRelations.insert(object, relationNumber) + firstOwn
  }
}

export interface OverlayOptions {
  names?: Names
  isVisible?: (edge: number) => boolean
}

const toOwn = (number: number) => (number >= 0 ? number + firstOwn : none)

function headOf(heads: Map<number, number>, objectAndRelation: number): number | undefined {
  const head = heads.get(objectAndRelation)
  return head === undefined ? undefined : head + firstOwn
}

function pushFront(heads: Map<number, number>, objectAndRelation: number, edge: number): number {
  const next = heads.get(objectAndRelation) ?? none
  heads.set(objectAndRelation, edge)
  return next
}

function hasSameCondition(left: Relationship, right: Relationship): boolean {
  return JSON.stringify([left.caveat, left.expiresAt]) === JSON.stringify([right.caveat, right.expiresAt])
}
