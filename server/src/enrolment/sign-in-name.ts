import type { Sql } from '../database/sql.ts'
import * as directory from '../local-directory/store.ts'

/**
 * Returns what the user of an account enters to sign in to the built-in directory: the username, or else the email.
 * Undefined without one with which nobody else signs in there.
 */
export async function findSignInName(
  sql: Sql,
  { username, email }: { username: string | null; email: string | null },
): Promise<string | undefined> {
  for (const name of [username, email]) if (name !== null && !(await directory.hasSignInName(sql, name))) return name
  return undefined
}
