/** What a mail says, in plain parts: both its text and its HTML are made of them. */
export interface Letter {
  /** Who gets it. */
  to: { name: string | null; address: string }
  subject: string
  /** Paragraphs, as text. */
  paragraphs: string[]
  /** What the reader may follow, between the paragraphs and the small print. */
  action?: { label: string; url: string }
  smallPrint?: string
}

/** What goes over the wire. */
export interface Content {
  text: string
  html: string
}

/** One line: whatever would begin another, in a header or for the eye, is a blank. */
export const lineOf = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 200)

/** The two forms of a letter. */
export function contentOf({ paragraphs, action, smallPrint }: Letter, brandName: string): Content {
  const text = [
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(smallPrint ? [smallPrint] : []),
    `-- \n${brandName}`,
  ].join('\n\n')
  return { text: `${text}\n`, html: htmlOf({ paragraphs, action, smallPrint }, brandName) }
}

/** Styles stand on the elements, as mail programs read no others; it names nothing that would be fetched. */
function htmlOf(
  {
    paragraphs,
    action,
    smallPrint,
  }: Pick<Letter, 'paragraphs'> & { action: Letter['action']; smallPrint: string | undefined },
  brandName: string,
): string {
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escaped(text)}</p>`
  const button = action
    ? `<p style="margin:24px 0"><a href="${escaped(action.url)}" style="display:inline-block;padding:10px 18px;border-radius:7px;background:#1d2233;color:#ffffff;text-decoration:none">${escaped(action.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#5a6072">If the button does nothing, open this address:<br>${escaped(action.url)}</p>`
    : ''
  const small = smallPrint ? `<p style="margin:0;font-size:13px;color:#5a6072">${escaped(smallPrint)}</p>` : ''
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(brandName)}</title></head>
<body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0 0 24px;font-weight:600">${escaped(brandName)}</p>
${paragraphs.map(paragraph).join('\n')}
${button}
${small}
</div></body></html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter)
