import { leaves } from './expression.ts'
import type { Permission, Relation, Schema } from './schema.ts'

/** Maps each relation or permission, as `group#member`, to its direct dependents. */
export type Dependents = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Collects the dependencies in any of these schemas: through expressions, both sides of arrows, and subject relations.
 */
export function findDependents(schemas: readonly Schema[]): Dependents {
  const dependents = new Map<string, Set<string>>()
  const add = (dependency: string, dependent: string) => {
    dependents.set(dependency, (dependents.get(dependency) ?? new Set()).add(dependent))
  }
  for (const schema of schemas) {
    for (const [type, { relations, permissions }] of schema.definitions) {
      for (const relation of relations.values())
        for (const dependency of usedByRelation(relation)) add(dependency, `${type}#${relation.name}`)
      for (const permission of permissions.values()) {
        for (const dependency of usedByPermission(permission, type, schema))
          add(dependency, `${type}#${permission.name}`)
      }
    }
  }
  return dependents
}

/**
 * Returns these names and their transitive dependents, or only a part of them after more than `most` steps. A step is a
 * name reached or an edge followed.
 */
export function findTransitive(names: Iterable<string>, dependents: Dependents, maxSteps: number) {
  const reached = new Set(names)
  let steps = reached.size
  for (const name of reached) {
    if (steps > maxSteps) return { reached, isWhole: false, steps }
    const direct = dependents.get(name)
    for (const dependent of direct ?? []) reached.add(dependent)
    steps += direct?.size ?? 0
  }
  return { reached, isWhole: true, steps }
}

function usedByRelation({ allowed }: Relation): string[] {
  return allowed.flatMap(({ type, relation }) => (relation === undefined ? [] : [`${type}#${relation}`]))
}

function usedByPermission({ expression }: Permission, type: string, schema: Schema): string[] {
  return leaves(expression).flatMap((leaf) => {
    if (leaf.kind === 'reference') return [`${type}#${leaf.name}`]
    if (leaf.kind !== 'arrow') return []
    const objects = schema.definitions.get(type)?.relations.get(leaf.left)?.allowed ?? []
    return [`${type}#${leaf.left}`, ...objects.map((object) => `${object.type}#${leaf.right}`)]
  })
}
