import { Email } from '@passport/contract/email'
import * as z from 'zod/mini'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../room.ts'
import { type Content, contentOf, type Letter, lineOf } from './letter.ts'
import * as store from './store.ts'

/** What a letter is given to: the queue, sealed, because it may hold links that open something. */
export type Post = Pick<Services, 'config' | 'vault' | 'log'>

export const purpose = 'mail'

/** What is sealed in the queue. */
export interface SealedContent extends Content {
  name: string
}

/**
 * Queues a letter in the caller's transaction, and returns the id of the mail: it goes out once that is done, and not
 * without it. Without a mail server nothing goes out, and the log tells what would have. Throws where the address is none.
 */
export async function sendMail(sql: Sql, { config, vault, log }: Post, letter: Letter): Promise<string> {
  const recipient = z.parse(Email, letter.to.address)
  const subject = lineOf(letter.subject)
  const content: SealedContent = { ...contentOf(letter, config.brandName), name: lineOf(letter.to.name ?? '') }
  const sealedContent = vault.seal(purpose, JSON.stringify(content))
  const state = config.mail ? 'queued' : 'off'
  if (!config.mail) log.info({ to: recipient, subject }, 'mail is not configured: this would be sent')
  return store.add(sql, { recipient, subject, sealedContent, state })
}
