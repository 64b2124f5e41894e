import { printRelationship } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import { toRelationship } from './rows.ts'
import * as store from './store.ts'

const maxListed = 1000
const types = { user: 'passport/user', org: 'passport/org', group: 'passport/group', role: 'passport/role' } as const

/**
 * Deletes the application relationships of permanently deleted directory objects, within the same transaction. A later
 * object with the same id or name, such as a recreated role, inherits nothing. Returns what was deleted for the audit;
 * empty if nothing was.
 */
export async function purgeRelationships(
  sql: Sql,
  kind: keyof typeof types,
  ids: string[],
): Promise<{ relationships?: string[]; removed?: number }> {
  // In ids, the dots of a role's name are slashes.
  const objects = kind === 'role' ? ids.map((name) => name.replaceAll('.', '/')) : ids
  const { first, removed } = await store.removeOfObjects(sql, types[kind], objects, maxListed)
  if (removed === 0) return {}
  return { relationships: first.map((row) => printRelationship(toRelationship(row, row.terms))), removed }
}
