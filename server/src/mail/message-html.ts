import { isWordmark } from '../http/brand.ts'
import type { Fact, MailBrand, MailLink, Message } from './message.ts'

/** The theme of an email: that of its reader, or a fixed one for a preview, in which links open in a window of their own. */
export type MailTheme = 'reader' | 'light' | 'dark'

/** The colours of `web/src/tokens.css`, in the notation that all mail programs read. */
const colours = {
  light: { page: '#faf7f2', sheet: '#fffefd', line: '#e3dfd8', ink: '#151f38', soft: '#5e636f', link: '#2751b8' },
  dark: { page: '#0b1429', sheet: '#131d37', line: '#293550', ink: '#f4f0e7', soft: '#aea798', link: '#a3c1fc' },
}
const act = { light: '#151f38', dark: '#e9c67d' }
const onAct = { light: '#fcfaf6', dark: '#0d172f' }
const font = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Where the delivery says how many emails one stands for. */
const heldMark = '<!--held-->'

/** Adds a paragraph after the greeting of a rendered email. */
export const addHeldNote = (html: string, note: string): string => html.replace(heldMark, () => renderParagraph(note))

/**
 * Renders an email with tables and inline styles, since mail programs ignore others; only the dark theme is a style sheet,
 * for the programs that have one. Loads no external content.
 */
export function renderHtml(message: Message & { greeting: string }, theme: MailTheme = 'reader'): string {
  const { subject, greeting, paragraphs, facts = [], code, advice = [], action, furtherAction, smallPrint } = message
  const { brand, publicUrl } = message
  const { page, sheet, line, ink } = colours.light
  const rows = [
    `<h1 style="margin:0 0 18px;font-size:20px;line-height:1.3;font-weight:650">${escapeHtml(subject)}</h1>`,
    renderParagraph(greeting),
    heldMark,
    ...paragraphs.map(renderParagraph),
    facts.length > 0 ? renderFacts(facts) : '',
    code === undefined ? '' : renderCode(code),
    ...advice.map(renderParagraph),
    action ? renderButton(action, brand) : '',
    furtherAction ? renderFurther(furtherAction) : '',
    smallPrint === undefined ? '' : renderSmall(smallPrint),
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(subject)}</title>
${theme === 'reader' ? '' : '<base target="_blank">'}<style>${renderStyles(brand, theme)}</style></head>
<body class="page" style="margin:0;padding:0;background:${page};color:${ink};font:15px/1.55 ${font}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(paragraphs[0] ?? '')}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:${page}"><tr><td align="center" style="padding:28px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:left">
<tr><td style="padding:0 4px 16px;font-weight:650">${renderBrand(brand)}</td></tr>
<tr><td class="sheet" style="padding:28px;word-break:break-word;overflow-wrap:anywhere;background:${sheet};border:1px solid ${line};border-radius:12px">
${rows.filter(Boolean).join('\n')}
</td></tr>
<tr><td class="soft" style="padding:16px 4px 0;font-size:13px;color:${colours.light.soft}">${escapeHtml(brand.name)} · <a class="soft" href="${escapeHtml(publicUrl)}" style="color:${colours.light.soft}">${escapeHtml(publicUrl.replace(/^https?:\/\//, ''))}</a></td></tr>
</table></td></tr></table>
</body></html>
`
}

const renderParagraph = (text: string) => `<p style="margin:0 0 14px">${escapeHtml(text)}</p>`

const renderSmall = (text: string) =>
  `<p class="soft" style="margin:14px 0 0;font-size:13px;color:${colours.light.soft}">${escapeHtml(text)}</p>`

function renderFacts(facts: Fact[]): string {
  const { line, soft } = colours.light
  const cell = `padding:8px 0;border-top:1px solid ${line};vertical-align:top`
  const rows = facts.map(
    ([label, value]) =>
      `<tr><th class="line soft" scope="row" align="left" style="${cell};padding-right:16px;font-weight:400;white-space:nowrap;color:${soft}">${escapeHtml(label)}</th><td class="line" width="100%" style="${cell};word-break:break-word">${escapeHtml(value)}</td></tr>`,
  )
  return `<table class="line" width="100%" cellpadding="0" cellspacing="0" style="margin:4px 0 18px;border-bottom:1px solid ${line};font-size:14px">${rows.join('')}</table>`
}

const renderCode = (code: string) =>
  `<p class="line" style="margin:6px 0 20px;padding:14px;border:1px solid ${colours.light.line};border-radius:8px;text-align:center;font:650 28px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:0.18em">${escapeHtml(code)}</p>`

/** A link in a cell with a background: Outlook ignores the padding of links, and shows the cell. */
function renderButton({ label, url }: MailLink, { accent = act }: MailBrand): string {
  const { soft } = colours.light
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:22px 0 18px"><tr><td class="act" style="border-radius:8px;background:${escapeHtml(accent.light)}"><a class="act" href="${escapeHtml(url)}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:${escapeHtml(accent.light)};color:${onAct.light};font-weight:600;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>
<p class="soft" style="margin:0 0 14px;font-size:13px;color:${soft}">If the button does nothing, open this link:<br><a class="link" href="${escapeHtml(url)}" style="color:${colours.light.link};word-break:break-all">${escapeHtml(url)}</a></p>`
}

const renderFurther = ({ label, url }: MailLink) =>
  `<p style="margin:0 0 14px"><a class="link" href="${escapeHtml(url)}" style="color:${colours.light.link};font-weight:600">${escapeHtml(label)}</a></p>`

function renderBrand({ name, logo }: MailBrand): string {
  if (!logo) return escapeHtml(name)
  const isNamed = isWordmark(logo)
  const picture = `<img src="${escapeHtml(logo.url)}" alt="${isNamed ? escapeHtml(name) : ''}" width="${logo.width}" height="${logo.height}" style="vertical-align:middle;border:0${isNamed ? '' : ';margin-right:10px'}">`
  return isNamed ? picture : picture + escapeHtml(name)
}

function renderStyles({ accent = act }: MailBrand, theme: MailTheme): string {
  const { page, sheet, line, ink, soft, link } = colours.dark
  const dark = [
    `.page{background:${page}!important;color:${ink}!important}`,
    `.sheet{background:${sheet}!important;border-color:${line}!important}`,
    `.line{border-color:${line}!important}`,
    `.soft{color:${soft}!important}`,
    `.link{color:${link}!important}`,
    `.act{background:${escapeHtml(accent.dark)}!important;color:${onAct.dark}!important}`,
  ].join('')
  const phone = '@media (max-width:480px){.sheet{padding:20px!important}}'
  if (theme === 'light') return `:root{color-scheme:light}${phone}`
  if (theme === 'dark') return `:root{color-scheme:dark}${phone}${dark}`
  return `:root{color-scheme:light dark}${phone}@media (prefers-color-scheme:dark){${dark}}`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
