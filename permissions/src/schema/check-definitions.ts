import { maxSchemaProblems, PermissionError, SchemaError, type SchemaProblem } from '../error.ts'
import { createSubjectTypes, findWildcard, type SubjectTypes } from './dependencies.ts'
import { isCaveatName, isRelationName, isTypeName, nameRules } from './names.ts'
import { printAllowed } from './print.ts'
import {
  type AllowedSubject,
  type CompiledDefinition,
  collectLeaves,
  type Definition,
  type Leaf,
  type Permission,
  type Relation,
  type Schema,
  type SchemaText,
  type Span,
} from './schema.ts'

/**
 * The maximum number of subject types of the left relations of all arrows, since dependencies are followed through
 * each.
 */
const maxArrowTypes = 50_000

/**
 * Finds unknown names, invalid wildcards and recursive permissions. Stops after the definition with which there are
 * `maxSchemaProblems`.
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
      for (const leaf of collectLeaves(expression))
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
  // SpiceDB accepts a wildcard in a relation of the same definition, and one that a permission includes.
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

interface Named {
  name: string
  span: Span
}

/** Finds duplicate and malformed names. */
export function checkNames({ definitions, caveats }: SchemaText): SchemaProblem[] {
  return [
    ...definitions
      .filter(({ name }) => !isTypeName(name))
      .map((item) => createMalformedName('definition', nameRules.type, item)),
    ...caveats
      .filter(({ name }) => !isCaveatName(name))
      .map((item) => createMalformedName('caveat', nameRules.caveat, item)),
    ...findDuplicates([...definitions, ...caveats]).map(({ name, span }) => ({
      message: `The name \`${name}\` is defined twice.`,
      span,
    })),
    ...definitions.flatMap(checkMembers),
  ]
}

function checkMembers({ name: type, relations, permissions }: Definition): SchemaProblem[] {
  const members = [...relations, ...permissions]
  return [
    ...[...members, ...permissions.flatMap(listArrowTargets)]
      .filter(({ name }) => !isRelationName(name))
      .map((item) => createMalformedName('relation or permission', nameRules.relation, item)),
    ...findDuplicates(members).map(({ name, span }) => ({ message: `\`${type}\` defines \`${name}\` twice.`, span })),
  ]
}

/** Returns the right sides of arrows, which need not exist but must be valid names. */
function listArrowTargets({ expression }: Permission): Named[] {
  return collectLeaves(expression).flatMap((leaf) =>
    leaf.kind === 'arrow' ? [{ name: leaf.right, span: leaf.span }] : [],
  )
}

/** Returns every item whose name occurs earlier in the text. */
function findDuplicates(items: Named[]): Named[] {
  const seen = new Set<string>()
  const ordered = items.toSorted((a, b) => a.span.start.offset - b.span.start.offset)
  return ordered.filter(({ name }) => seen.size === seen.add(name).size)
}

const createMalformedName = (what: string, rule: string, { name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is not a valid ${what} name: use ${rule}.`,
  span,
})

/** Finds problems in the permissions of a definition. Checks their annotations only if `subjectTypes` is given. */
function checkPermissions(
  permissions: readonly Permission[],
  definition: CompiledDefinition,
  schema: Schema,
  subjectTypes: SubjectTypes | undefined,
): SchemaProblem[] {
  const problems = permissions.flatMap(({ expression }) =>
    collectLeaves(expression).flatMap((leaf) => {
      const message = checkLeaf(leaf, definition, schema)
      return message ? [{ message, span: leaf.span }] : []
    }),
  )
  const annotated = subjectTypes ? checkAnnotations(permissions, definition.name, subjectTypes) : []
  return [...problems, ...annotated, ...checkCycle(definition)]
}

function checkLeaf(leaf: Leaf, definition: CompiledDefinition, schema: Schema): string | undefined {
  if (leaf.kind === 'reference') return checkReference(leaf.name, definition)
  if (leaf.kind !== 'arrow') return undefined
  const { left } = leaf
  if (definition.permissions.has(left)) {
    return `\`${left}\` is a permission; the left side of an arrow must be a relation.`
  }
  if (!definition.relations.has(left)) return checkReference(left, definition)
  const wildcard = findWildcard(schema, definition.name, left)
  return wildcard && `\`${left}\` includes the wildcard of \`${wildcard}\`; an arrow cannot follow a wildcard.`
}

function checkReference(name: string, definition: CompiledDefinition): string | undefined {
  if (definition.relations.has(name) || definition.permissions.has(name)) return undefined
  const hint = name === 'self' ? ' The object itself requires `use self` at the top.' : ''
  return `\`${definition.name}\` has no \`${name}\`.${hint}`
}

function checkAnnotations(permissions: readonly Permission[], type: string, subjectTypes: SubjectTypes) {
  return permissions.flatMap(({ name, annotation, span }): SchemaProblem[] => {
    if (!annotation) return []
    const annotated = new Set(annotation)
    const missing = findSubjectTypes(subjectTypes, type, name, span).filter((subject) => !annotated.has(subject))
    const list = missing.map((subject) => `\`${subject}\``).join(', ')
    return missing.length > 0 ? [{ message: `\`${name}\` also allows ${list}.`, span }] : []
  })
}

function findSubjectTypes(subjectTypes: SubjectTypes, type: string, name: string, span: Span): string[] {
  try {
    return subjectTypes.findInAnyPart(type, name)
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    throw new SchemaError([{ message: 'The schema has too many subject types to check its annotations.', span }])
  }
}

/**
 * Rejects permissions that depend on themselves without an arrow: evaluating one would always exceed the depth. SpiceDB
 * rejects only cycles of aliases.
 */
function checkCycle({ permissions }: CompiledDefinition): SchemaProblem[] {
  const cycle = findReferenceCycle(permissions)
  const [first] = cycle
  if (!first) return []
  const names = [...cycle, first].map(({ name }) => name)
  return [{ message: `These permissions form a cycle: ${names.join(', ')}.`, span: first.span }]
}

/**
 * Returns the permissions of the first cycle. Searches without recursion, because chains may have thousands of names.
 */
function findReferenceCycle(permissions: CompiledDefinition['permissions']): Permission[] {
  const openPermissions = new Set<Permission>()
  const done = new Set<Permission>()
  const path: { permission: Permission; references: Iterator<Leaf> }[] = []
  const enter = (permission: Permission) => {
    openPermissions.add(permission)
    path.push({ permission, references: collectLeaves(permission.expression).values() })
  }
  for (const root of permissions.values()) {
    if (!done.has(root)) enter(root)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { value: leaf } = top.references.next()
      const next = leaf?.kind === 'reference' ? permissions.get(leaf.name) : undefined
      if (next && openPermissions.has(next)) return [...openPermissions].slice([...openPermissions].indexOf(next))
      if (next && !done.has(next)) enter(next)
      if (leaf !== undefined) continue
      path.pop()
      openPermissions.delete(top.permission)
      done.add(top.permission)
    }
  }
  return []
}
