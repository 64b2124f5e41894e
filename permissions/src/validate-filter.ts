import { PermissionFault } from './fault.ts'
import { isObjectId } from './names.ts'
import type { Precondition, RelationshipFilter } from './relationship.ts'
import { misnamed, unknownMember, unknownType } from './relationship-names.ts'
import type { Schema } from './schema.ts'

/**
 * Throws `unknown-type` and `unknown-relation` for a filter that names what the schema does not have, and `malformed-id`
 * for what can be nobody's id nor the beginning of one. `field` is the place of the filter in the request.
 */
export function validateFilter(schema: Schema, filter: RelationshipFilter, field = 'filter'): void {
  const { resourceType, relation, subjectType, subjectRelation, subjectId } = filter
  checkId(filter.resourceId, `${field}.resourceId`)
  checkId(filter.resourceIdPrefix, `${field}.resourceIdPrefix`)
  if (subjectId !== '*') checkId(subjectId, `${field}.subjectId`)
  checkKnown(schema, resourceType, relation, `${field}.resourceType`, `${field}.relation`)
  checkKnown(schema, subjectType, subjectRelation, `${field}.subjectType`, `${field}.subjectRelation`)
}

/**
 * Throws `filter-invalid` for a filter that says nothing, as SpiceDB does where something is written: it would fit every
 * relationship, and is rather a mistake than meant.
 */
export function checkFilterSaysSomething(filter: RelationshipFilter, field = 'filter'): void {
  if (Object.values(filter).some(Boolean)) return
  const message = 'Say which relationships, such as by `resourceType`: an empty filter would fit every one.'
  throw new PermissionFault('filter-invalid', message, field)
}

/** Throws the same for what a write depends on: of a name that is misspelt nothing is there, and `mustNotMatch` would hold. */
export function validatePreconditions(schema: Schema, preconditions: Precondition[]): void {
  checkPreconditionsSaySomething(preconditions)
  for (const [at, { filter }] of preconditions.entries()) validateFilter(schema, filter, placeOf(at))
}

/** Throws `filter-invalid` for the first that says nothing. */
export function checkPreconditionsSaySomething(preconditions: Precondition[]): void {
  for (const [at, { filter }] of preconditions.entries()) checkFilterSaysSomething(filter, placeOf(at))
}

const placeOf = (at: number) => `preconditions.${at}.filter`

function checkId(id: string | undefined, at: string): void {
  if (id && !isObjectId(id)) throw misnamed('id', id, at)
}

function checkKnown(
  schema: Schema,
  type: string | undefined,
  name: string | undefined,
  at: string,
  nameAt: string,
): void {
  if (type === undefined) return
  const definition = schema.definitions.get(type)
  if (!definition) throw unknownType(type, at)
  if (!name || definition.relations.has(name) || definition.permissions.has(name)) return
  throw unknownMember('unknown-relation', { type, name }, nameAt)
}
