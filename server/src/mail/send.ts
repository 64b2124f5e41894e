import { Email } from '@passport/contract/email'
import type { MailKindId } from '@passport/contract/mail-kinds'
import * as z from 'zod/mini'
import type { MailLogo } from '../branding/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { type Brand, fitLogo } from '../http/brand.ts'
import { defaultPerDay, defaultValidMinutes } from './kind.ts'
import { kinds, type MailData } from './kinds.ts'
import { type MailContent, type MailLink, toLine } from './message.ts'
import { type RenderedMessage, renderMessage } from './render-message.ts'
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

export interface MailRecipient {
  name: string | null
  address: string
}

/** An email that is ready to be queued, with what was written. */
interface ComposedMail {
  content: MailContent
  mail: store.NewMail
}

/**
 * Queues an email in the caller's transaction, with the brand for its recipient, and returns its id. The email is sent
 * after the commit. Without a mail server it is not sent, and its id is logged. Throws for an invalid email address.
 */
export async function sendMail<Id extends MailKindId>(
  sql: Sql,
  context: MailContext,
  to: MailRecipient,
  id: Id,
  data: MailData<Id>,
): Promise<string> {
  const { mail } = await composeMail(sql, context, to, id, data)
  return store.add(sql, mail)
}

/** Writes and seals an email with the brand for its recipient. Throws for an invalid email address. */
export async function composeMail<Id extends MailKindId>(
  sql: Sql,
  { config, branding, vault, log }: MailContext,
  to: MailRecipient,
  id: Id,
  data: MailData<Id>,
  furtherAction?: MailLink,
): Promise<ComposedMail> {
  const recipient = z.parse(Email, to.address)
  const brand = await branding.findForEmail(sql, recipient)
  const logo = await branding.findMailLogo(sql, brand)
  const { publicUrl } = config
  const kind = kinds[id]
  const content = kind.write(data, { brandName: brand.name, publicUrl })
  const mailBrand = toMailBrand(brand, logo, `cid:${contentId}`)
  const message = { ...content, recipientName: to.name, brand: mailBrand, publicUrl }
  const rendered = renderMessage(furtherAction ? { ...message, furtherAction } : message)
  const sealed: SealedContent = {
    ...rendered,
    name: toLine(to.name ?? ''),
    ...(logo && { logo: { contentId, png: logo.content.toString('base64') } }),
  }
  const mail = store.prepare({
    kind: id,
    recipient,
    subject: toLine(content.subject),
    sealedContent: vault.seal(mailPurpose, JSON.stringify(sealed)),
    validMinutes: kind.validMinutes?.(data) ?? defaultValidMinutes,
    state: config.mail ? 'queued' : 'off',
    perDay: kind.perDay === undefined ? defaultPerDay : kind.perDay,
  })
  // Email addresses and subjects name users, and logs are kept and shared.
  if (!config.mail) log.info({ mail: mail.id }, 'Mail is not configured; the message was not sent')
  return { content, mail }
}

/** Returns the brand as an email shows it; `logoUrl` is where the email finds the logo. */
export function toMailBrand({ name, accent }: Brand, logo: MailLogo | undefined, logoUrl: string) {
  return { name, accent, ...(logo && { logo: { url: logoUrl, ...fitLogo(logo, logoHeight) } }) }
}
