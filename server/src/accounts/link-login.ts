import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'
import { addLogin, type Identity } from './store.ts'

/**
 * Links an identity to a user, who becomes active with the first login. Returns the id of the login; undefined if the
 * identity is already linked.
 */
export async function linkLogin(sql: Sql, userId: string, identity: Identity): Promise<string | undefined> {
  const id = await addLogin(sql, userId, identity)
  if (id !== undefined) await users.activate(sql, userId)
  return id
}
