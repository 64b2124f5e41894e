import type { Author, PermissionEngine, Token } from '@passport/permissions/engine'
import type { Cycles } from '@passport/permissions/evaluator'
import type { Precondition, RelationshipUpdate } from '@passport/permissions/relationship'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import * as commitStore from './commit-store.ts'
import { createAsk } from './consistency.ts'
import { insightCalls } from './insight.ts'
import { follow } from './log.ts'
import { questionCalls } from './questions.ts'
import { relationshipCalls } from './relationships.ts'
import { schemaCalls } from './schema.ts'
import { keepSchemas } from './schemas.ts'
import { tokenOf } from './token.ts'
import { writeIn } from './write.ts'

/** The engine in this process, on the relationships of this database. */
export interface EmbeddedEngine extends Required<PermissionEngine> {
  /**
   * Writes within a transaction of another room, as its last step: from there on others wait for its end. The token
   * counts once that has come.
   */
  writeIn: (sql: Sql, updates: RelationshipUpdate[], by?: Author, preconditions?: Precondition[]) => Promise<Token>
  /** Whether all relationships are in memory, or were within the time in milliseconds. */
  loaded: (withinMs: number) => Promise<boolean>
}

/** Opens the engine; relationships are loaded in the background, and until then the database is asked. */
export function createEmbeddedEngine(
  sql: Sql,
  { log, version, cycles }: { log: Log; version: string; cycles?: Cycles },
): EmbeddedEngine {
  const schemas = keepSchemas()
  const follower = follow(sql, log, schemas)
  const parts = { sql, schemas, follower, ask: createAsk(sql, schemas, follower), ...(cycles && { cycles }) }
  return {
    kind: 'embedded',
    version,
    ...schemaCalls(parts),
    ...questionCalls(parts),
    ...relationshipCalls(parts),
    ...insightCalls(parts),
    writeIn: async (sql, updates, by, preconditions = []) => {
      await writeIn(sql, schemas, { updates, preconditions, by })
      const { epoch, rev } = await commitStore.numberWrite(sql)
      return tokenOf(epoch, rev)
    },
    loaded: (withinMs) => follower.reach({ rev: 0 }, withinMs),
    close: () => follower.close(),
  }
}
