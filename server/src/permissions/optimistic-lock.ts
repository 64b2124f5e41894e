import { matchesFilter, PermissionFault, type Precondition, type Relationship } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { type RowKey, type Terms, toRelationship } from './rows.ts'
import * as store from './store.ts'

/**
 * Optimistic locking: a transaction's reads must still be valid at commit, without blocking other transactions until
 * then. The transaction reads without a lock, remembers the revision, and locks the head last. If the log since then
 * contains a relevant change, it reads again.
 */

/** The maximum number of concurrent changes to examine while holding the lock; above it, assume a conflict. */
const maxChanges = 1000

/** Returns the revision to read at. With `isRetry` the head is locked at once, so that a retry cannot starve. */
export const readRevision = (sql: Sql, { isRetry }: { isRetry: boolean }): Promise<commitStore.Head> =>
  isRetry ? commitStore.lockHead(sql) : commitStore.readHead(sql)

/**
 * Locks the head until the end of the transaction. `hasConflict` reports whether another transaction has committed a
 * relevant change since `since`.
 */
export async function lockHead(
  sql: Sql,
  since: commitStore.Head,
  isRelevant: (relationship: Relationship) => boolean,
): Promise<{ head: commitStore.Head; hasConflict: boolean }> {
  const head = await commitStore.lockHead(sql)
  if (head.rev === since.rev) return { head, hasConflict: false }
  const changes = await commitStore.listChangesSince(sql, since.rev, maxChanges)
  const hasConflict = !changes || changes.some((change) => toRelationships(change).some(isRelevant))
  return { head, hasConflict }
}

const toRelationships = (change: RowKey & { before: Terms | null; after: Terms | null }) =>
  [change.before, change.after].flatMap((terms) => (terms ? [toRelationship(change, terms)] : []))

/** The error that makes the transaction retry, like a serialization failure of the database (SQLSTATE 40001). */
export const retryError = (reason: string): Error => Object.assign(new Error(reason), { code: '40001' })

/** Throws `precondition-failed` for the first failing precondition. */
export async function checkPreconditions(sql: Sql, preconditions: Precondition[]): Promise<void> {
  const existence = await store.checkExistence(
    sql,
    preconditions.map(({ filter }) => filter),
  )
  for (const [index, { operation }] of preconditions.entries()) {
    const exists = existence[index] === true
    if (exists === (operation === 'mustMatch')) continue
    const message = exists
      ? 'Precondition failed: a relationship matches the filter.'
      : 'Precondition failed: no relationship matches the filter.'
    throw new PermissionFault('precondition-failed', message, `preconditions.${index}`)
  }
}

/** Locks the head, and retries the transaction if another one has changed relationships that match a precondition. */
export async function lockPreconditions(
  sql: Sql,
  preconditions: Precondition[],
  since: commitStore.Head,
): Promise<void> {
  if (preconditions.length === 0) return
  const { hasConflict } = await lockHead(sql, since, (relationship) =>
    preconditions.some(({ filter }) => matchesFilter(relationship, filter)),
  )
  if (hasConflict) throw retryError('Relationships that match a precondition were changed concurrently')
}
