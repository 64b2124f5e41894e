import { PermissionFault } from './fault.ts'
import type { RelationshipFilter } from './relationship.ts'
import type { Schema } from './schema.ts'

/** Throws `unknown-type` and `unknown-relation` for a filter that names what the schema does not have. */
export function validateFilter(schema: Schema, filter: RelationshipFilter): void {
  const { resourceType, relation, subjectType, subjectRelation } = filter
  checkKnown(schema, resourceType, relation, 'resourceType', 'relation')
  checkKnown(schema, subjectType, subjectRelation, 'subjectType', 'subjectRelation')
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
  if (!definition) throw new PermissionFault('unknown-type', `There is no type ${type}.`, `filter.${at}`)
  if (!name || definition.relations.has(name) || definition.permissions.has(name)) return
  throw new PermissionFault('unknown-relation', `There is no ${name} of ${type}.`, `filter.${nameAt}`)
}
