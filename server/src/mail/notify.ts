import { Email } from '@passport/contract/email'
import type { NoticeKind } from '@passport/contract/mail-kinds'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import * as notices from '../notices/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import { kinds, type MailData } from './kinds.ts'
import type { MailLink } from './message.ts'
import { composeMail, type MailContext } from './send.ts'
import { type NewMail, toInsertion } from './store.ts'

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
  recipient: Recipient,
  kind: Kind,
  data: MailData<Kind>,
): Promise<void> {
  const prepared = await prepareNotice(sql, context, recipient, kind, data)
  if (prepared) await notices.add(sql, prepared.notice, prepared.tokenHash, toInsertion(sql, prepared.mail))
}

/** Returns the link of a notice, which ends the sessions and tokens of its change. */
export const buildNoticeLink = ({ publicUrl }: MailContext['config'], token: string): MailLink => ({
  label: "Wasn't you?",
  url: `${publicUrl}/notices/${token}`,
})

/** A notice with its email, for the statement that writes the change. */
interface PreparedNotice {
  notice: notices.NewNotice
  tokenHash: string
  mail: NewMail
}

/** Writes a notice and its email for `toInsertions`; undefined for a user without a valid address. */
export async function prepareNotice<Kind extends NoticeKind>(
  sql: Sql,
  context: MailContext,
  { id, displayName, email }: Recipient,
  kind: Kind,
  data: MailData<Kind>,
): Promise<PreparedNotice | undefined> {
  // Addresses of identity providers are not checked when they are stored.
  if (!Email.safeParse(email).success || email === null) return undefined
  const token = generateToken()
  const to = { name: displayName, address: email }
  const { content, mail } = await composeMail(sql, context, to, kind, data, buildNoticeLink(context.config, token))
  const scope = { browserId: null, personalTokenId: null, ...kinds[kind].ends?.(data) }
  const { paragraphs, facts = [] } = content
  const notice = { userId: id, kind, summary: paragraphs[0] ?? '', facts, ...scope }
  return { notice, tokenHash: hashToken(token), mail }
}

/** The statements that save a notice and its email, as parts of the statement that writes the change. */
export interface NoticeInsertions {
  notice: Fragment
  mail: Fragment
}

/** Returns the statements that save a prepared notice if `source` of the whole statement has a row. */
export const toInsertions = (
  sql: Sql,
  { notice, tokenHash, mail }: PreparedNotice,
  source: Fragment,
): NoticeInsertions => ({
  notice: notices.toInsertion(sql, notice, tokenHash, source),
  mail: toInsertion(sql, mail, source),
})
