import { PermissionFault } from '../fault.ts'
import { isObjectId } from '../schema/names.ts'
import type { Schema } from '../schema/schema.ts'
import type { Precondition, RelationshipFilter } from './relationship.ts'
import { malformedName, unknownMember, unknownType } from './relationship-names.ts'

/**
 * Throws `unknown-type` and `unknown-relation` for names that are not in the schema, and `malformed-id` for an invalid
 * id or id prefix. `field` is the path of the filter in the request.
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
 * Throws `filter-invalid` for an empty filter, as SpiceDB does for writes: it would match every relationship and is
 * probably a mistake.
 */
export function checkFilterNotEmpty(filter: RelationshipFilter, field = 'filter'): void {
  if (Object.values(filter).some(Boolean)) return
  const message = 'The filter must not be empty: set a field such as `resourceType`.'
  throw new PermissionFault('filter-invalid', message, field)
}

/** Validates the filters of preconditions. A misspelt name would match nothing, so `mustNotMatch` would succeed. */
export function validatePreconditions(schema: Schema, preconditions: Precondition[]): void {
  checkPreconditionsNotEmpty(preconditions)
  for (const [at, { filter }] of preconditions.entries()) validateFilter(schema, filter, preconditionField(at))
}

/** Throws `filter-invalid` for the first empty filter. */
export function checkPreconditionsNotEmpty(preconditions: Precondition[]): void {
  for (const [at, { filter }] of preconditions.entries()) checkFilterNotEmpty(filter, preconditionField(at))
}

const preconditionField = (at: number) => `preconditions.${at}.filter`

function checkId(id: string | undefined, field: string): void {
  if (id && !isObjectId(id)) throw malformedName('id', id, field)
}

function checkKnown(
  schema: Schema,
  type: string | undefined,
  name: string | undefined,
  typeField: string,
  nameField: string,
): void {
  if (type === undefined) return
  const definition = schema.definitions.get(type)
  if (!definition) throw unknownType(type, typeField)
  if (!name || definition.relations.has(name) || definition.permissions.has(name)) return
  throw unknownMember('unknown-relation', { type, name }, nameField)
}
