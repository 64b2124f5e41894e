import type { MemoryGraph, PermissionEngine, RelationshipChange } from '@passport/permissions'
import * as z from 'zod/mini'
import * as commitStore from './commit-store.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { commit, type Parts } from './parts.ts'
import { toRelationship } from './rows.ts'
import { encodeToken } from './token.ts'
import { createWhatIfEngine } from './what-if.ts'
import { formatAuthor, loadInTransaction, parseAuthor, readChange } from './write.ts'
import { prepareSchema } from './write-schema.ts'
import { createYielder } from './yield-if-due.ts'

type Insight = Required<Pick<PermissionEngine, 'status' | 'whatIf' | 'completeIds' | 'history' | 'load'>>

const CursorPosition = z.object({ rev: z.int(), key: z.string() })
const maxListed = 1000
const objectsAtOnce = 10_000

/** Status, what-if, completion, history and bulk loading, for the tools. */
export function insightCalls(parts: Parts): Insight {
  const { sql, schemas, replica } = parts
  return {
    status: async () => {
      const { epoch, rev } = await commitStore.readHead(sql)
      const state = replica.current()
      const { schema, counts } = state ?? { schema: undefined, counts: undefined }
      return {
        revision: encodeToken(epoch, rev),
        lag: state
          ? {
              commits: Math.max(0, rev - state.rev),
              milliseconds: state.rev >= rev ? 0 : Date.now() - (replica.lastCaughtUpAt() ?? Date.now()),
            }
          : null,
        counts: schema
          ? [...schema.definitions.keys()].map((type) => ({ type, relationships: counts?.get(type) ?? 0 }))
          : null,
      }
    },
    whatIf: (whatIf) => createWhatIfEngine(parts, whatIf),
    completeIds: async (type, prefix, limit) => {
      const state = replica.current()
      return state ? await findIds(state.graph, type, prefix, limit) : []
    },
    history: async (filter, { limit, cursor }) => {
      const question = { ...filter, ...(cursor !== undefined && { cursor }) }
      const position = decodeCursor(CursorPosition, question)
      const rows = await commitStore.readHistory(sql, filter, {
        limit: limit + 1,
        ...(position && { before: position }),
      })
      const { epoch } = await commitStore.readHead(sql)
      const listed = rows.slice(0, limit)
      const last = listed.at(-1)
      return {
        items: listed.map((row) => ({
          operation: row.after === null ? 'removed' : row.before === null ? 'added' : 'changed',
          relationship: toRelationship(row, row.after ?? row.before ?? {}),
          at: Date.parse(row.at),
          by: parseAuthor(row.by),
          token: encodeToken(epoch, row.rev),
        })),
        ...(rows.length > limit && last && { cursor: encodeCursor(question, { rev: last.rev, key: last.key }) }),
      }
    },
    load: async ({ schema, relationships }, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        const checkedAgainst = await commitStore.beginWrite(sql, formatAuthor(by))
        const next = schema === undefined ? undefined : await prepareSchema(sql, schemas, { text: schema, by })
        const written = await loadInTransaction(
          sql,
          next?.schema ?? (await schemas.find(sql, checkedAgainst)),
          relationships,
        )
        const change: RelationshipChange = await readChange(sql)
        // The log does not list the changes of a bulk load.
        const isListed = change.written >= written
        const listed = isListed ? change : { before: [], after: relationships.slice(0, maxListed), removed: 0, written }
        await record?.({ ...listed, ...(next && { schema: next.change }) }, sql)
        await next?.activate()
        return {}
      })
      return { writtenAt: token }
    },
  }
}

/**
 * Returns the smallest ids of a type that start with the prefix, sorted, in one pass over all objects. Yields in
 * between.
 */
async function findIds(graph: MemoryGraph, type: string, prefix: string, limit: number): Promise<string[]> {
  const number = graph.names.find(type)
  let ids: string[] = []
  const yieldIfDue = createYielder()
  let seen = 0
  for (const object of graph.objects()) {
    const id = graph.objectType(object) === number ? graph.objectId(object) : '*'
    if (id !== '*' && id.startsWith(prefix)) ids.push(id)
    if (ids.length > 4 * limit + 64) ids = ids.sort().slice(0, limit)
    if (++seen % objectsAtOnce === 0) await yieldIfDue()
  }
  return ids.sort().slice(0, limit)
}
