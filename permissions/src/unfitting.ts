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
  const everyone = new Set(wildcardsOf(graph, before))
  for (const object of graph.objects()) {
    for (const { relation, known } of relationsOf.get(graph.objectType(object)) ?? []) {
      const point = graph.findPoint(object, relation)
      if (point < 0) continue
      for (const first of [graph.firstObject(point), graph.firstSet(point)])
        for (let edge = first; edge >= 0; edge = graph.nextOut(edge)) if (!fits(edge, known)) found.add(edge)
    }
  }
  return found

  /** There may be a million: those of one kind are told by numbers. */
  function fits(edge: number, known: Map<number, boolean>): boolean {
    if (graph.conditionOf(edge)) return isAllowed(after, graph.relationshipOf(edge))
    const subject = graph.edgeSubject(edge)
    const object = graph.pointObject(subject)
    const ofType = graph.objectType(object) * graph.names.size + graph.pointRelation(subject)
    const kind = everyone.has(object) ? -1 - ofType : ofType
    const isKnown = known.get(kind) ?? isAllowed(after, graph.relationshipOf(edge))
    known.set(kind, isKnown)
    return isKnown
  }
}

function wildcardsOf(graph: MemoryGraph, schema: Schema): number[] {
  return [...schema.definitions.keys()].map((type) => graph.findObject(graph.names.find(type), '*'))
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

interface Changed {
  relation: number
  /** By a number for each kind of subject: whether it fits. */
  known: Map<number, boolean>
}

/** By the number of their type. */
function relationsThatChange({ names }: MemoryGraph, before: Schema, after: Schema): Map<number, Changed[]> {
  const changed = new Map<number, Changed[]>()
  for (const { name: type, relations } of before.definitions.values()) {
    const others = after.definitions.get(type)?.relations
    const relationsOf = [...relations.values()]
      .filter((relation) => !isWithin(relation, others?.get(relation.name), before, after))
      .map(({ name }) => ({ relation: names.find(name), known: new Map<number, boolean>() }))
    if (relationsOf.length > 0) changed.set(names.find(type), relationsOf)
  }
  return changed
}

/** Whether all that may stand in the one may stand in the other. */
function isWithin(one: Relation, other: Relation | undefined, before: Schema, after: Schema): boolean {
  const allowed = new Set(other?.allowed.map(printAllowed))
  return one.allowed.every((subject) => {
    const { caveat } = subject
    const [old, now] = [before, after].map(({ caveats }) => (caveat === undefined ? undefined : caveats.get(caveat)))
    const isKept = old === now || (old !== undefined && now !== undefined && isSameCaveat(old, now))
    return isKept && allowed.has(printAllowed(subject))
  })
}
