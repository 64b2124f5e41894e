import { type MailKindId, mailKinds, noticeKinds } from '@passport/contract/mail-kinds'
import type { Sql } from '../database/sql.ts'
import type { MailKind } from './kind.ts'
import { kinds } from './kinds.ts'
import type { Message } from './message.ts'
import { buildNoticeLink } from './notify.ts'
import { exampleUnknown } from './problems.ts'
import { type FixedTheme, renderMessage, renderPreview } from './render-message.ts'
import { type MailContext, toMailBrand } from './send.ts'

type PreviewContext = Pick<MailContext, 'config' | 'branding'>

/** Renders an example of a kind as text, with the brand of the installation. Throws 400 for an unknown example. */
export async function previewText(sql: Sql, context: PreviewContext, id: MailKindId, example: string | undefined) {
  const { message, examples } = await writeExample(sql, context, id, example)
  return { kind: id, ...mailKinds[id], examples, subject: message.subject, text: renderMessage(message).text }
}

/** Renders an example of a kind as a document whose links open nothing. Throws like `previewText`. */
export async function previewHtml(
  sql: Sql,
  context: PreviewContext,
  id: MailKindId,
  { example, theme }: { example?: string | undefined; theme: FixedTheme },
): Promise<string> {
  const { message } = await writeExample(sql, context, id, example)
  return renderPreview(message, theme)
}

async function writeExample(sql: Sql, { config, branding }: PreviewContext, id: MailKindId, name: string | undefined) {
  const kind = kinds[id] as MailKind<unknown>
  const examples = Object.keys(kind.examples)
  const chosen = name ?? examples[0] ?? ''
  if (!Object.hasOwn(kind.examples, chosen)) throw exampleUnknown()
  const brand = branding.current()
  const logo = await branding.findMailLogo(sql, brand)
  const { publicUrl } = config
  const logoUrl = logo ? `data:image/png;base64,${logo.content.toString('base64')}` : ''
  const isNotice = (noticeKinds as readonly string[]).includes(id)
  const message: Message = {
    ...kind.write(kind.examples[chosen], { brandName: brand.name, publicUrl }),
    recipientName: isUnnamed(id) ? null : 'Nora Lind',
    brand: toMailBrand(brand, logo, logoUrl),
    publicUrl,
    ...(isNotice && { furtherAction: buildNoticeLink(config, 'example') }),
  }
  return { message, examples }
}

/** Anyone can enter the name and the address of another person when they sign up. */
const isUnnamed = (id: MailKindId) => id === 'sign-up-code' || id === 'account-exists'
