import { Email } from '@passport/contract/email'
import * as z from 'zod/mini'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { fitLogo } from '../http/brand.ts'
import { type Message, type RenderedMessage, renderMessage, toLine } from './message.ts'
import * as store from './store.ts'

/** The dependencies of `sendMail`, which encrypts emails because they may contain links with credentials. */
export type MailContext = Pick<Services, 'config' | 'branding' | 'vault' | 'log'>

/** The encryption purpose of queued emails. */
export const mailPurpose = 'mail'

/** The identifier of the logo within an email (RFC 2392). */
const contentId = 'logo@passport'
/** In CSS pixels. */
const logoHeight = 40

/** The encrypted part of a queued email. */
export interface SealedContent extends RenderedMessage {
  name: string
  /** A PNG file in base64 that the HTML refers to. */
  logo?: { contentId: string; png: string }
}

/**
 * Queues an email in the caller's transaction, with the brand for its recipient, and returns its id. The email is sent after the commit. Without a mail
 * server it is not sent, and its id is logged. Throws for an invalid email address.
 */
export async function sendMail(
  sql: Sql,
  { config, branding, vault, log }: MailContext,
  message: Message,
): Promise<string> {
  const recipient = z.parse(Email, message.to.address)
  const subject = toLine(message.subject)
  const brand = await branding.findForEmail(sql, recipient)
  const logo = await branding.findMailLogo(sql, brand)
  const mailBrand = {
    name: brand.name,
    accent: brand.accent,
    ...(logo && { logo: { contentId, ...fitLogo(logo, logoHeight) } }),
  }
  const content: SealedContent = {
    ...renderMessage(message, mailBrand),
    name: toLine(message.to.name ?? ''),
    ...(logo && { logo: { contentId, png: logo.content.toString('base64') } }),
  }
  const sealedContent = vault.seal(mailPurpose, JSON.stringify(content))
  const state = config.mail ? 'queued' : 'off'
  const id = await store.add(sql, { recipient, subject, sealedContent, state })
  // Email addresses and subjects name users, and logs are kept and shared.
  if (!config.mail) log.info({ mail: id }, 'Mail is not configured; the message was not sent')
  return id
}
