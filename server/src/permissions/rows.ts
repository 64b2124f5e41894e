import { type ExactFilter, exactFilter } from '@passport/permissions/exact-filter'
import type { CaveatContext, Relationship, RelationshipFilter } from '@passport/permissions/relationship'

/** What is attached to a relationship, as the log and the views have it: an empty object for nothing. */
export interface Terms {
  caveat?: string | null
  context?: CaveatContext | null
  /** In milliseconds since 1970. */
  expiresAt?: number | null
}

/** What a relationship is told apart by; a subject without a relation has an empty one. */
export type RowKey = ExactFilter

export interface Row extends RowKey {
  terms: Terms
}

/** A row as a relationship. */
export function relationshipOf(row: RowKey, terms: Terms): Relationship {
  const { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation } = row
  const { caveat, context, expiresAt } = terms
  return {
    resource: { type: resourceType, id: resourceId },
    relation,
    subject: { type: subjectType, id: subjectId, ...(subjectRelation && { relation: subjectRelation }) },
    ...(caveat && { caveat: { name: caveat, ...(context && { context }) } }),
    ...(typeof expiresAt === 'number' && { expiresAt }),
  }
}

/** A relationship as a row that is sent to the database. */
export function rowOf(relationship: Relationship): Row {
  const { caveat, expiresAt } = relationship
  return {
    ...exactFilter(relationship),
    terms: { caveat: caveat?.name ?? null, context: caveat?.context ?? null, expiresAt: expiresAt ?? null },
  }
}

/** The same text for the same relationship, whatever is attached to it. */
export const keyOf = ({ resource, relation, subject }: Relationship): string =>
  `${resource.type}:${resource.id}#${relation}@${subject.type}:${subject.id}#${subject.relation ?? ''}`

/** Every field of a filter, for statements; null is any. */
export const filled = (filter: RelationshipFilter) => ({
  resourceType: filter.resourceType ?? null,
  resourceId: filter.resourceId ?? null,
  prefix: filter.resourceIdPrefix ?? null,
  relation: filter.relation ?? null,
  subjectType: filter.subjectType ?? null,
  subjectId: filter.subjectId ?? null,
  subjectRelation: filter.subjectRelation ?? null,
})
