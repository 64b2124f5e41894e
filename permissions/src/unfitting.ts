import { printAllowed } from './allowed-subject.ts'
import { PermissionFault } from './fault.ts'
import { isSameCaveat } from './meaning.ts'
import type { MemoryGraph } from './memory-graph.ts'
import type { Relation, Schema } from './schema.ts'
import { validateRelationship } from './validate-relationship.ts'

/** The edges of a graph under one schema that could not be there under another. */
export function unfitting(graph: MemoryGraph, before: Schema, after: Schema): Set<number> {
  const found = new Set<number>()
  const relationsOf = relationsThatChange(graph, before, after)
  if (relationsOf.size === 0) return found
  const known = new Map<string, boolean>()
  const fits = (edge: number): boolean => {
    const relationship = graph.relationshipOf(edge)
    if (graph.conditionOf(edge)) return isAllowed(after, relationship)
    const { resource, relation, subject } = relationship
    const kind = `${resource.type}#${relation}@${subject.type}#${subject.relation ?? ''}${subject.id === '*' ? '*' : ''}`
    const isKnown = known.get(kind) ?? isAllowed(after, relationship)
    known.set(kind, isKnown)
    return isKnown
  }
  for (const object of graph.objects()) {
    for (const relation of relationsOf.get(graph.objectType(object)) ?? []) {
      const point = graph.findPoint(object, relation)
      if (point < 0) continue
      for (const first of [graph.firstObject(point), graph.firstSet(point)])
        for (let edge = first; edge >= 0; edge = graph.nextOut(edge)) if (!fits(edge)) found.add(edge)
    }
  }
  return found
}

function isAllowed(schema: Schema, relationship: Parameters<typeof validateRelationship>[1]): boolean {
  try {
    validateRelationship(schema, relationship, '')
    return true
  } catch (error) {
    if (error instanceof PermissionFault) return false
    throw error
  }
}

/** By the number of their type. */
function relationsThatChange({ names }: MemoryGraph, before: Schema, after: Schema): Map<number, number[]> {
  const changed = new Map<number, number[]>()
  for (const { name: type, relations } of before.definitions.values()) {
    const others = after.definitions.get(type)?.relations
    const numbers = [...relations.values()]
      .filter((relation) => !isSame(relation, others?.get(relation.name), before, after))
      .map(({ name }) => names.find(name))
    if (numbers.length > 0) changed.set(names.find(type), numbers)
  }
  return changed
}

function isSame(one: Relation, other: Relation | undefined, before: Schema, after: Schema): boolean {
  const allowed = (relation: Relation) => relation.allowed.map(printAllowed).sort().join(' | ')
  if (!other || allowed(one) !== allowed(other)) return false
  return one.allowed.every(({ caveat }) => {
    const [old, now] = [before, after].map(({ caveats }) => (caveat === undefined ? undefined : caveats.get(caveat)))
    return old === now || (old !== undefined && now !== undefined && isSameCaveat(old, now))
  })
}
