import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { decodePercent } from '../http/percent-encoding.ts'

/** The elements of a rendered text and their attributes. */
export const allowedElements: Record<string, string[]> = {
  ...Object.fromEntries(
    ['p', 'br', 'hr', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'ul', 'li'].map((name) => [name, []]),
  ),
  ...Object.fromEntries(['table', 'thead', 'tbody', 'tr', 'th', 'td'].map((name) => [name, []])),
  ...Object.fromEntries(['h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, ['id']])),
  a: ['href', 'rel'],
  ol: ['start'],
}

const linkSchemes = ['http', 'https', 'mailto']
/** A web page, a mailbox, a heading of the text, or a path of this server. */
const isAllowedLink = (url: string) => /^(?:https?:\/\/[^/]|mailto:[^\s]|#.|\/(?![/\\]))/i.test(url)

/** What a text has that its readers do not get as written, in the order of the text. */
export interface Rendered {
  html: string
  /** The names of HTML elements, of which only the text is kept. */
  elements: string[]
  /** The destinations of links that are shown as written. */
  links: string[]
}

/** Longer destinations are cut off, and more elements and links are not listed. */
const maxShown = 100
const maxListed = 20

interface Rendering {
  /** The origin of links to a path. */
  origin: string
  elements: Set<string>
  links: Set<string>
}
const createRendering = (origin: string): Rendering => ({ origin, elements: new Set(), links: new Set() })

/** The text that is being rendered, which is synchronous: the parser's check of links does not get it. */
let current = createRendering('')
const list = (set: Set<string>, text: string) => {
  if (set.size < maxListed) set.add(text.slice(0, maxShown))
}

const markdown = createMarkdown()

function createMarkdown() {
  // HTML is parsed so that its text can be shown without its elements.
  const parser = new MarkdownIt({ html: true, maxNesting: 20 })
  // Many references to one long definition would multiply the size of a text.
  parser.disable(['reference'])
  limitTableCells(parser)
  parser.validateLink = (url) => {
    const isAllowed = isAllowedLink(url)
    if (!isAllowed) list(current.links, url)
    return isAllowed
  }
  parser.core.ruler.push('heading ids', addHeadingIds)
  const { rules } = parser.renderer
  rules['html_inline'] = (tokens, index) => {
    listElements(tokens[index]?.content ?? '')
    return ''
  }
  rules['html_block'] = (tokens, index) => toParagraphs(tokens[index]?.content ?? '')
  rules['image'] = (tokens, index) => parser.utils.escapeHtml(tokens[index]?.content ?? '')
  // The page around a text has the heading of level 1.
  rules['heading_open'] = rules['heading_close'] = (tokens, index, options, _environment, renderer) => {
    const token = tokens[index]
    if (token) token.tag = `h${Math.min(Number(token.tag.slice(1)) + 1, 6)}`
    return renderer.renderToken(tokens, index, options)
  }
  rules['link_open'] = (tokens, index, options, _environment, renderer) => {
    const token = tokens[index]
    const url = String(token?.attrGet('href') ?? '')
    if (url.startsWith('#')) token?.attrSet('href', `#${idPrefix}${toId(decodePercent(url.slice(1)))}`)
    else if (url.startsWith('/')) token?.attrSet('href', current.origin + url)
    token?.attrSet('rel', 'noreferrer')
    return renderer.renderToken(tokens, index, options)
  }
  return parser
}

/** Keeps the ids of headings apart from those of the page around a text. */
const idPrefix = 'text-'

/** Returns the id of a heading as GitHub makes it, so that the tables of contents of existing texts work. */
const toId = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Gives each heading an id from its text, or from `{#id}` at its end; of equal ones, the later have a number. */
function addHeadingIds({ tokens }: Parameters<Parameters<Parser['core']['ruler']['push']>[1]>[0]): void {
  const counts = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1]?.children ?? []
    if (token.type !== 'heading_open' || content.length === 0) continue
    const own = takeOwnId(content.at(-1))
    const text = content
      .map((part) => (part.type === 'text' || part.type === 'code_inline' ? part.content : ''))
      .join('')
    const id = toId(own ?? text)
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    token.attrSet('id', `${idPrefix}${id}${count > 0 ? `-${count}` : ''}`)
  }
}

/** Removes `{#id}` from the end of the text, and returns the id. */
function takeOwnId(last: { type: string; content: string } | undefined): string | undefined {
  if (last?.type !== 'text') return undefined
  const start = last.content.lastIndexOf('{#')
  const [, id] = (start >= 0 && /^\{#([\w-]{1,100})\}$/.exec(last.content.slice(start).trimEnd())) || []
  if (id !== undefined) last.content = last.content.slice(0, start).trimEnd()
  return id
}

const elementName = /<([a-z][a-z0-9-]{0,30})/gi

function listElements(code: string): void {
  for (const [, name = ''] of code.matchAll(elementName)) list(current.elements, name.toLowerCase())
}

/** Elements that begin and end a paragraph. */
const blockElement =
  /<(?=\/?(?:p|div|section|article|main|header|footer|h[1-6]|ul|ol|li|dl|dt|dd|table|caption|tr|blockquote|br|hr|pre)\b)/gi

/** Renders the text of an HTML block in paragraphs, without its elements, and without what no browser shows. */
function toParagraphs(code: string): string {
  listElements(code)
  const text = sanitizeHtml(code.replaceAll(/\s+/g, ' ').replaceAll(blockElement, '\n<'), { allowedTags: [] })
  const paragraphs = text.split('\n').flatMap((line) => line.trim() || [])
  return paragraphs.map((line) => `<p>${line}</p>\n`).join('')
}

type BlockRule = ReturnType<Parser['block']['ruler']['getRules']>[number]

/**
 * Limits the cells of all tables to the characters of the text, which only omitted cells can exceed. The parser adds those
 * to each row, so a kilobyte could become 65,536 cells. Rows beyond the limit are paragraphs.
 */
function limitTableCells({ block }: Parser): void {
  const table = block.ruler.getRules('').find(({ name }) => name === 'table')
  if (!table) throw new Error('markdown-it has no rule for tables')
  const limited: BlockRule = (state, startLine, endLine, silent) => {
    if (silent || !table(state, startLine, endLine, true)) return table(state, startLine, endLine, silent)
    const line = startLine + 1
    const delimiters = state.src.slice(state.bMarks[line], state.eMarks[line]).split('|')
    const columns = delimiters.filter((text) => text.includes('-')).length
    const counted = state.env as { cells?: number }
    const { cells = 0 } = counted
    const rows = Math.floor((state.src.length - cells) / columns) - 1
    if (rows < 0 || !table(state, startLine, Math.min(endLine, startLine + 2 + rows), false)) return false
    counted.cells = cells + columns * (state.line - startLine - 1)
    return true
  }
  block.ruler.at('table', limited, { alt: ['paragraph', 'reference'] })
}

/**
 * Renders Markdown as HTML with only the elements and attributes above. Of what the renderer writes, the sanitiser removes
 * the titles of links, the alignment of table cells and the languages of code; it is there for the renderer's bugs.
 * `origin` is that of this server: other applications show the HTML too, and links to a path lead here.
 */
export function renderContent(body: string, origin: string): Rendered {
  current = createRendering(origin)
  const html = sanitizeHtml(markdown.render(body), {
    allowedTags: Object.keys(allowedElements),
    allowedAttributes: allowedElements,
    allowedSchemes: linkSchemes,
    allowProtocolRelative: false,
    disallowedTagsMode: 'discard',
    parseStyleAttributes: false,
    nestingLimit: 60,
  })
  return { html, elements: [...current.elements], links: [...current.links] }
}
