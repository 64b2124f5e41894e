import { isDirectoryType, permissionsAndRelations, resourceTypes, type SchemaWithETag, subjectTypes } from './schema.ts'

/** Returns the likely type of a person: one without relations. */
export function findDefaultSubjectType(schema: SchemaWithETag): string {
  const resources = resourceTypes(schema)
  const people = subjectTypes(schema).filter((type) => !resources.includes(type))
  return people.find((type) => !isDirectoryType(type)) ?? people[0] ?? subjectTypes(schema)[0] ?? ''
}

/** Prefers types of applications to those of the directory. */
export function findDefaultResourceType(schema: SchemaWithETag): string {
  const types = resourceTypes(schema)
  const own = types.filter((type) => !isDirectoryType(type))
  return own.find((type) => permissionsAndRelations(schema, type).permissions.length > 0) ?? own[0] ?? types[0] ?? ''
}
