import type { WhatIf } from '../engine.ts'
import { PermissionFault } from '../fault.ts'
import type { Schema } from '../schema/schema.ts'
import { findInvalidEdges } from './find-invalid-edges.ts'
import type { Graph } from './graph.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { Names } from './name-numbers.ts'
import { OverlayGraph } from './overlay-graph.ts'
import type { Relationship } from './relationship.ts'
import { printRelationship } from './relationship-text.ts'
import { validateRelationship } from './validate-relationship.ts'

const maxChanges = 1000

export interface HypotheticalGraph {
  schema: Schema
  graph: Graph
  /** The number of relationships in the graph that do not fit the assumed schema and are ignored. */
  leftOut: number
}

/**
 * Returns a hypothetical graph and schema without changing the originals. `after` is the assumed schema, compiled.
 * Added relationships must fit `after`, removed ones the current schema. Throws `too-many`, `duplicate-update` and the
 * faults of `validateRelationship`, with fields such as `whatIf.add.3.subject`. Pass `invalidEdges` if they are
 * already known.
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
      throw new PermissionFault('too-many', `At most ${maxChanges} per request.`, `whatIf.${name}`)
    for (const [at, { resource, relation, subject }] of list.entries()) {
      const key = printRelationship({ resource, relation, subject })
      if (seen.has(key))
        throw new PermissionFault(
          'duplicate-update',
          'Each relationship can be listed only once.',
          `whatIf.${name}.${at}`,
        )
      seen.add(key)
    }
  }
}
