import type { Sql } from '../database/sql.ts'
import { notify } from '../mail/notify.ts'
import type { MailContext } from '../mail/send.ts'
import * as users from '../users/store.ts'
import type { Move } from './move-store.ts'
import { undoDays } from './undo.ts'

interface MoveNotice extends Move {
  label: string
  serviceName: string
  /** Undoes the move. */
  token: string
}

/**
 * Notifies both users of a move. Only the former owner can undo it. Neither notice names
 * the other user.
 */
export async function notifyOfMove(sql: Sql, services: MailContext, notice: MoveNotice): Promise<void> {
  const { connector, label, serviceName, fromUserId, toUserId, token } = notice
  const [former, owner] = [await users.find(sql, fromUserId), await users.find(sql, toUserId)]
  // The token is in the fragment, which neither servers nor their logs receive.
  const undoPath = `/app/connect/${connector}/undo#${token}`
  const moved = { serviceName, label, undoDays }
  if (former) await notify(sql, services, former, 'connection-moved', { ...moved, undoPath })
  if (owner) await notify(sql, services, owner, 'connection-moved', { ...moved, undoPath: null })
}
