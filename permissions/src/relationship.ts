/** One thing of a type, such as `document:handbook`. */
export interface ObjectReference {
  type: string
  id: string
}

/** An object, or with `relation` whoever has that of it, such as `group:staff#member`. `*` as id is everyone of the type. */
export interface SubjectReference extends ObjectReference {
  relation?: string
}

/** Under which condition a relationship counts: the caveat, and what is already known of its parameters. */
export interface RelationshipCaveat {
  name: string
  context?: CaveatContext
}

/** Values of a caveat's parameters, as JSON. */
export type CaveatContext = Readonly<Record<string, unknown>>

/** A stored fact: `subject` stands in `relation` of `resource`. */
export interface Relationship {
  resource: ObjectReference
  relation: string
  subject: SubjectReference
  caveat?: RelationshipCaveat
  /** In milliseconds since 1970; from then on it is as if it were not there. */
  expiresAt?: number
}

/** One change of a write. `create` fails where it is there, `touch` does not, `delete` is content where it is not there. */
export interface RelationshipUpdate {
  operation: 'create' | 'touch' | 'delete'
  relationship: Relationship
}

/** Which relationships: every part that is given must fit. A `subjectRelation` of `''` is the object itself. */
export interface RelationshipFilter {
  resourceType?: string
  resourceId?: string
  resourceIdPrefix?: string
  relation?: string
  subjectType?: string
  subjectId?: string
  subjectRelation?: string
}

/** What must, or must not, be there for a write to happen. */
export interface Precondition {
  operation: 'mustMatch' | 'mustNotMatch'
  filter: RelationshipFilter
}
