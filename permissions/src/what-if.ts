import type { WhatIf } from './engine.ts'
import { PermissionFault } from './fault.ts'
import type { Graph } from './graph.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { Names } from './name-numbers.ts'
import { OverlayGraph } from './overlay-graph.ts'
import type { Relationship } from './relationship.ts'
import { printRelationship } from './relationship-text.ts'
import type { Schema } from './schema.ts'
import { unfitting } from './unfitting.ts'
import { validateRelationship } from './validate-relationship.ts'

const maxAtOnce = 1000

export interface Supposed {
  schema: Schema
  graph: Graph
  /** How many relationships of the graph do not fit the schema that is supposed, and are left out. */
  leftOut: number
}

/**
 * A graph and a schema as they would be; neither is changed. `after` is the schema that is supposed, compiled. What is
 * added must fit that, what is removed the one that is there. Throws `too-many`, `duplicate-update` and what
 * `validateRelationship` throws, at `whatIf.add.3.subject` and the like. `left` is for who knows already what does not fit.
 */
export function supposed(
  schema: Schema,
  graph: MemoryGraph,
  { add = [], remove = [] }: Pick<WhatIf, 'add' | 'remove'>,
  after: Schema = schema,
  left: ReadonlySet<number> | undefined = after === schema ? undefined : unfitting(graph, schema, after),
): Supposed {
  checkOnce({ add, remove })
  for (const [at, one] of add.entries()) validateRelationship(after, one, `whatIf.add.${at}`)
  for (const [at, one] of remove.entries())
    validateRelationship(schema, one, `whatIf.remove.${at}`, { isDeletion: true })
  const overlay = new OverlayGraph(graph, {
    ...(left && { counts: (edge) => !left.has(edge) }),
    ...(after !== schema && { names: new Names(graph.names) }),
  })
  for (const one of remove) overlay.remove(one)
  for (const one of add) overlay.add(one)
  return { schema: after, graph: overlay, leftOut: left?.size ?? 0 }
}

function checkOnce(lists: Record<'add' | 'remove', readonly Relationship[]>): void {
  const seen = new Set<string>()
  for (const [name, list] of Object.entries(lists)) {
    if (list.length > maxAtOnce)
      throw new PermissionFault('too-many', `At most ${maxAtOnce} at once.`, `whatIf.${name}`)
    for (const [at, { resource, relation, subject }] of list.entries()) {
      const key = printRelationship({ resource, relation, subject })
      if (seen.has(key))
        throw new PermissionFault(
          'duplicate-update',
          'Each relationship is supposed once at most.',
          `whatIf.${name}.${at}`,
        )
      seen.add(key)
    }
  }
}
