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
  const open = new Map([...permissions.values()].map((permission) => [permission.name, references(permission)]))
  for (let before = -1; before !== open.size; ) {
    before = open.size
    for (const [name, needs] of open) if (!needs.some((need) => open.has(need))) open.delete(name)
  }
  const cycle = walkRound(open)
  const [first] = cycle
  const permission = first === undefined ? undefined : permissions.get(first)
  if (!permission) return []
  return [{ message: `These permissions go in a circle: ${[...cycle, first].join(', ')}.`, span: permission.span }]
}

function references({ expression }: Permission): string[] {
  return leaves(expression).flatMap((leaf) => (leaf.kind === 'reference' ? [leaf.name] : []))
}

/** Every one left needs another one left, so going on leads round. */
function walkRound(open: ReadonlyMap<string, string[]>): string[] {
  const path: string[] = []
  let [at] = open.keys()
  while (at !== undefined && !path.includes(at)) {
    path.push(at)
    at = open.get(at)?.find((need) => open.has(need))
  }
  return at === undefined ? [] : path.slice(path.indexOf(at))
}
