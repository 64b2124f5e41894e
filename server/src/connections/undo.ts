import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import * as moves from './move-store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** The time in which the former owner can undo a move. */
export const undoDays = 7

/**
 * Undoes a move with the token of its notice: the account goes back to its former owner. Throws 409 `undo-gone`, also if
 * that user has been deleted, or has another account of the service.
 */
export function undoMove(sql: Sql, connector: string, token: string, visit: Visit): Promise<void> {
  return transaction(sql, async (sql) => {
    const tokenHash = hashToken(token)
    const found = await moves.findByToken(sql, connector, tokenHash, undoDays)
    const owner = found && (await users.lock(sql, found.fromUserId))
    // Connections are locked before moves, as in a move.
    if (found) await store.lockOwner(sql, found)
    const move = owner && (await moves.spendToken(sql, connector, tokenHash))
    if (!move) throw problems.undoGone()
    const removed = await store.removeAccount(sql, move)
    const label = removed?.label ?? move.externalId
    if (!(await store.add(sql, move.fromUserId, { ...move, label }))) throw problems.undoGone()
    const account = { connector, externalId: move.externalId, label }
    if (removed)
      await audit.record(sql, {
        action: 'connection.removed',
        target: { kind: 'user', id: removed.userId },
        before: account,
        reason: 'move undone',
        visit,
      })
    await audit.record(sql, {
      action: 'connection.move-undone',
      target: { kind: 'user', id: move.fromUserId },
      before: { ...account, user: removed?.userId ?? null },
      after: { ...account, user: move.fromUserId },
      visit,
    })
  })
}
