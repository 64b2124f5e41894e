import type { BulkChange, BulkFailure } from '@passport/contract/user-bulk'
import { type Sql, transaction } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { batchSize, changeBatch, changeOf, type Request } from './bulk.ts'
import * as store from './store.ts'

const inverses: Record<Exclude<BulkChange['action'], 'signout'>, BulkChange['action']> = {
  disable: 'enable',
  enable: 'disable',
  addRole: 'removeRole',
  removeRole: 'addRole',
  delete: 'restore',
  restore: 'delete',
}

/** Takes a change back for all who are still as it left them. Throws 404 and 410. */
export async function undoAll(
  sql: Sql,
  token: string,
  request: Request,
): Promise<{ done: number; failed: BulkFailure[] }> {
  const undo = await store.find(sql, token, request.caller.id)
  if (!undo || undo.action === 'signout') throw new Problem(404, 'undo-not-found', 'There is nothing to undo.')
  if (undo.isExpired) throw new Problem(410, 'undo-expired', 'This can no longer be undone.')
  const change = changeOf({ action: inverses[undo.action], role: undo.role ?? undefined })
  const failed: BulkFailure[] = []
  let done = 0
  for (let after = ''; ; ) {
    const batch = await transaction(sql, async (sql) => {
      await roles.lockChanges(sql)
      const rows = await store.lockRows(sql, token, after, batchSize)
      const { fit, unfit } = await fitToUndo(sql, rows)
      const outcome = await changeBatch(sql, fit, change, request)
      const changed = outcome.changed.map(({ id }) => id)
      await store.markUndone(sql, token, changed)
      return { last: rows.at(-1)?.userId, done: changed.length, failed: [...unfit, ...outcome.failed] }
    })
    done += batch.done
    failed.push(...batch.failed)
    if (batch.last === undefined) return { done, failed }
    after = batch.last
  }
}

async function fitToUndo(sql: Sql, rows: store.UndoRow[]): Promise<{ fit: string[]; unfit: BulkFailure[] }> {
  const now = new Map(
    (
      await users.lockRows(
        sql,
        rows.map(({ userId }) => userId),
      )
    ).map((row) => [row.id, row.version]),
  )
  const unfit = rows.flatMap(({ userId, version, undone }) => {
    if (undone) return [{ id: userId, code: 'already-undone' }]
    return now.get(userId) === version ? [] : [{ id: userId, code: 'changed-since' }]
  })
  const inTheWay = new Set(unfit.map(({ id }) => id))
  return { fit: rows.map(({ userId }) => userId).filter((id) => !inTheWay.has(id)), unfit }
}
