import type { Cycles, MemoryGraph, PermissionEngine } from '@passport/permissions'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as commitStore from './commit-store.ts'
import { createEvaluate, type EngineContext } from './consistency.ts'
import { createSchemaCache } from './directory-schema.ts'
import { createRequestMethods } from './evaluate-requests.ts'
import { type LogReplica, startLogReplica } from './log-replica.ts'
import { createRelationshipMethods } from './relationships.ts'
import { createSchemaMethods } from './schema.ts'
import { encodeToken } from './token.ts'
import { watch } from './watch.ts'
import { createWhatIfEngine } from './what-if.ts'
import { createYielder } from './yield-if-due.ts'

/** Opens the configured engine: embedded, unless SpiceDB is configured. */
export async function openConfiguredEngine(
  { spiceDb, permissionCycles: cycles }: Pick<Config, 'spiceDb' | 'permissionCycles'>,
  { sql, ...options }: { sql: Sql; background: Sql; log: Log; version: string },
): Promise<PermissionEngine> {
  if (!spiceDb) return createEmbeddedEngine(sql, { ...options, ...(cycles && { cycles }) })
  const { createSpiceDbEngine } = await import('../spicedb/engine.ts')
  return createSpiceDbEngine(spiceDb)
}

/** The engine that evaluates in this process, on the relationships in Passport's own database. */
export interface EmbeddedEngine extends Required<PermissionEngine> {
  /** Reports whether all relationships are in memory, after waiting at most `withinMs`. */
  loaded: (withinMs: number) => Promise<boolean>
}

/** Creates the engine. Until the relationships are loaded in the background, requests are evaluated in the database. */
export function createEmbeddedEngine(
  sql: Sql,
  { background = sql, log, version, cycles }: { background?: Sql; log: Log; version: string; cycles?: Cycles },
): EmbeddedEngine {
  const schemas = createSchemaCache()
  return createEngineOn(sql, { schemas, replica: startLogReplica(background, log, schemas), version, cycles })
}

/** Creates an engine within a transaction of the caller, which commits its changes. Requests are evaluated in the database. */
export const createEngineWithin = (sql: Sql, version: string): EmbeddedEngine =>
  createEngineOn(sql, { schemas: createSchemaCache(), replica: emptyReplica, version, cycles: undefined })

const emptyReplica: LogReplica = {
  current: () => undefined,
  waitForRevision: async () => false,
  waitForChange: async () => {},
  lastCaughtUpAt: () => undefined,
  close: async () => {},
}

function createEngineOn(
  sql: Sql,
  { schemas, replica, version, cycles }: Pick<EngineContext, 'schemas' | 'replica'> & EngineSettings,
): EmbeddedEngine {
  const options = cycles ? { cycles } : {}
  const context = { sql, schemas, replica, evaluate: createEvaluate(sql, schemas, replica), options }
  return {
    kind: 'embedded',
    version,
    ...createSchemaMethods(context),
    ...createRequestMethods(context),
    ...createRelationshipMethods(context),
    watch: (from, filters, signal) => watch(sql, replica, from, filters, signal),
    whatIf: (whatIf) => createWhatIfEngine(context, whatIf),
    status: () => readStatus(context),
    completeIds: async (type, prefix, limit) => {
      const state = replica.current()
      return state ? findIds(state.graph, type, prefix, limit) : []
    },
    loaded: (withinMs) => replica.waitForRevision({ rev: 0 }, withinMs),
    close: () => replica.close(),
  }
}

interface EngineSettings {
  version: string
  cycles: Cycles | undefined
}

async function readStatus({ sql, replica }: EngineContext) {
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

/** The number of objects to visit before yielding. */
const objectsPerYield = 10_000

/** Returns the smallest ids of a type that start with the prefix, sorted, in one pass over all objects. */
async function findIds(graph: MemoryGraph, type: string, prefix: string, limit: number): Promise<string[]> {
  const typeNumber = graph.names.find(type)
  let ids: string[] = []
  const yieldIfDue = createYielder()
  let visited = 0
  for (const object of graph.objects()) {
    const id = graph.objectType(object) === typeNumber ? graph.objectId(object) : '*'
    if (id !== '*' && id.startsWith(prefix)) ids.push(id)
    if (ids.length > 4 * limit + 64) ids = ids.sort().slice(0, limit)
    if (++visited % objectsPerYield === 0) await yieldIfDue()
  }
  return ids.sort().slice(0, limit)
}
