import { type Leaf, leaves } from './expression.ts'
import type { SchemaProblem } from './fault.ts'
import type { CompiledDefinition, Permission, Schema } from './schema.ts'
import { createSubjectTypes } from './subject-types.ts'
import { findWildcard } from './wildcards.ts'

/** What is wrong with the expressions of one definition. */
export function checkPermissions(
  permissions: readonly Permission[],
  definition: CompiledDefinition,
  schema: Schema,
  withAnnotations: boolean,
): SchemaProblem[] {
  const problems = permissions.flatMap(({ expression }) =>
    leaves(expression).flatMap((leaf) => {
      const message = checkLeaf(leaf, definition, schema)
      return message ? [{ message, span: leaf.span }] : []
    }),
  )
  const annotated = withAnnotations ? checkAnnotations(permissions, definition.name, schema) : []
  return [...problems, ...annotated, ...checkCycle(definition)]
}

function checkLeaf(leaf: Leaf, definition: CompiledDefinition, schema: Schema): string | undefined {
  if (leaf.kind === 'reference') return checkReference(leaf.name, definition)
  if (leaf.kind !== 'arrow') return undefined
  const { left } = leaf
  if (definition.permissions.has(left)) {
    return `\`${left}\` is a permission; on the left of an arrow stands a relation.`
  }
  if (!definition.relations.has(left)) return checkReference(left, definition)
  const wildcard = findWildcard(schema, definition.name, left)
  return wildcard && `\`${left}\` includes everyone by the wildcard of \`${wildcard}\`; no arrow can go over that.`
}

function checkReference(name: string, definition: CompiledDefinition): string | undefined {
  if (definition.relations.has(name) || definition.permissions.has(name)) return undefined
  const hint = name === 'self' ? ' The object itself needs `use self` at the top.' : ''
  return `\`${definition.name}\` has no \`${name}\`.${hint}`
}

function checkAnnotations(permissions: readonly Permission[], type: string, schema: Schema): SchemaProblem[] {
  const subjectTypes = createSubjectTypes(schema)
  return permissions.flatMap(({ name, annotation, span }) => {
    if (!annotation) return []
    const missing = subjectTypes.ofAnyPart(type, name).filter((subject) => !annotation.includes(subject))
    const list = missing.map((subject) => `\`${subject}\``).join(', ')
    return missing.length > 0 ? [{ message: `\`${name}\` can also be had by ${list}.`, span }] : []
  })
}

/**
 * A permission that stands on itself without an arrow in between could only be answered with an error of depth. SpiceDB
 * refuses it where both are mere other names of each other; we refuse every one.
 */
function checkCycle({ permissions }: CompiledDefinition): SchemaProblem[] {
  const open = unresolved(permissions)
  const cycle = walkRound(open)
  const [first] = cycle
  const permission = first === undefined ? undefined : permissions.get(first)
  if (!permission) return []
  return [{ message: `These permissions go in a circle: ${[...cycle, first].join(', ')}.`, span: permission.span }]
}

/** The permissions that stand on a circle or in one, with those among them that they need. */
function unresolved(permissions: CompiledDefinition['permissions']): Map<string, Set<string>> {
  const open = new Map<string, Set<string>>()
  const neededBy = new Map([...permissions.keys()].map((name) => [name, new Set<string>()]))
  for (const permission of permissions.values()) {
    const needs = references(permission).filter((name) => permissions.has(name))
    open.set(permission.name, new Set(needs))
    for (const need of needs) neededBy.get(need)?.add(permission.name)
  }
  const resolved = [...open.keys()].filter((name) => open.get(name)?.size === 0)
  for (const name of resolved) {
    open.delete(name)
    for (const dependent of neededBy.get(name) ?? []) {
      const needs = open.get(dependent)
      if (needs?.delete(name) && needs.size === 0) resolved.push(dependent)
    }
  }
  return open
}

function references({ expression }: Permission): string[] {
  return leaves(expression).flatMap((leaf) => (leaf.kind === 'reference' ? [leaf.name] : []))
}

/** Every one left needs another one left, so going on leads round. */
function walkRound(open: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const path = new Set<string>()
  let [at] = open.keys()
  while (at !== undefined && !path.has(at)) {
    path.add(at)
    const [next]: string[] = [...(open.get(at) ?? [])]
    at = next
  }
  const names = [...path]
  return at === undefined ? [] : names.slice(names.indexOf(at))
}
