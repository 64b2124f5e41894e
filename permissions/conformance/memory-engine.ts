import { compileSchema } from '../src/compile.ts'
import type { BulkCheckItem, CheckRequest, PermissionEngine } from '../src/engine.ts'
import { PermissionError } from '../src/error.ts'
import { check } from '../src/evaluate/check.ts'
import { expand } from '../src/evaluate/expand.ts'
import { MemoryGraph } from '../src/graph/memory-graph.ts'
import { parseRelationship, printRelationship } from '../src/graph/relationship-text.ts'
import { validateFilter, validateRelationship } from '../src/graph/validate.ts'
import { lookupResources, lookupSubjects } from '../src/lookup/lookup.ts'
import type { Schema } from '../src/schema/schema.ts'

/** The methods of an engine that are compared with SpiceDB. The core in memory implements them too. */
export type MemoryEngine = Pick<
  PermissionEngine,
  | 'writeSchema'
  | 'check'
  | 'checkBulk'
  | 'lookupResources'
  | 'lookupSubjects'
  | 'expand'
  | 'readRelationships'
  | 'writeRelationships'
  | 'deleteRelationships'
>

const token = 'now'

/** Creates an engine from the core with a graph in memory. In checks, cycles are errors, as in SpiceDB. */
export function createMemoryEngine(): MemoryEngine {
  let schema: Schema = compileSchema('')
  const graph = new MemoryGraph()
  const result = (request: CheckRequest) => check(schema, graph, request, { now: Date.now(), cycles: 'error' })
  return {
    writeSchema: async (text) => {
      schema = compileSchema(text)
      return { writtenAt: token }
    },
    check: async (request) => ({ ...result(request), checkedAt: token }),
    checkBulk: async (requests) => ({
      results: requests.map((request) => catchError(() => result(request))),
      checkedAt: token,
    }),
    lookupResources: async (request) => ({
      ...lookupResources(schema, graph, request, { now: Date.now() }),
      lookedUpAt: token,
    }),
    lookupSubjects: async (request) => ({
      ...lookupSubjects(schema, graph, request, { now: Date.now() }),
      lookedUpAt: token,
    }),
    expand: async (request) => ({ tree: expand(schema, graph, request, { now: Date.now() }), expandedAt: token }),
    readRelationships: async (filter, { limit, cursor }) => {
      validateFilter(schema, filter)
      const after = cursor === undefined ? {} : { after: parseRelationship(cursor) }
      const items = graph.read(filter, { ...after, limit: limit + 1, now: Date.now() })
      const page = items.slice(0, limit)
      const last = page.at(-1)
      return { items: page, ...(items.length > limit && last && { cursor: printRelationship(last) }), readAt: token }
    },
    writeRelationships: async (updates) => {
      for (const [index, { relationship }] of updates.entries()) {
        validateRelationship(schema, relationship, `updates.${index}.relationship`)
      }
      for (const { relationship } of updates) graph.add(relationship)
      return { writtenAt: token }
    },
    deleteRelationships: async (filter) => {
      const deleted = graph.read(filter, { limit: graph.size })
      for (const relationship of deleted) graph.remove(relationship)
      return { deletedAt: token, deleted: deleted.length, isComplete: true }
    },
  }
}

function catchError(result: () => BulkCheckItem): BulkCheckItem {
  try {
    return result()
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    const { code, message, field } = error
    return { error: { code, message, ...(field !== undefined && { field }) } }
  }
}
