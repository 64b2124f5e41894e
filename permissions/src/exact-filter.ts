import type { Relationship, RelationshipFilter } from './relationship.ts'

/** All that a relationship is told apart by; what is attached to it is no part of that. */
export type ExactFilter = Required<Omit<RelationshipFilter, 'resourceIdPrefix'>>

/** The filter that fits this relationship alone. */
export const exactFilter = ({
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
