/** An object of a type, such as `document:handbook`. */
export interface ObjectReference {
  type: string
  id: string
}

/**
 * An object, or with `relation` a userset such as `group:staff#member`. The id `*` is a wildcard for all objects of the
 * type.
 */
export interface SubjectReference extends ObjectReference {
  relation?: string
}

/** The caveat of a relationship, and the values of its parameters known in advance. */
export interface RelationshipCaveat {
  name: string
  context?: CaveatContext
}

/** Values of a caveat's parameters, as JSON. */
export type CaveatContext = Readonly<Record<string, unknown>>

/** A stored tuple: `subject` has `relation` to `resource`. The API writes an instant as RFC 3339 text. */
export interface Relationship<Instant = number> {
  resource: ObjectReference
  relation: string
  subject: SubjectReference
  caveat?: RelationshipCaveat
  /** In Unix milliseconds. From then on the relationship is ignored. */
  expiresAt?: Instant
}

/**
 * One update of a write. `create` fails if the relationship exists, `touch` does not; `delete` ignores a missing one.
 */
export interface RelationshipUpdate<Instant = number> {
  operation: 'create' | 'touch' | 'delete'
  relationship: Relationship<Instant>
}

/** Matches relationships by all given parts. A `subjectRelation` of `''` matches the object itself. */
export interface RelationshipFilter {
  resourceType?: string
  resourceId?: string
  resourceIdPrefix?: string
  relation?: string
  subjectType?: string
  subjectId?: string
  subjectRelation?: string
}

/** Relationships that must, or must not, exist for a write to succeed. */
export interface Precondition {
  operation: 'mustMatch' | 'mustNotMatch'
  filter: RelationshipFilter
}

/** The identity of a relationship; its caveat and expiration are not part of it. */
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
