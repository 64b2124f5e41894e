import type { Names } from './name-numbers.ts'
import type { Relationship, RelationshipCaveat } from './relationship.ts'

/** What a relationship counts under, where it does not always. */
export interface Condition {
  caveat?: RelationshipCaveat
  /** In milliseconds since 1970. */
  expiresAt?: number
}

/**
 * Relationships as the evaluator walks them, by numbers. A point is an object with a relation, or with none (0) the
 * object as a subject; an edge is one relationship, from the point of its resource to that of its subject. Whatever is
 * not there is -1.
 */
export interface Graph {
  readonly names: Names
  findObject(type: number, id: string): number
  objectType(object: number): number
  objectId(object: number): string
  findPoint(object: number, relation: number): number
  pointObject(point: number): number
  pointRelation(point: number): number
  findEdge(resource: number, subject: number): number
  findRelationship(relationship: Pick<Relationship, 'resource' | 'relation' | 'subject'>): number
  edgeResource(edge: number): number
  edgeSubject(edge: number): number
  /** Edges of a point to objects themselves; `nextOut` goes on. */
  firstObject(point: number): number
  /** Edges of a point to sets such as `group:staff#member`; `nextOut` goes on. */
  firstSet(point: number): number
  nextOut(edge: number): number
  /** Edges whose subject is the point. */
  firstIn(point: number): number
  nextIn(edge: number): number
  /** Undefined where it always counts. */
  conditionOf(edge: number): Condition | undefined
  relationshipOf(edge: number): Relationship
  /** Where some edges are only thought to be there: whether this is one. */
  isSupposed?(edge: number): boolean
}
