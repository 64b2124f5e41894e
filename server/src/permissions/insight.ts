import type {
  Consistency,
  PermissionEngine,
  RelationshipChange,
  SchemaChange,
  Supposition,
} from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { MemoryGraph } from '@passport/permissions/memory-graph'
import type { Relationship } from '@passport/permissions/relationship'
import * as z from 'zod/mini'
import { createAsk } from './consistency.ts'
import { cursorOf, placeOf } from './cursor.ts'
import { commit, type Parts } from './parts.ts'
import { questionCalls } from './questions.ts'
import { relationshipOf } from './rows.ts'
import * as store from './store.ts'
import { tokenOf } from './token.ts'
import { takingTurns } from './turns.ts'
import { authorOf, changeOf, loadIn } from './write.ts'
import { writeSchemaIn } from './write-schema.ts'

type Insight = Required<Pick<PermissionEngine, 'status' | 'suppose' | 'completeIds' | 'history' | 'load'>>

const Place = z.object({ rev: z.int(), key: z.string() })
const maxTold = 1000
const objectsAtOnce = 10_000

/** What the tools show beside answers. */
export function insightCalls(parts: Parts): Insight {
  const { sql, schemas, follower } = parts
  return {
    status: async () => {
      const { epoch, rev } = await store.readHead(sql)
      const moment = follower.current()
      const { schema, counts } = moment ?? { schema: undefined, counts: undefined }
      return {
        revision: tokenOf(epoch, rev),
        lag: moment
          ? {
              commits: Math.max(0, rev - moment.rev),
              milliseconds: moment.rev >= rev ? 0 : Date.now() - (follower.lastLevelAt() ?? Date.now()),
            }
          : null,
        counts: schema
          ? [...schema.definitions.keys()].map((type) => ({ type, relationships: counts?.get(type) ?? 0 }))
          : null,
      }
    },
    suppose: (change) => suppose(parts, change),
    completeIds: async (type, prefix, limit) => {
      const moment = follower.current()
      return moment ? await idsOf(moment.graph, type, prefix, limit) : []
    },
    history: async (filter, { limit, cursor }) => {
      const question = { ...filter, ...(cursor !== undefined && { cursor }) }
      const place = placeOf(Place, question)
      const { epoch } = await store.readHead(sql)
      const rows = await store.readHistory(sql, filter, { limit: limit + 1, ...(place && { before: place }) })
      const told = rows.slice(0, limit)
      const last = told.at(-1)
      return {
        items: told.map((row) => ({
          operation: row.after === null ? 'removed' : row.before === null ? 'added' : 'changed',
          relationship: relationshipOf(row, row.after ?? row.before ?? {}),
          at: Date.parse(row.at),
          by: authorOf(row.by),
          token: tokenOf(epoch, row.rev),
        })),
        ...(rows.length > limit && last && { cursor: cursorOf(question, { rev: last.rev, key: last.key }) }),
      }
    },
    load: async ({ schema, relationships }, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        let schemaChange: SchemaChange | undefined
        const keep = async (change: SchemaChange) => {
          schemaChange = change
        }
        if (schema !== undefined) await writeSchemaIn(sql, schemas, { text: schema, by, record: keep })
        const written = await loadIn(sql, schemas, relationships, by)
        const change: RelationshipChange = await changeOf(sql)
        // So many are not in the log one by one.
        const isTold = change.written >= written
        const told = isTold ? change : { before: [], after: relationships.slice(0, maxTold), removed: 0, written }
        await record?.({ ...told, ...(schemaChange && { schema: schemaChange }) }, sql)
        return {}
      })
      return { writtenAt: token }
    },
  }
}

/** The ids of a type that begin so, in order: the smallest, found in one walk through all objects. Others have turns. */
async function idsOf(graph: MemoryGraph, type: string, prefix: string, limit: number): Promise<string[]> {
  const number = graph.names.find(type)
  let found: string[] = []
  const takeTurns = takingTurns()
  let seen = 0
  for (const object of graph.objects()) {
    const id = graph.objectType(object) === number ? graph.objectId(object) : '*'
    if (id !== '*' && id.startsWith(prefix)) found.push(id)
    if (found.length > 4 * limit + 64) found = found.sort().slice(0, limit)
    if (++seen % objectsAtOnce === 0) await takeTurns()
  }
  return found.sort().slice(0, limit)
}

/**
 * Answers of the graph as it would be: changed, asked and changed back, all before anybody else is asked. Where not all
 * is in memory yet it throws `not-caught-up`.
 */
function suppose(
  { sql, schemas, follower }: Parts,
  change: { added: Relationship[]; removed: Relationship[] },
): Supposition {
  const current = () => {
    const moment = follower.current()
    if (!moment) throw new PermissionFault('not-caught-up', 'The relationships are not loaded yet.')
    return moment
  }
  const ask = createAsk(sql, schemas, follower)
  const {
    check: checkSupposed,
    lookupResources,
    lookupSubjects,
  } = questionCalls({
    ask: async (_consistency: Consistency | undefined, question) => {
      current()
      return ask(
        { kind: 'fullyConsistent' },
        {
          ofSnapshot: question.ofSnapshot,
          ofMemory: (moment) => within(moment.graph, change, () => question.ofMemory(moment)),
        },
      )
    },
  })
  return { check: checkSupposed, lookupResources, lookupSubjects }
}

function within<T>(graph: MemoryGraph, change: { added: Relationship[]; removed: Relationship[] }, ask: () => T): T {
  const undo: (() => void)[] = []
  const stored = (relationship: Relationship) => {
    const edge = graph.findRelationship(relationship)
    return edge < 0 ? undefined : graph.relationshipOf(edge)
  }
  try {
    for (const relationship of [...change.removed, ...change.added]) {
      const before = stored(relationship)
      undo.unshift(() => (before ? graph.add(before) : graph.remove(relationship)))
      if (change.added.includes(relationship)) graph.add(relationship)
      else graph.remove(relationship)
    }
    return ask()
  } finally {
    for (const step of undo) step()
  }
}
