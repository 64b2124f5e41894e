import { printAllowed } from '../schema/allowed-subject.ts'
import { isSameCaveat } from '../schema/meaning.ts'
import type { Relation, Schema } from '../schema/schema.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { isAllowedBySchema } from './validate-relationship.ts'

/** Returns the edges of a graph that are valid under one schema but not under another. */
export function findInvalidEdges(graph: MemoryGraph, before: Schema, after: Schema): Set<number> {
  const invalidEdges = new Set<number>()
  const changedByType = findNarrowedRelations(graph, before, after)
  if (changedByType.size === 0) return invalidEdges
  const wildcards = new Set(findWildcardObjects(graph, before))
  for (const object of graph.objects()) {
    for (const { relation, validity } of changedByType.get(graph.objectType(object)) ?? []) {
      const objectAndRelation = graph.findObjectAndRelation(object, relation)
      if (objectAndRelation < 0) continue
      for (const first of [graph.firstObject(objectAndRelation), graph.firstUserset(objectAndRelation)])
        for (let edge = first; edge >= 0; edge = graph.nextOut(edge))
          if (!isValid(edge, validity)) invalidEdges.add(edge)
    }
  }
  return invalidEdges

  /** There may be a million edges, so the result is cached per kind of subject. */
  function isValid(edge: number, validity: Map<number, boolean>): boolean {
    if (graph.conditionOf(edge)) return isAllowedBySchema(after, graph.relationshipOf(edge))
    const subject = graph.edgeSubject(edge)
    const object = graph.objectOf(subject)
    const typeAndRelation = graph.objectType(object) * graph.names.size + graph.relationOf(subject)
    const kind = wildcards.has(object) ? -1 - typeAndRelation : typeAndRelation
    const isAllowed = validity.get(kind) ?? isAllowedBySchema(after, graph.relationshipOf(edge))
    validity.set(kind, isAllowed)
    return isAllowed
  }
}

function findWildcardObjects(graph: MemoryGraph, schema: Schema): number[] {
  return [...schema.definitions.keys()].map((type) => graph.findObject(graph.names.find(type), '*'))
}

interface NarrowedRelation {
  relation: number
  /** Whether it fits, by the number of a subject kind. */
  validity: Map<number, boolean>
}

/** Keyed by the number of the type. */
function findNarrowedRelations({ names }: MemoryGraph, before: Schema, after: Schema): Map<number, NarrowedRelation[]> {
  const changed = new Map<number, NarrowedRelation[]>()
  for (const { name: type, relations } of before.definitions.values()) {
    const newRelations = after.definitions.get(type)?.relations
    const narrowed = [...relations.values()]
      .filter((relation) => !isSubset(relation, newRelations?.get(relation.name), before, after))
      .map(({ name }) => ({ relation: names.find(name), validity: new Map<number, boolean>() }))
    if (narrowed.length > 0) changed.set(names.find(type), narrowed)
  }
  return changed
}

/** Reports whether every subject allowed in one relation is allowed in the other. */
function isSubset(narrower: Relation, wider: Relation | undefined, before: Schema, after: Schema): boolean {
  const allowed = new Set(wider?.allowed.map(printAllowed))
  return narrower.allowed.every((subject) => {
    const { caveat } = subject
    const [oldCaveat, newCaveat] = [before, after].map(({ caveats }) =>
      caveat === undefined ? undefined : caveats.get(caveat),
    )
    const isKept =
      oldCaveat === newCaveat ||
      (oldCaveat !== undefined && newCaveat !== undefined && isSameCaveat(oldCaveat, newCaveat))
    return isKept && allowed.has(printAllowed(subject))
  })
}
