import { askable, isOfDirectory, type KnownSchema, resourceTypes, subjectTypes } from './schema.ts'

/** People, rather than what they are in: a type that nothing stands in. */
export function likelySubject(schema: KnownSchema): string {
  const asked = resourceTypes(schema)
  const people = subjectTypes(schema).filter((type) => !asked.includes(type))
  return people.find((type) => !isOfDirectory(type)) ?? people[0] ?? subjectTypes(schema)[0] ?? ''
}

/** What applications guard, rather than the directory. */
export function likelyResource(schema: KnownSchema): string {
  const types = resourceTypes(schema)
  const own = types.filter((type) => !isOfDirectory(type))
  return own.find((type) => askable(schema, type).permissions.length > 0) ?? own[0] ?? types[0] ?? ''
}
