import type { Relationship, RelationshipCaveat } from './relationship.ts'

/** The caveat and the expiration of a relationship. */
export interface Condition {
  caveat?: RelationshipCaveat
  /** In Unix milliseconds. */
  expiresAt?: number
}

/**
 * Relationships as a graph of numbers. An object and relation, such as `group:staff#member`, has one number; with
 * relation 0 it is the object itself as a subject. An edge is a relationship, from the object and relation of its
 * resource to those of its subject. A missing object, object and relation, or edge is -1.
 */
export interface Graph {
  readonly names: Names
  findObject(type: number, id: string): number
  objectType(object: number): number
  objectId(object: number): string
  findObjectAndRelation(object: number, relation: number): number
  objectOf(objectAndRelation: number): number
  relationOf(objectAndRelation: number): number
  findEdge(resource: number, subject: number): number
  findRelationship(relationship: Pick<Relationship, 'resource' | 'relation' | 'subject'>): number
  edgeResource(edge: number): number
  edgeSubject(edge: number): number
  /** Returns the first edge of an object and relation to an object; `nextOutEdge` returns the others. */
  firstObjectEdge(objectAndRelation: number): number
  /** Like `firstObjectEdge`, for edges to usersets such as `group:staff#member`. */
  firstUsersetEdge(objectAndRelation: number): number
  nextOutEdge(edge: number): number
  /** Returns the first edge whose subject is the object and relation; `nextInEdge` returns the others. */
  firstInEdge(objectAndRelation: number): number
  nextInEdge(edge: number): number
  /** Returns undefined for a relationship without caveat and expiration. */
  conditionOf(edge: number): Condition | undefined
  relationshipOf(edge: number): Relationship
  /** Reports whether a hypothetical change added the edge. Only hypothetical graphs have this method. */
  isHypothetical?(edge: number): boolean
}

/**
 * Numbers for the names of types and relations, starting at 1 and never reused. 0 is the empty name: the relation of a
 * subject that is an object itself.
 */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #names = ['']
  readonly #base: Names | undefined
  readonly #first: number

  /** Also finds the names of `base`, which must no longer change. */
  constructor(base?: Names) {
    this.#base = base
    this.#first = base?.size ?? 0
  }

  intern(name: string): number {
    const known = this.find(name)
    if (known >= 0) return known
    const number = this.#first + this.#names.push(name) - 1
    this.#numbers.set(name, number)
    return number
  }

  /** Returns -1 for a name without a number. */
  find(name: string): number {
    return this.#numbers.get(name) ?? this.#base?.find(name) ?? -1
  }

  nameOf(number: number): string {
    const name = number < this.#first ? this.#base?.nameOf(number) : this.#names[number - this.#first]
    return name ?? ''
  }

  get size(): number {
    return this.#first + this.#names.length
  }
}

/** Yields the edges of an object and relation: those to objects, then those to usersets. */
export function* iterateEdgesOut(graph: Graph, object: number, relation: number): Generator<number> {
  const objectAndRelation = graph.findObjectAndRelation(object, relation)
  if (objectAndRelation < 0) return
  for (const first of [graph.firstObjectEdge(objectAndRelation), graph.firstUsersetEdge(objectAndRelation)])
    for (let edge = first; edge >= 0; edge = graph.nextOutEdge(edge)) yield edge
}
