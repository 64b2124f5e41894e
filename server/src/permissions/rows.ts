import {
  type CaveatContext,
  type ExactFilter,
  type Relationship,
  type RelationshipFilter,
  toExactFilter,
} from '@passport/permissions'
import { allOf, type Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** The caveat and expiration of a relationship, as in the log and the views: an empty object for none. */
export interface Terms {
  caveat?: string | null
  context?: CaveatContext | null
  /** In Unix milliseconds. */
  expiresAt?: number | null
}

/** The columns that identify a relationship; `subjectRelation` is empty for a subject without a relation. */
export type RowKey = ExactFilter

export interface Row extends RowKey {
  terms: Terms
}

export function toRelationship(row: RowKey, terms: Terms): Relationship {
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

export function toRow(relationship: Relationship): Row {
  const { caveat, expiresAt } = relationship
  return {
    ...toExactFilter(relationship),
    terms: { caveat: caveat?.name ?? null, context: caveat?.context ?? null, expiresAt: expiresAt ?? null },
  }
}

/** Formats what identifies a relationship, without its caveat and expiration. */
export const keyOf = ({ resource, relation, subject }: Relationship): string =>
  `${resource.type}:${resource.id}#${relation}@${subject.type}:${subject.id}#${subject.relation ?? ''}`

const exactFields = ['resourceType', 'resourceId', 'relation', 'subjectType', 'subjectId', 'subjectRelation'] as const

/** Returns the condition for rows that match a filter. */
export const toFilterCondition = (sql: Sql, filter: RelationshipFilter): Fragment =>
  allOf(
    sql,
    ...exactFields.map((name) => (filter[name] === undefined ? undefined : sql`${sql(name)} = ${filter[name]}`)),
    filter.resourceIdPrefix === undefined ? undefined : sql`starts_with(resource_id, ${filter.resourceIdPrefix})`,
  )
