import { matchesFilter, PermissionError, type Precondition, type Relationship } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { toRelationship } from './rows.ts'
import * as store from './store.ts'

/*
 * The reads of a transaction must still be valid at its commit, without blocking other transactions until then. The
 * transaction reads without a lock, remembers the revision, and locks the head last. A relevant change in the log since
 * then is a conflict.
 */

/** The maximum number of concurrent changes to compare while other commits wait; more count as a conflict. */
const maxChanges = 1000

/**
 * Locks the head until the end of the transaction. `hasConflict` is set if another transaction has committed a relevant
 * change after `since`.
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

const toRelationships = (change: commitStore.Change) =>
  [change.before, change.after].flatMap((terms) => (terms ? [toRelationship(change, terms)] : []))

/** Creates an error that makes the transaction retry, like a serialization failure (SQLSTATE 40001). */
export const createRetryError = (reason: string): Error => Object.assign(new Error(reason), { code: '40001' })

/**
 * Runs `change` if the preconditions hold, and checks that no concurrent change affects them before the commit. Throws
 * `precondition-failed`, or an error that makes the transaction retry.
 */
export async function withPreconditions<T>(
  sql: Sql,
  preconditions: Precondition[],
  { isRetry }: { isRetry: boolean },
  change: () => Promise<T>,
): Promise<T> {
  if (preconditions.length === 0) return change()
  // A retry locks the head at once, so that it cannot starve.
  const since = await (isRetry ? commitStore.lockHead(sql) : commitStore.readHead(sql))
  await checkPreconditions(sql, preconditions)
  const result = await change().catch(async (error) => {
    // If a concurrent write affects a precondition, the retry reports that instead.
    if (error instanceof PermissionError) await lockPreconditions(sql, preconditions, since)
    throw error
  })
  await lockPreconditions(sql, preconditions, since)
  return result
}

async function checkPreconditions(sql: Sql, preconditions: Precondition[]): Promise<void> {
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
    throw new PermissionError('precondition-failed', message, `preconditions.${index}`)
  }
}

/** Locks the head, and retries the transaction if another one has changed relationships that match a precondition. */
async function lockPreconditions(sql: Sql, preconditions: Precondition[], since: commitStore.Head): Promise<void> {
  const { hasConflict } = await lockHead(sql, since, (relationship) =>
    preconditions.some(({ filter }) => matchesFilter(relationship, filter)),
  )
  if (hasConflict) throw createRetryError('Relationships that match a precondition were changed concurrently')
}
