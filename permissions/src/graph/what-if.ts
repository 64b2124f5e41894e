import type { WhatIf } from '../engine.ts'
import { PermissionError } from '../error.ts'
import { isSameCaveat } from '../schema/diff.ts'
import { printAllowed } from '../schema/print.ts'
import type { Relation, Schema } from '../schema/schema.ts'
import { type Graph, Names } from './graph.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { OverlayGraph } from './overlay-graph.ts'
import type { Relationship } from './relationship.ts'
import { printRelationship } from './relationship-text.ts'
import { isAllowedBySchema, validateRelationship } from './validate.ts'

const maxChanges = 1000

interface HypotheticalGraph {
  schema: Schema
  graph: Graph
  /** The number of stored relationships that the schema does not allow and the graph omits. */
  leftOut: number
}

/**
 * Applies hypothetical changes to a graph and its schema, without changing the originals. `after` is the hypothetical
 * schema. It must allow the added relationships, and `schema` the removed ones. Throws `too-many`, `duplicate-update`
 * and the errors of `validateRelationship`, with fields such as `whatIf.add.3.subject`. `invalidEdges` is the result of
 * `findInvalidEdges`, if the caller has it.
 */
export function applyWhatIf(
  schema: Schema,
  graph: MemoryGraph,
  { add = [], remove = [] }: Pick<WhatIf, 'add' | 'remove'>,
  after: Schema = schema,
  invalidEdges: ReadonlySet<number> | undefined = after === schema ? undefined : findInvalidEdges(graph, schema, after),
): HypotheticalGraph {
  checkDuplicates({ add, remove })
  for (const [at, relationship] of add.entries()) validateRelationship(after, relationship, `whatIf.add.${at}`)
  for (const [at, relationship] of remove.entries())
    validateRelationship(schema, relationship, `whatIf.remove.${at}`, { isDeletion: true })
  const overlay = new OverlayGraph(graph, {
    ...(invalidEdges && { isVisible: (edge) => !invalidEdges.has(edge) }),
    ...(after !== schema && { names: new Names(graph.names) }),
  })
  for (const relationship of remove) overlay.remove(relationship)
  for (const relationship of add) overlay.add(relationship)
  return { schema: after, graph: overlay, leftOut: invalidEdges?.size ?? 0 }
}

function checkDuplicates(lists: Record<'add' | 'remove', readonly Relationship[]>): void {
  const seen = new Set<string>()
  for (const [name, list] of Object.entries(lists)) {
    if (list.length > maxChanges)
      throw new PermissionError('too-many', `At most ${maxChanges} per request.`, `whatIf.${name}`)
    for (const [at, { resource, relation, subject }] of list.entries()) {
      const key = printRelationship({ resource, relation, subject })
      if (seen.has(key))
        throw new PermissionError(
          'duplicate-update',
          'Each relationship can be listed only once.',
          `whatIf.${name}.${at}`,
        )
      seen.add(key)
    }
  }
}

/** Returns the edges of a graph, valid under `before`, that `after` does not allow. */
export function findInvalidEdges(graph: MemoryGraph, before: Schema, after: Schema): Set<number> {
  const invalidEdges = new Set<number>()
  const changedByType = findNarrowedRelations(graph, before, after)
  if (changedByType.size === 0) return invalidEdges
  const wildcards = new Set(findWildcardObjects(graph, before))
  for (const object of graph.objects()) {
    for (const { relation, validity } of changedByType.get(graph.objectType(object)) ?? []) {
      const objectAndRelation = graph.findObjectAndRelation(object, relation)
      if (objectAndRelation < 0) continue
      for (const first of [graph.firstObjectEdge(objectAndRelation), graph.firstUsersetEdge(objectAndRelation)])
        for (let edge = first; edge >= 0; edge = graph.nextOutEdge(edge))
          if (!isValid(edge, validity)) invalidEdges.add(edge)
    }
  }
  return invalidEdges

  /** Caches the result by the kind of subject, because a graph may have a million edges. */
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
  /** Whether `after` allows a kind of subject, by a number for its type, relation and wildcard. */
  validity: Map<number, boolean>
}

/** Returns the relations that may allow fewer subjects under `after`, by the number of their type. */
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

/** Reports whether the wider relation allows every subject of the narrower one, with the same caveats. */
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
