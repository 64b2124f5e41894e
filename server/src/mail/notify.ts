import { Email } from '@passport/contract/email'
import type { NoticeKind } from '@passport/contract/mail-kinds'
import type { Sql } from '../database/sql.ts'
import * as notices from '../notices/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import { kinds, type MailData } from './kinds.ts'
import { composeMail, type MailContext } from './send.ts'
import { toInsertion } from './store.ts'

export interface Recipient {
  id: string
  displayName: string | null
  email: string | null
}

/**
 * Queues an email about a change of an account in the transaction of the change, with a link that ends the sessions and
 * tokens of the change. Users without a valid address receive none. One statement, besides those for the brand.
 */
export async function notify<Kind extends NoticeKind>(
  sql: Sql,
  context: MailContext,
  { id, displayName, email }: Recipient,
  kind: Kind,
  data: MailData<Kind>,
): Promise<void> {
  // Addresses of identity providers are not checked when they are stored.
  if (!Email.safeParse(email).success || email === null) return
  const token = generateToken()
  const to = { name: displayName, address: email }
  const link = { label: "Wasn't you?", url: `${context.config.publicUrl}/notices/${token}` }
  const { content, mail } = await composeMail(sql, context, to, kind, data, link)
  const scope = { browserId: null, personalTokenId: null, ...kinds[kind].ends?.(data) }
  const { paragraphs, facts = [] } = content
  const notice = { userId: id, kind, summary: paragraphs[0] ?? '', facts, ...scope }
  await notices.add(sql, notice, hashToken(token), toInsertion(sql, mail))
}
