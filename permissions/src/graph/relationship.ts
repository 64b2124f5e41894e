/** An object of a type, such as `document:handbook`. */
export interface ObjectReference {
  type: string
  id: string
}

/** An object, or with `relation` a userset such as `group:staff#member`. The id `*` is the wildcard of the type. */
export interface SubjectReference extends ObjectReference {
  relation?: string
}

/** The caveat of a relationship, with the values of parameters that the relationship fixes. */
export interface RelationshipCaveat {
  name: string
  context?: CaveatContext
}

/** Values of caveat parameters, as JSON. */
export type CaveatContext = Readonly<Record<string, unknown>>

/** A stored tuple: `subject` has `relation` to `resource`. In the API, instants are RFC 3339 strings. */
export interface Relationship<Instant = number> {
  resource: ObjectReference
  relation: string
  subject: SubjectReference
  caveat?: RelationshipCaveat
  /** In Unix milliseconds. From then on the relationship is ignored. */
  expiresAt?: Instant
}

/**
 * One update of a write. `create` fails if the relationship exists; `touch` creates or replaces it; `delete` succeeds
 * if it is missing.
 */
export interface RelationshipUpdate<Instant = number> {
  operation: 'create' | 'touch' | 'delete'
  relationship: Relationship<Instant>
}

/**
 * Matches relationships that have all the given parts. A `subjectRelation` of `''` matches subjects without relation.
 */
export interface RelationshipFilter {
  resourceType?: string
  resourceId?: string
  resourceIdPrefix?: string
  relation?: string
  subjectType?: string
  subjectId?: string
  subjectRelation?: string
}

/** A condition of a write: that some relationship matches the filter, or that none does. */
export interface Precondition {
  operation: 'mustMatch' | 'mustNotMatch'
  filter: RelationshipFilter
}

/** The filter of a single relationship, regardless of its caveat and expiration. */
export type ExactFilter = Required<Omit<RelationshipFilter, 'resourceIdPrefix'>>

/** Returns the filter that matches only this relationship. */
export const toExactFilter = ({
  resource,
  relation,
  subject,
}: Omit<Relationship, 'caveat' | 'expiresAt'>): ExactFilter => ({
  resourceType: resource.type,
  resourceId: resource.id,
  relation,
  subjectType: subject.type,
  subjectId: subject.id,
  subjectRelation: subject.relation ?? '',
})
