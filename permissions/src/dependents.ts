import { leaves } from './expression.ts'
import type { Permission, Relation, Schema } from './schema.ts'

/** For everything that is had, as `group#member`, what stands directly on it. */
export type Dependents = ReadonlyMap<string, ReadonlySet<string>>

/** What stands on what in any of these schemas: through expressions, both sides of arrows, and subject relations. */
export function findDependents(schemas: readonly Schema[]): Dependents {
  const dependents = new Map<string, Set<string>>()
  const add = (on: string, dependent: string) => {
    dependents.set(on, (dependents.get(on) ?? new Set()).add(dependent))
  }
  for (const schema of schemas) {
    for (const [type, { relations, permissions }] of schema.definitions) {
      for (const relation of relations.values())
        for (const on of ofRelation(relation)) add(on, `${type}#${relation.name}`)
      for (const permission of permissions.values()) {
        for (const on of ofPermission(permission, type, schema)) add(on, `${type}#${permission.name}`)
      }
    }
  }
  return dependents
}

/** These and all that stands on them, directly or not; where that is more than `most`, a part of it. */
export function reach(from: Iterable<string>, dependents: Dependents, most: number) {
  const reached = new Set(from)
  for (const name of reached) {
    if (reached.size > most) return { reached, isWhole: false }
    for (const dependent of dependents.get(name) ?? []) reached.add(dependent)
  }
  return { reached, isWhole: true }
}

function ofRelation({ allowed }: Relation): string[] {
  return allowed.flatMap(({ type, relation }) => (relation === undefined ? [] : [`${type}#${relation}`]))
}

function ofPermission({ expression }: Permission, type: string, schema: Schema): string[] {
  return leaves(expression).flatMap((leaf) => {
    if (leaf.kind === 'reference') return [`${type}#${leaf.name}`]
    if (leaf.kind !== 'arrow') return []
    const objects = schema.definitions.get(type)?.relations.get(leaf.left)?.allowed ?? []
    return [`${type}#${leaf.left}`, ...objects.map((object) => `${object.type}#${leaf.right}`)]
  })
}
