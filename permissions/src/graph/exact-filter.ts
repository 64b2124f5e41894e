import type { Relationship, RelationshipFilter } from './relationship.ts'

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
