import { maxSchemaProblems, type SchemaProblem } from '../fault.ts'
import { printAllowed } from './allowed-subject.ts'
import { checkPermissions } from './check-permissions.ts'
import { leaves } from './expression.ts'
import type { AllowedSubject, CompiledDefinition, Definition, Relation, Schema, SchemaText } from './schema.ts'
import { createSubjectTypes } from './subject-types.ts'
import { findWildcard } from './wildcards.ts'

/** The maximum total of subject types that all arrows lead to. Each is visited wherever dependencies are followed. */
const maxArrowTypes = 50_000

/**
 * Reports unknown names, invalid wildcards and recursive permissions. Stops after the definition that brings the total
 * to `maxSchemaProblems`.
 */
export function checkDefinitions({ definitions, uses }: SchemaText, schema: Schema): SchemaProblem[] {
  const subjectTypes = uses.includes('typechecking') ? createSubjectTypes(schema) : undefined
  const problems: SchemaProblem[] = checkArrows(definitions, schema)
  if (problems.length > 0) return problems
  for (const { name, relations, permissions } of definitions) {
    const definition = schema.definitions.get(name)
    if (!definition) continue
    for (const relation of relations) problems.push(...checkRelation(relation, definition, schema))
    problems.push(...checkPermissions(permissions, definition, schema, subjectTypes))
    if (problems.length >= maxSchemaProblems) break
  }
  return problems
}

function checkArrows(definitions: readonly Definition[], schema: Schema): SchemaProblem[] {
  let count = 0
  for (const { name, permissions } of definitions) {
    const relations = schema.definitions.get(name)?.relations
    for (const { expression, span } of permissions) {
      for (const leaf of leaves(expression))
        if (leaf.kind === 'arrow') count += relations?.get(leaf.left)?.allowed.length ?? 0
      if (count > maxArrowTypes)
        return [{ message: `The arrows of a schema must lead to at most ${maxArrowTypes} types in total.`, span }]
    }
  }
  return []
}

function checkRelation({ name, allowed }: Relation, definition: CompiledDefinition, schema: Schema): SchemaProblem[] {
  const seen = new Set<string>()
  return allowed.flatMap((subject) => {
    const spelling = printAllowed(subject)
    const isRepeated = seen.size === seen.add(spelling).size
    const problems = [checkSubject(subject, definition, schema), checkCaveat(subject, schema)]
    if (isRepeated) problems.push(`\`${spelling}\` is listed twice in \`${definition.name}#${name}\`.`)
    return problems.filter((message) => message !== undefined).map((message) => ({ message, span: subject.span }))
  })
}

function checkSubject({ type, relation }: AllowedSubject, definition: CompiledDefinition, schema: Schema) {
  const target = schema.definitions.get(type)
  if (!target) return `The definition \`${type}\` does not exist.`
  if (relation === undefined) return undefined
  if (!target.relations.has(relation) && !target.permissions.has(relation)) return `\`${type}\` has no \`${relation}\`.`
  // SpiceDB accepts a wildcard from the same definition, or one reached through a permission.
  const wildcard = type === definition.name ? undefined : findWildcard(schema, type, relation)
  return (
    wildcard &&
    `\`${type}#${relation}\` includes the wildcard of \`${wildcard}\`; a relation cannot include a wildcard.`
  )
}

function checkCaveat({ caveat }: AllowedSubject, { caveats }: Schema): string | undefined {
  if (caveat === undefined || caveats.has(caveat)) return undefined
  const hint = caveat === 'expiration' ? ' An expiration requires `use expiration` at the top.' : ''
  return `The caveat \`${caveat}\` does not exist.${hint}`
}
