import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'

/** What people call those of the directory, by their ids; of other types nothing is known. */
export async function namesInDirectory(sql: Sql, type: string, ids: string[]): Promise<ReadonlyMap<string, string>> {
  if (type !== 'passport/user' || ids.length === 0) return new Map()
  return new Map((await users.namesOf(sql, ids)).map(({ id, name }) => [id, name]))
}
