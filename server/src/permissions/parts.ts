import type { Token } from '@passport/permissions/engine'
import { type Sql, transaction } from '../database/sql.ts'
import type { Ask } from './consistency.ts'
import type { Follower } from './log.ts'
import type { Schemas } from './schemas.ts'
import type { Head } from './store.ts'
import { tokenOf } from './token.ts'

/** What the calls of the embedded engine are made of. */
export interface Parts {
  sql: Sql
  schemas: Schemas
  follower: Follower
  ask: Ask
}

/** How long a write may take to be seen in the process that wrote. */
const ownWriteMs = 5000

/** Writes in a transaction of its own, which this process knows of when it is done. */
export async function commit<T extends { head: Head }>(
  { sql, follower }: Parts,
  body: (sql: Sql) => Promise<T>,
): Promise<T & { token: Token }> {
  const written = await transaction(sql, body)
  const { epoch, rev } = written.head
  // Where all is not loaded yet the database is asked, which knows it.
  if (follower.current()) await follower.reach(rev, ownWriteMs)
  return { ...written, token: tokenOf(epoch, rev) }
}
