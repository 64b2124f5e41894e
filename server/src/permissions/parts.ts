import type { Cycles, Token } from '@passport/permissions'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { Evaluate } from './consistency.ts'
import type { LogReplica } from './log-replica.ts'
import type { SchemaCache } from './schemas.ts'
import { encodeToken } from './token.ts'

/** The parts shared by the calls of the embedded engine. */
export interface Parts {
  sql: Sql
  schemas: SchemaCache
  replica: LogReplica
  evaluate: Evaluate
  /** By default, cycles are faults of a check and count as no in lookups. */
  cycles?: Cycles
}

/** How long the writing process waits to see its own write. */
const ownWriteMs = 5000

/**
 * Writes in its own transaction, and waits until this process has seen the commit. The revision is read afterwards, so
 * other commits wait only for the commit itself. `isRetry` marks a retry after a rollback.
 */
export async function commit<T extends object>(
  { sql, replica }: Parts,
  body: (sql: Sql, isRetry: boolean) => Promise<T>,
): Promise<T & { token: Token }> {
  let isRetry = false
  const { id, written } = await transaction(sql, async (sql) => {
    const isSecondRun = isRetry
    isRetry = true
    const written = await body(sql, isSecondRun)
    return { written, id: await commitStore.findOwnCommit(sql) }
  })
  const { epoch, rev } = (id && (await commitStore.findRevisionOfCommit(sql, id))) || (await commitStore.readHead(sql))
  // Until everything is loaded, the database answers, which has the commit.
  if (replica.current()) await replica.waitForRevision({ epoch, rev }, ownWriteMs)
  return { ...written, token: encodeToken(epoch, rev) }
}
