import type { Schema } from './schema.ts'

/** Returns the relation, as `group#member`, through which a wildcard is included: itself or a relation it includes. */
export function findWildcard(schema: Schema, type: string, relation: string): string | undefined {
  const wildcards = cache.get(schema) ?? findWildcards(schema)
  cache.set(schema, wildcards)
  return wildcards.get(`${type}#${relation}`)
}

/** Cached, because following the includes of every relation each time would be quadratic. */
const cache = new WeakMap<Schema, ReadonlyMap<string, string>>()

/**
 * Maps each relation that includes a wildcard to the nearest relation that has one. Walks from those to their
 * includers.
 */
function findWildcards({ definitions }: Schema): ReadonlyMap<string, string> {
  const wildcards = new Map<string, string>()
  const includedIn = new Map<string, string[]>()
  for (const [type, { relations }] of definitions) {
    for (const [relation, { allowed }] of relations) {
      const name = `${type}#${relation}`
      for (const subject of allowed) {
        if (subject.isWildcard) wildcards.set(name, name)
        if (subject.relation === undefined) continue
        const included = `${subject.type}#${subject.relation}`
        const includers = includedIn.get(included) ?? []
        includers.push(name)
        includedIn.set(included, includers)
      }
    }
  }
  for (const [name, wildcard] of wildcards) {
    for (const includer of includedIn.get(name) ?? []) {
      if (!wildcards.has(includer)) wildcards.set(includer, wildcard)
    }
  }
  return wildcards
}
