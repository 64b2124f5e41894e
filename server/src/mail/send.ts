import { Email } from '@passport/contract/email'
import * as z from 'zod/mini'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { type Message, type RenderedMessage, renderMessage, toLine } from './message.ts'
import * as store from './store.ts'

/** The dependencies of queueing mails, which are encrypted, since they may contain links with credentials. */
export type MailContext = Pick<Services, 'config' | 'vault' | 'log'>

export const purpose = 'mail'

/** The encrypted part of a queued mail. */
export interface SealedContent extends RenderedMessage {
  name: string
}

/**
 * Queues a letter in the caller's transaction, and returns the id of the mail: it is sent only after the commit.
 * Without a mail server it is not sent, and its id is logged. Throws for an invalid address.
 */
export async function sendMail(sql: Sql, { config, vault, log }: MailContext, message: Message): Promise<string> {
  const recipient = z.parse(Email, message.to.address)
  const subject = toLine(message.subject)
  const content: SealedContent = { ...renderMessage(message, config.brandName), name: toLine(message.to.name ?? '') }
  const sealedContent = vault.seal(purpose, JSON.stringify(content))
  const state = config.mail ? 'queued' : 'off'
  const id = await store.add(sql, { recipient, subject, sealedContent, state })
  // Addresses and subjects name users, and logs are kept and shared.
  if (!config.mail) log.info({ mail: id }, 'Mail is not configured; the message was not sent')
  return id
}
