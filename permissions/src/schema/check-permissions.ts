import { PermissionFault, SchemaFault, type SchemaProblem } from '../fault.ts'
import { type Leaf, leaves } from './expression.ts'
import type { CompiledDefinition, Permission, Schema, Span } from './schema.ts'
import type { SubjectTypes } from './subject-types.ts'
import { findWildcard } from './wildcards.ts'

/** Reports problems in the expressions of one definition. Checks its annotations only if `subjectTypes` is given. */
export function checkPermissions(
  permissions: readonly Permission[],
  definition: CompiledDefinition,
  schema: Schema,
  subjectTypes: SubjectTypes | undefined,
): SchemaProblem[] {
  const problems = permissions.flatMap(({ expression }) =>
    leaves(expression).flatMap((leaf) => {
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
    if (!(error instanceof PermissionFault)) throw error
    throw new SchemaFault([{ message: 'The schema has too many subject types to check its annotations.', span }])
  }
}

/**
 * A permission that depends on itself without an arrow in between could only fail with a depth error. SpiceDB rejects
 * only cycles of pure aliases; we reject all.
 */
function checkCycle({ permissions }: CompiledDefinition): SchemaProblem[] {
  const unresolved = findUnresolved(permissions)
  const cycle = findReferenceCycle(unresolved)
  const [first] = cycle
  const permission = first === undefined ? undefined : permissions.get(first)
  if (!permission) return []
  return [{ message: `These permissions form a cycle: ${[...cycle, first].join(', ')}.`, span: permission.span }]
}

/** Returns the permissions in a cycle or depending on one, each with those of them it references. */
function findUnresolved(permissions: CompiledDefinition['permissions']): Map<string, Set<string>> {
  const unresolved = new Map<string, Set<string>>()
  const neededBy = new Map([...permissions.keys()].map((name) => [name, new Set<string>()]))
  for (const permission of permissions.values()) {
    const needs = references(permission).filter((name) => permissions.has(name))
    unresolved.set(permission.name, new Set(needs))
    for (const need of needs) neededBy.get(need)?.add(permission.name)
  }
  const resolved = [...unresolved.keys()].filter((name) => unresolved.get(name)?.size === 0)
  for (const name of resolved) {
    unresolved.delete(name)
    for (const dependent of neededBy.get(name) ?? []) {
      const needs = unresolved.get(dependent)
      if (needs?.delete(name) && needs.size === 0) resolved.push(dependent)
    }
  }
  return unresolved
}

function references({ expression }: Permission): string[] {
  return leaves(expression).flatMap((leaf) => (leaf.kind === 'reference' ? [leaf.name] : []))
}

/** Every remaining permission references another remaining one, so following them finds a cycle. */
function findReferenceCycle(unresolved: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const path = new Set<string>()
  let [current] = unresolved.keys()
  while (current !== undefined && !path.has(current)) {
    path.add(current)
    const [next]: string[] = [...(unresolved.get(current) ?? [])]
    current = next
  }
  const names = [...path]
  return current === undefined ? [] : names.slice(names.indexOf(current))
}
