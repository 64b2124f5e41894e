import { Email } from '@passport/contract/email'
import * as z from 'zod/mini'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { type Message, type RenderedMessage, renderMessage, toLine } from './message.ts'
import * as store from './store.ts'

/** The dependencies of `sendMail`, which encrypts emails because they may contain links with credentials. */
export type MailContext = Pick<Services, 'config' | 'vault' | 'log'>

/** The encryption purpose of queued emails. */
export const mailPurpose = 'mail'

/** The encrypted part of a queued email. */
export interface SealedContent extends RenderedMessage {
  name: string
}

/**
 * Queues an email in the caller's transaction, and returns its id. The email is sent after the commit. Without a mail
 * server it is not sent, and its id is logged. Throws for an invalid email address.
 */
export async function sendMail(sql: Sql, { config, vault, log }: MailContext, message: Message): Promise<string> {
  const recipient = z.parse(Email, message.to.address)
  const subject = toLine(message.subject)
  const content: SealedContent = { ...renderMessage(message, config.brandName), name: toLine(message.to.name ?? '') }
  const sealedContent = vault.seal(mailPurpose, JSON.stringify(content))
  const state = config.mail ? 'queued' : 'off'
  const id = await store.add(sql, { recipient, subject, sealedContent, state })
  // Email addresses and subjects name users, and logs are kept and shared.
  if (!config.mail) log.info({ mail: id }, 'Mail is not configured; the message was not sent')
  return id
}
