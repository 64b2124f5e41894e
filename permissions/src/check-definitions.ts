import { printAllowed } from './allowed-subject.ts'
import { checkPermissions } from './check-permissions.ts'
import type { SchemaProblem } from './fault.ts'
import type { AllowedSubject, CompiledDefinition, Relation, Schema, SchemaText } from './schema.ts'
import { findWildcard } from './wildcards.ts'

/** What does not fit together: unknown names, wildcards where they cannot be followed, permissions that go in a circle. */
export function checkDefinitions({ definitions, uses }: SchemaText, schema: Schema): SchemaProblem[] {
  return definitions.flatMap(({ name, relations, permissions }) => {
    const definition = schema.definitions.get(name)
    if (!definition) return []
    return [
      ...relations.flatMap((relation) => checkRelation(relation, definition, schema)),
      ...checkPermissions(permissions, definition, schema, uses.includes('typechecking')),
    ]
  })
}

function checkRelation({ name, allowed }: Relation, definition: CompiledDefinition, schema: Schema): SchemaProblem[] {
  const seen = new Set<string>()
  return allowed.flatMap((subject) => {
    const spelling = printAllowed(subject)
    const isRepeated = seen.size === seen.add(spelling).size
    const problems = [checkSubject(subject, definition, schema), checkCaveat(subject, schema)]
    if (isRepeated) problems.push(`\`${spelling}\` stands twice in \`${definition.name}#${name}\`.`)
    return problems.filter((message) => message !== undefined).map((message) => ({ message, span: subject.span }))
  })
}

function checkSubject({ type, relation }: AllowedSubject, definition: CompiledDefinition, schema: Schema) {
  const target = schema.definitions.get(type)
  if (!target) return `There is no definition \`${type}\`.`
  if (relation === undefined) return undefined
  if (!target.relations.has(relation) && !target.permissions.has(relation)) return `\`${type}\` has no \`${relation}\`.`
  // SpiceDB lets a wildcard pass that comes from the same definition, and one that comes through a permission.
  const wildcard = type === definition.name ? undefined : findWildcard(schema, type, relation)
  return (
    wildcard &&
    `\`${type}#${relation}\` includes everyone by the wildcard of \`${wildcard}\`; a wildcard cannot be included.`
  )
}

function checkCaveat({ caveat }: AllowedSubject, { caveats }: Schema): string | undefined {
  if (caveat === undefined || caveats.has(caveat)) return undefined
  const hint = caveat === 'expiration' ? ' An expiration needs `use expiration` at the top.' : ''
  return `There is no caveat \`${caveat}\`.${hint}`
}
