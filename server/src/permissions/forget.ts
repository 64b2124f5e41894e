import { printRelationship } from '@passport/permissions/relationship-text'
import type { Sql } from '../database/sql.ts'
import { relationshipOf } from './rows.ts'
import * as store from './store.ts'

const maxTold = 1000
const types = { user: 'passport/user', org: 'passport/org', group: 'passport/group', role: 'passport/role' } as const

/**
 * Deletes what applications relate to objects of the directory that are gone for good, within the transaction in which
 * they go: whoever has the same id or name one day, such as a role that is made anew, inherits nothing. What was deleted
 * as the audit tells it, nothing where there was none.
 */
export async function forget(
  sql: Sql,
  kind: keyof typeof types,
  ids: string[],
): Promise<{ relationships?: string[]; removed?: number }> {
  // The name of a role is an id with slashes for its dots.
  const objects = kind === 'role' ? ids.map((name) => name.replaceAll('.', '/')) : ids
  const { first, removed } = await store.removeOf(sql, types[kind], objects, maxTold)
  if (removed === 0) return {}
  return { relationships: first.map((row) => printRelationship(relationshipOf(row, row.terms))), removed }
}
