import type { PermissionEngine, RelationshipChange } from '@passport/permissions/engine'
import type { MemoryGraph } from '@passport/permissions/memory-graph'
import * as z from 'zod/mini'
import * as commitStore from './commit-store.ts'
import { cursorOf, placeOf } from './cursor.ts'
import { commit, type Parts } from './parts.ts'
import { relationshipOf } from './rows.ts'
import { suppose } from './suppose.ts'
import { tokenOf } from './token.ts'
import { takingTurns } from './turns.ts'
import { authorOf, authorText, changeOf, loadIn } from './write.ts'
import { newSchemaIn } from './write-schema.ts'

type Insight = Required<Pick<PermissionEngine, 'status' | 'suppose' | 'completeIds' | 'history' | 'load'>>

const Place = z.object({ rev: z.int(), key: z.string() })
const maxTold = 1000
const objectsAtOnce = 10_000

/** What the tools show beside answers. */
export function insightCalls(parts: Parts): Insight {
  const { sql, schemas, follower } = parts
  return {
    status: async () => {
      const { epoch, rev } = await commitStore.readHead(sql)
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
    suppose: (whatIf) => suppose(parts, whatIf),
    completeIds: async (type, prefix, limit) => {
      const moment = follower.current()
      return moment ? await idsOf(moment.graph, type, prefix, limit) : []
    },
    history: async (filter, { limit, cursor }) => {
      const question = { ...filter, ...(cursor !== undefined && { cursor }) }
      const place = placeOf(Place, question)
      const rows = await commitStore.readHistory(sql, filter, { limit: limit + 1, ...(place && { before: place }) })
      const { epoch } = await commitStore.readHead(sql)
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
        const checkedAgainst = await commitStore.beginWrite(sql, authorText(by))
        const next = schema === undefined ? undefined : await newSchemaIn(sql, schemas, { text: schema, by })
        const written = await loadIn(sql, next?.schema ?? (await schemas.find(sql, checkedAgainst)), relationships)
        const change: RelationshipChange = await changeOf(sql)
        // So many are not in the log one by one.
        const isTold = change.written >= written
        const told = isTold ? change : { before: [], after: relationships.slice(0, maxTold), removed: 0, written }
        await record?.({ ...told, ...(next && { schema: next.change }) }, sql)
        await next?.enforce()
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
