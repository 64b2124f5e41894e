import type { Author, Cycles, PermissionEngine, Precondition, RelationshipUpdate, Token } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as commitStore from './commit-store.ts'
import { createEvaluate } from './consistency.ts'
import { insightCalls } from './insight.ts'
import { startLogReplica } from './log-replica.ts'
import { questionCalls } from './questions.ts'
import { relationshipCalls } from './relationships.ts'
import { schemaCalls } from './schema.ts'
import { createSchemaCache } from './schemas.ts'
import { encodeToken } from './token.ts'
import { writeInTransaction } from './write.ts'

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
  const parts = { sql, schemas, replica, evaluate: createEvaluate(sql, schemas, replica), ...(cycles && { cycles }) }
  return {
    kind: 'embedded',
    version,
    ...schemaCalls(parts),
    ...questionCalls(parts),
    ...relationshipCalls(parts),
    ...insightCalls(parts),
    writeInTransaction: async (sql, updates, by, preconditions = []) => {
      await writeInTransaction(sql, schemas, { updates, preconditions, by })
      const { epoch, rev } = await commitStore.assignRevision(sql)
      return encodeToken(epoch, rev)
    },
    loaded: (withinMs) => replica.waitForRevision({ rev: 0 }, withinMs),
    close: () => replica.close(),
  }
}
