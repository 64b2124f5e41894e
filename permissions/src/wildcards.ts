import type { Schema } from './schema.ts'

/** The relation, as `group#member`, by which a wildcard comes into this one: itself, or a relation that it includes. */
export function findWildcard({ definitions }: Schema, type: string, relation: string): string | undefined {
  const waiting = [{ type, relation }]
  const seen = new Set<string>()
  for (const { type, relation } of waiting) {
    const name = `${type}#${relation}`
    if (seen.size === seen.add(name).size) continue
    for (const subject of definitions.get(type)?.relations.get(relation)?.allowed ?? []) {
      if (subject.isWildcard) return name
      if (subject.relation !== undefined) waiting.push({ type: subject.type, relation: subject.relation })
    }
  }
  return undefined
}
