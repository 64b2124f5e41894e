import { type Message, toLine, toName, toParagraph } from './message.ts'
import { type MailTheme, renderHtml } from './message-html.ts'

/** The rendered bodies. */
export interface RenderedMessage {
  text: string
  html: string
}

/** Renders both bodies of an email. */
export function renderMessage(message: Message): RenderedMessage {
  const clean = toCleanMessage(message)
  return { text: renderText(clean), html: renderHtml(clean) }
}

/** The theme of a preview. */
export type FixedTheme = Exclude<MailTheme, 'reader'>

/** Renders the HTML in one theme, whose links open nothing in a sandbox. */
export const renderPreview = (message: Message, theme: FixedTheme): string => renderHtml(toCleanMessage(message), theme)

const greet = (name: string | null): string => (name === null ? 'Hello,' : `Hello ${toName(name)},`)

/** Removes line breaks and control characters from all values, so that none can add a line of its own. */
function toCleanMessage(message: Message): Message & { greeting: string } {
  const { subject, paragraphs, facts = [], advice = [], smallPrint, recipientName } = message
  return {
    ...message,
    subject: toLine(subject),
    greeting: greet(recipientName),
    paragraphs: paragraphs.map(toParagraph),
    facts: facts.map(([label, value]) => [label, toParagraph(value)] as const),
    advice: advice.map(toParagraph),
    ...(smallPrint !== undefined && { smallPrint: toParagraph(smallPrint) }),
  }
}

function renderText(message: ReturnType<typeof toCleanMessage>): string {
  const { greeting, paragraphs, facts = [], code, advice = [], action, furtherAction, smallPrint, brand } = message
  const links = [action, furtherAction].filter((link) => link !== undefined)
  const parts = [
    greeting,
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...(code === undefined ? [] : [code]),
    ...advice,
    ...links.map(({ label, url }) => `${label.replace(/\w$/, '$&:')}\n${url}`),
    ...(smallPrint === undefined ? [] : [smallPrint]),
    `-- \n${toLine(brand.name)}\n${message.publicUrl}`,
  ]
  return `${parts.join('\n\n')}\n`
}
