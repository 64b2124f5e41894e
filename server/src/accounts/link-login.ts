import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'
import { addLogin, type Given, type Identity } from './store.ts'

/**
 * Links an identity to a user, who becomes active with the first login. With what is `given`, the account has its name and
 * address from this login, whose provider may change them. Returns the id of the login; undefined if the identity is already
 * linked.
 */
export async function linkLogin(
  sql: Sql,
  userId: string,
  identity: Identity,
  given: Given | null = null,
): Promise<string | undefined> {
  const id = await addLogin(sql, userId, identity, given)
  if (id !== undefined) await users.activate(sql, userId)
  return id
}
