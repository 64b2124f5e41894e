import type {
  Author,
  Cycles,
  MemoryGraph,
  PermissionEngine,
  Precondition,
  RelationshipUpdate,
  Token,
} from '@passport/permissions'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as commitStore from './commit-store.ts'
import { createEvaluate, type Parts } from './consistency.ts'
import { createSchemaCache } from './directory-schema.ts'
import { createRequestMethods } from './evaluate-requests.ts'
import { startLogReplica } from './log-replica.ts'
import { relationshipCalls } from './relationships.ts'
import { schemaCalls } from './schema.ts'
import { encodeToken } from './token.ts'
import { watch } from './watch.ts'
import { createWhatIfEngine } from './what-if.ts'
import { writeInTransaction } from './write.ts'
import { createYielder } from './yield-if-due.ts'

/** Returns the configured engine: embedded, unless SpiceDB is configured. */
export async function chooseEngine(
  { spiceDb, permissionCycles: cycles }: Pick<Config, 'spiceDb' | 'permissionCycles'>,
  { sql, ...options }: { sql: Sql; background: Sql; log: Log; version: string },
): Promise<PermissionEngine> {
  if (!spiceDb) return createEmbeddedEngine(sql, { ...options, ...(cycles && { cycles }) })
  const { createSpiceDbEngine } = await import('../spicedb/engine.ts')
  return createSpiceDbEngine(spiceDb)
}

/** The engine in this process, on the relationships of this database. */
export interface EmbeddedEngine extends Required<PermissionEngine> {
  /**
   * Writes within a transaction of another feature, as its last step: other commits wait for it from here on. The token
   * is valid once the transaction commits.
   */
  writeInTransaction: (
    sql: Sql,
    updates: RelationshipUpdate[],
    by?: Author,
    preconditions?: Precondition[],
  ) => Promise<Token>
  /** Reports whether all relationships are in memory, waiting at most `withinMs`. */
  loaded: (withinMs: number) => Promise<boolean>
}

/** Opens the engine. Relationships are loaded in the background; until then the database answers. */
export function createEmbeddedEngine(
  sql: Sql,
  { background = sql, log, version, cycles }: { background?: Sql; log: Log; version: string; cycles?: Cycles },
): EmbeddedEngine {
  const schemas = createSchemaCache()
  const replica = startLogReplica(background, log, schemas)
  const options = cycles ? { cycles } : {}
  const parts = { sql, schemas, replica, evaluate: createEvaluate(sql, schemas, replica), options }
  return {
    kind: 'embedded',
    version,
    ...schemaCalls(parts),
    ...createRequestMethods(parts),
    ...relationshipCalls(parts),
    watch: (from, filter, signal) => watch(sql, replica, from, filter, signal),
    whatIf: (whatIf) => createWhatIfEngine(parts, whatIf),
    status: () => readStatus(parts),
    completeIds: async (type, prefix, limit) => {
      const state = replica.current()
      return state ? findIds(state.graph, type, prefix, limit) : []
    },
    writeInTransaction: async (sql, updates, by, preconditions = []) => {
      await writeInTransaction(sql, schemas, { updates, preconditions, ...(by && { by }) })
      const { epoch, rev } = await commitStore.assignRevision(sql)
      return encodeToken(epoch, rev)
    },
    loaded: (withinMs) => replica.waitForRevision({ rev: 0 }, withinMs),
    close: () => replica.close(),
  }
}

async function readStatus({ sql, replica }: Parts) {
  const { epoch, rev } = await commitStore.readHead(sql)
  const revision = encodeToken(epoch, rev)
  const state = replica.current()
  if (!state) return { revision, lag: null, counts: null }
  const { schema, counts } = state
  return {
    revision,
    lag: {
      commits: Math.max(0, rev - state.rev),
      milliseconds: state.rev >= rev ? 0 : Date.now() - (replica.lastCaughtUpAt() ?? Date.now()),
    },
    counts: [...schema.definitions.keys()].map((type) => ({ type, relationships: counts.get(type) ?? 0 })),
  }
}

const objectsAtOnce = 10_000

/** Returns the smallest ids of a type that start with the prefix, sorted, in one pass over all objects. */
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
