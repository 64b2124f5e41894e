import { listWithUserIds } from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'

/** Lists sentences about settings that work, and that an administrator should change. */
export async function listWarnings(sql: Sql): Promise<string[]> {
  const ids = await listWithUserIds(sql)
  if (ids.length === 0) return []
  return [
    `An API could take a token of these applications for one of a user, because their client ids have the form of user ids. Replace them by new applications: ${ids.join(', ')}.`,
  ]
}
