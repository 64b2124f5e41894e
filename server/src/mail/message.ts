import { isWordmark } from '../http/brand.ts'

/** The content of an email, from which its text and its HTML are rendered. */
export interface Message {
  to: { name: string | null; address: string }
  subject: string
  /** As plain text. */
  paragraphs: string[]
  /** A link between the paragraphs and the small print. */
  action?: { label: string; url: string }
  /** A second link, below the action. */
  furtherAction?: { label: string; url: string }
  smallPrint?: string
}

/** The brand of an email. */
export interface MailBrand {
  name: string
  /** The background of the button; dark enough for white text. */
  accent?: string | undefined
  /** A part of the email, with the size at which it is shown in CSS pixels. */
  logo?: { contentId: string; width: number; height: number }
}

/** The rendered bodies. */
export interface RenderedMessage {
  text: string
  html: string
}

/** Converts text to one line of at most 200 characters: line breaks and control characters become spaces. */
export const toLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 200)

/** Renders both bodies of an email. */
export function renderMessage(message: Message, brand: MailBrand): RenderedMessage {
  const { paragraphs, action, furtherAction, smallPrint } = message
  const text = [
    ...paragraphs,
    ...[action, furtherAction].flatMap((link) => (link ? [`${link.label.replace(/\w$/, '$&:')}\n${link.url}`] : [])),
    ...(smallPrint ? [smallPrint] : []),
    `-- \n${brand.name}`,
  ].join('\n\n')
  return { text: `${text}\n`, html: renderHtml(message, brand) }
}

/** Uses inline styles, since mail programs ignore others; loads no external content. The logo is a part of the email. */
function renderHtml(
  { paragraphs, action, furtherAction, smallPrint }: Message,
  { name, accent = '#1d2233', logo }: MailBrand,
): string {
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`
  const button = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:10px 18px;border-radius:7px;background:${accent};color:#ffffff;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#5a6072">If the button does nothing, open this link:<br>${escapeHtml(action.url)}</p>`
    : ''
  const further = furtherAction
    ? `<p style="margin:0 0 16px"><a href="${escapeHtml(furtherAction.url)}">${escapeHtml(furtherAction.label)}</a></p>`
    : ''
  const small = smallPrint ? `<p style="margin:0;font-size:13px;color:#5a6072">${escapeHtml(smallPrint)}</p>` : ''
  const picture = logo
    ? `<img src="cid:${logo.contentId}" alt="${isWordmark(logo) ? escapeHtml(name) : ''}" width="${logo.width}" height="${logo.height}" style="vertical-align:middle;margin-right:12px">`
    : ''
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(name)}</title></head>
<body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0 0 24px;font-weight:600">${logo && isWordmark(logo) ? picture : picture + escapeHtml(name)}</p>
${paragraphs.map(paragraph).join('\n')}
${button}
${further}
${small}
</div></body></html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
