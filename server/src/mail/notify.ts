import { Email } from '@passport/contract/email'
import type { Sql } from '../database/sql.ts'
import * as notices from '../notices/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import type { Message } from './message.ts'
import { type MailContext, sendMail } from './send.ts'

export interface Recipient {
  id: string
  displayName: string | null
  email: string | null
}

export interface Notice extends Pick<Message, 'subject' | 'action' | 'smallPrint'> {
  kind: notices.NoticeKind
  /** The change, in a sentence for the email and for the page that its link opens. */
  summary: string
  /** Further paragraphs of the email. */
  paragraphs?: string[]
  /** What the link ends; by default all sessions and tokens of the account. */
  ends?: Partial<notices.NoticeScope>
}

/**
 * Queues an email about a change of an account in the transaction of the change, with a link that ends the sessions and
 * tokens of the change. Users without a valid address receive none.
 */
export async function notify(sql: Sql, context: MailContext, recipient: Recipient, notice: Notice): Promise<void> {
  const { id, displayName, email } = recipient
  // Addresses of identity providers are not checked when they are stored.
  if (!Email.safeParse(email).success || email === null) return
  const { kind, summary, subject, paragraphs = [], action, smallPrint, ends } = notice
  const token = generateToken()
  const scope = { browserId: null, personalTokenId: null, ...ends }
  await notices.add(sql, { userId: id, kind, summary, ...scope }, hashToken(token))
  await sendMail(sql, context, {
    to: { name: displayName, address: email },
    subject,
    paragraphs: [displayName === null ? 'Hello,' : `Hello ${displayName},`, summary, ...paragraphs],
    ...(action && { action }),
    furtherAction: { label: "Wasn't you?", url: `${context.config.publicUrl}/notices/${token}` },
    ...(smallPrint && { smallPrint }),
  })
}
