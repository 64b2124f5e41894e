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
  const { name: brandName } = services.branding.current()
  const { publicUrl } = services.config
  const [former, owner] = [await users.find(sql, fromUserId), await users.find(sql, toUserId)]
  if (former)
    await notify(sql, services, former, {
      kind: 'connection-moved',
      subject: `Your ${serviceName} account was moved to another ${brandName} account`,
      summary: `The ${serviceName} account ${label} was connected to your ${brandName} account. A user who could sign in to it has connected it to another ${brandName} account.`,
      paragraphs: [
        `If you do not know about this, undo the move within ${undoDays} days, and change your password at the service.`,
      ],
      // The token is in the fragment, which neither servers nor their logs receive.
      action: { label: 'Undo the move', url: `${publicUrl}/app/connect/${connector}/undo#${token}` },
      smallPrint: 'The undo works once, until the account is moved again.',
    })
  if (owner)
    await notify(sql, services, owner, {
      kind: 'connection-moved',
      subject: `A ${serviceName} account was moved to your ${brandName} account`,
      summary: `The ${serviceName} account ${label} is now connected to your ${brandName} account. It was connected to another one, whose user has been notified and can undo this for ${undoDays} days.`,
      action: { label: 'See your connected accounts', url: `${publicUrl}/app/account/logins` },
    })
}
