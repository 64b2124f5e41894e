import type { BulkChange, BulkFailure } from '@passport/contract/user-bulk'
import { type Sql, transaction } from '../database/sql.ts'
import { isRecentlyAuthenticated, RecentAuthenticationRequired } from '../http/recent.ts'
import * as roles from '../roles/store.ts'
import { type BulkContext, batchSize, changeBatch, mayGiveRoles, toStateChange } from './bulk.ts'
import * as store from './bulk-store.ts'
import * as problems from './problems.ts'
import type { Change } from './states.ts'
import * as users from './store.ts'

const inverses: Record<Exclude<BulkChange['action'], 'signout'>, BulkChange['action']> = {
  disable: 'enable',
  enable: 'disable',
  addRole: 'removeRole',
  removeRole: 'addRole',
  delete: 'restore',
  restore: 'delete',
}

interface UndoResult {
  done: number
  failed: BulkFailure[]
}

/**
 * Undoes a bulk change for the users who have not changed since, with the limits of `bulkChangeUsers` for a caller who did
 * not authenticate recently. Throws 401, 404 and 410.
 */
export async function undoBulkChange(sql: Sql, token: string, context: BulkContext): Promise<UndoResult> {
  const undo = await store.find(sql, token, context.caller.id)
  if (!undo || undo.action === 'signout') throw problems.undoNotFound()
  if (undo.isExpired) throw problems.undoExpired()
  const action = inverses[undo.action]
  const change = toStateChange({ action, role: undo.role ?? undefined })
  if (isRecentlyAuthenticated(context.caller) || !mayGiveRoles(action))
    return undoInBatches(sql, token, change, context)
  return transaction(sql, (sql) => undoInBatches(sql, token, change, context, { maxBatches: 1 }))
}

async function undoInBatches(
  sql: Sql,
  token: string,
  change: Change,
  context: BulkContext,
  { maxBatches = Number.POSITIVE_INFINITY } = {},
): Promise<UndoResult> {
  const failed: BulkFailure[] = []
  let done = 0
  let after = ''
  for (let batches = 0; ; batches++) {
    const batch = await transaction(sql, async (sql) => {
      await roles.lockChanges(sql)
      const rows = await store.lockRows(sql, token, after, batchSize)
      const { undoable, notUndoable } = await splitUndoable(sql, rows)
      const outcome = await changeBatch(sql, undoable, change, context)
      const changed = outcome.changed.map(({ id }) => id)
      await store.markUndone(sql, token, changed)
      return { last: rows.at(-1)?.userId, done: changed.length, failed: [...notUndoable, ...outcome.failed] }
    })
    done += batch.done
    failed.push(...batch.failed)
    if (batch.last === undefined) return { done, failed }
    if (batches === maxBatches) throw new RecentAuthenticationRequired()
    after = batch.last
  }
}

async function splitUndoable(
  sql: Sql,
  rows: store.UndoRow[],
): Promise<{ undoable: string[]; notUndoable: BulkFailure[] }> {
  const versions = new Map(
    (
      await users.lockRows(
        sql,
        rows.map(({ userId }) => userId),
      )
    ).map((row) => [row.id, row.version]),
  )
  const notUndoable = rows.flatMap(({ userId, version, undone }) => {
    if (undone) return [{ id: userId, code: 'already-undone' }]
    return versions.get(userId) === version ? [] : [{ id: userId, code: 'changed-since' }]
  })
  const blockedIds = new Set(notUndoable.map(({ id }) => id))
  return { undoable: rows.map(({ userId }) => userId).filter((id) => !blockedIds.has(id)), notUndoable }
}
