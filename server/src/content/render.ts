import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import sanitizeHtml from 'sanitize-html'

/** The elements of a rendered text and their attributes. */
export const allowedElements: Record<string, string[]> = {
  ...Object.fromEntries(
    ['p', 'br', 'hr', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'ul', 'li', 'h2', 'h3', 'h4', 'h5', 'h6'].map(
      (name) => [name, []],
    ),
  ),
  ...Object.fromEntries(['table', 'thead', 'tbody', 'tr', 'th', 'td'].map((name) => [name, []])),
  a: ['href', 'rel'],
  ol: ['start'],
}

const linkSchemes = ['http', 'https', 'mailto']
const isAllowedLink = (url: string) => /^(?:https?:\/\/[^/]|mailto:[^\s])/i.test(url)

const markdown = createMarkdown()

function createMarkdown() {
  // HTML is parsed so that it can be dropped rather than shown.
  const parser = new MarkdownIt({ html: true, maxNesting: 20 })
  // Many references to one long definition would multiply the size of a text.
  parser.disable(['reference'])
  limitTableCells(parser)
  parser.validateLink = isAllowedLink
  const { rules } = parser.renderer
  rules['html_block'] = rules['html_inline'] = () => ''
  rules['image'] = (tokens, index) => parser.utils.escapeHtml(tokens[index]?.content ?? '')
  // The page around a text has the heading of level 1.
  rules['heading_open'] = rules['heading_close'] = (tokens, index, options, _environment, renderer) => {
    const token = tokens[index]
    if (token) token.tag = `h${Math.min(Number(token.tag.slice(1)) + 1, 6)}`
    return renderer.renderToken(tokens, index, options)
  }
  rules['link_open'] = (tokens, index, options, _environment, renderer) => {
    tokens[index]?.attrSet('rel', 'noreferrer')
    return renderer.renderToken(tokens, index, options)
  }
  return parser
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
 */
export function renderContent(body: string): string {
  return sanitizeHtml(markdown.render(body), {
    allowedTags: Object.keys(allowedElements),
    allowedAttributes: allowedElements,
    allowedSchemes: linkSchemes,
    allowProtocolRelative: false,
    disallowedTagsMode: 'discard',
    parseStyleAttributes: false,
    nestingLimit: 60,
  })
}
