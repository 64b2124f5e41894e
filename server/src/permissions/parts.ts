import type { Token } from '@passport/permissions/engine'
import type { Cycles } from '@passport/permissions/evaluator'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { Ask } from './consistency.ts'
import type { Follower } from './log.ts'
import type { Schemas } from './schemas.ts'
import { tokenOf } from './token.ts'

/** What the calls of the embedded engine are made of. */
export interface Parts {
  sql: Sql
  schemas: Schemas
  follower: Follower
  ask: Ask
  /** Unless told, circles are faults of a check and count as no in lookups. */
  cycles?: Cycles
}

/** How long a write may take to be seen in the process that wrote. */
const ownWriteMs = 5000

/**
 * Writes in a transaction of its own, which this process knows of when it is done. Its number is asked for afterwards:
 * others wait for nothing but the commit itself. `isAgain` is for a body that was run before, and undone.
 */
export async function commit<T extends object>(
  { sql, follower }: Parts,
  body: (sql: Sql, isAgain: boolean) => Promise<T>,
): Promise<T & { token: Token }> {
  let isAgain = false
  const { id, written } = await transaction(sql, async (sql) => {
    const wasRun = isAgain
    isAgain = true
    const written = await body(sql, wasRun)
    return { written, id: await commitStore.commitOfWrite(sql) }
  })
  const { epoch, rev } = (id && (await commitStore.revisionOfCommit(sql, id))) || (await commitStore.readHead(sql))
  // Where all is not loaded yet the database is asked, which knows it.
  if (follower.current()) await follower.reach({ epoch, rev }, ownWriteMs)
  return { ...written, token: tokenOf(epoch, rev) }
}
