import type { Sql } from '../database/sql.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
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
 * Emails both users of a move, as far as they have an address. Only the former owner can undo it. Neither notice names
 * the other user.
 */
export async function notifyOfMove(sql: Sql, services: MailContext, notice: MoveNotice): Promise<void> {
  const { connector, label, serviceName, fromUserId, toUserId, token } = notice
  const { brandName, publicUrl } = services.config
  const [former, owner] = [await users.find(sql, fromUserId), await users.find(sql, toUserId)]
  if (former?.email)
    await sendMail(sql, services, {
      to: { name: former.displayName, address: former.email },
      subject: `Your ${serviceName} account was moved to another ${brandName} account`,
      paragraphs: [
        `The ${serviceName} account ${label} was connected to your ${brandName} account. A user who could sign in to it has connected it to another ${brandName} account.`,
        `If you do not know about this, undo the move within ${undoDays} days, and change your password at the service.`,
      ],
      // The token is in the fragment, which neither servers nor their logs receive.
      action: { label: 'Undo the move', url: `${publicUrl}/app/connect/${connector}/undo#${token}` },
      smallPrint: 'The link works once, until the account is moved again.',
    })
  if (owner?.email)
    await sendMail(sql, services, {
      to: { name: owner.displayName, address: owner.email },
      subject: `A ${serviceName} account was moved to your ${brandName} account`,
      paragraphs: [
        `The ${serviceName} account ${label} is now connected to your ${brandName} account. It was connected to another one, whose user has been notified and can undo this for ${undoDays} days.`,
      ],
      action: { label: 'See your connected accounts', url: `${publicUrl}/app/account/logins` },
    })
}
