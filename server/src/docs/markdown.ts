import { type Html, html } from '../http/page.ts'

/** Returns the `href` for a link target of a document; undefined for files that are not served. */
export type ResolveLink = (target: string) => string | undefined

/**
 * Renders the Markdown of our own guides: headings, paragraphs, lists, tables, code, links, strong text. Other texts
 * may need more of the language. HTML in a text is escaped.
 */
export function renderMarkdown(text: string, resolveLink: ResolveLink): Html[] {
  const lines = text.split('\n')
  const blocks: Html[] = []
  const inline = (source: string) => renderInline(source, resolveLink)
  /** Removes and returns the lines up to the first one that does not match. */
  const takeWhile = (matches: (line: string) => boolean) => {
    const end = lines.findIndex((line) => !matches(line))
    return lines.splice(0, end < 0 ? lines.length : end)
  }
  while (lines.length > 0) {
    const [line = ''] = lines
    const heading = /^(#{1,3}) (.*)$/.exec(line)
    if (line.trim() === '') lines.shift()
    else if (line.startsWith('```')) {
      lines.shift()
      const code = takeWhile((next) => !next.startsWith('```'))
      lines.shift()
      blocks.push(html`<pre tabindex="0"><code>${code.join('\n')}</code></pre>`)
    } else if (heading) {
      lines.shift()
      blocks.push(renderHeading(heading[1]?.length ?? 1, heading[2] ?? '', inline))
    } else if (line.startsWith('|'))
      blocks.push(
        renderTable(
          takeWhile((next) => next.startsWith('|')),
          inline,
        ),
      )
    else if (itemStart.test(line))
      blocks.push(
        renderList(
          takeWhile((next) => /^(?:[-\d\s]|$)/.test(next)),
          inline,
        ),
      )
    else
      blocks.push(html`<p>${inline(takeWhile((next) => next.trim() !== '' && !blockStart.test(next)).join(' '))}</p>`)
  }
  return blocks
}

type Inline = (source: string) => Html[]

const itemStart = /^(?:-|\d+\.) /
const blockStart = /^(?:```|#{1,3} |\||- )/

function renderHeading(level: number, source: string, inline: Inline): Html {
  const content = inline(source)
  if (level === 1) return html`<h1>${content}</h1>`
  const id = headingId(source)
  return level === 2 ? html`<h2 id="${id}">${content}</h2>` : html`<h3 id="${id}">${content}</h3>`
}

/** Returns the id of a heading as GitHub derives it, which the links of the guides use. */
export const headingId = (source: string): string =>
  source
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Renders a list, whose items may continue on indented lines. */
function renderList(lines: string[], inline: Inline): Html {
  const items: string[] = []
  for (const line of lines) {
    if (itemStart.test(line)) items.push(line.replace(itemStart, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const rendered = items.map((item) => html`<li>${inline(item.trim())}</li>`)
  return lines[0]?.startsWith('-') ? html`<ul>${rendered}</ul>` : html`<ol>${rendered}</ol>`
}

function renderTable(lines: string[], inline: Inline): Html {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .replaceAll(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|'))),
  )
  return html`<div class="scroll" tabindex="0"><table>
    <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`
}

const inlineMarkup = /(?<tick>`+)(?<code>.+?)\k<tick>|\*\*(?<strong>.+?)\*\*|\[(?<label>[^\]]+)\]\((?<target>[^)]+)\)/g

function renderInline(source: string, resolveLink: ResolveLink): Html[] {
  const parts: Html[] = []
  let end = 0
  for (const match of source.matchAll(inlineMarkup)) {
    const { code, strong, label = '', target = '' } = match.groups ?? {}
    parts.push(html`${source.slice(end, match.index)}`)
    end = match.index + match[0].length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${renderInline(strong, resolveLink)}</strong>`)
    else {
      const href = resolveLink(target)
      const content = renderInline(label, resolveLink)
      parts.push(href === undefined ? html`${content}` : html`<a href="${href}">${content}</a>`)
    }
  }
  return [...parts, html`${source.slice(end)}`]
}
