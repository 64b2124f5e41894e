import type { Relationship, RelationshipCaveat } from './relationship.ts'

/** The caveat and expiration of a conditional relationship. */
export interface Condition {
  caveat?: RelationshipCaveat
  /** In Unix milliseconds. */
  expiresAt?: number
}

/**
 * Relationships as the evaluator walks them, by number. An object and relation, such as `group:staff#member`, has one
 * number; with relation 0 it is the object as a subject. An edge is one relationship, from the object and relation of
 * its resource to those of its subject. A missing item is -1.
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
  /** Edges of an object and relation to objects; continue with `nextOut`. */
  firstObject(objectAndRelation: number): number
  /** Edges of an object and relation to usersets such as `group:staff#member`; continue with `nextOut`. */
  firstUserset(objectAndRelation: number): number
  nextOut(edge: number): number
  /** Edges whose subject is the object and relation. */
  firstIn(objectAndRelation: number): number
  nextIn(edge: number): number
  /** Undefined if it is unconditional. */
  conditionOf(edge: number): Condition | undefined
  relationshipOf(edge: number): Relationship
  /** In a hypothetical graph: whether the edge is hypothetical. */
  isHypothetical?(edge: number): boolean
}

/**
 * Numbers for the names of types and relations, starting at 1 and never reused. 0 is the empty name, the relation of a
 * subject that is the object itself. There is one number per name in the schema.
 */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #names = ['']
  readonly #base: Names | undefined
  readonly #first: number

  /** With `base` it also finds those names but keeps new ones to itself. `base` must not change while in use. */
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
export function* edgesOut(graph: Graph, object: number, relation: number): Generator<number> {
  const objectAndRelation = graph.findObjectAndRelation(object, relation)
  if (objectAndRelation < 0) return
  for (const first of [graph.firstObject(objectAndRelation), graph.firstUserset(objectAndRelation)])
    for (let edge = first; edge >= 0; edge = graph.nextOut(edge)) yield edge
}
