import type { Position, Span } from './schema.ts'

/** `error` is text that is invalid in any schema: an unexpected character, an unterminated string or comment. */
export type TokenKind = 'whitespace' | 'newline' | 'comment' | 'keyword' | 'identifier' | 'string' | 'symbol' | 'error'

export interface SchemaToken {
  kind: TokenKind
  text: string
  span: Span
}

/**
 * The token classes of SpiceDB's lexer. SpiceDB must accept every schema that compiles here. Strings there have no
 * escapes, and `'''` starts a string without end, so both are errors.
 */
const lexical = new RegExp(
  [
    '(\\r\\n|\\r|\\n)',
    '([ \\t]+)',
    '(//[^\\r\\n]*|/\\*[^]*?\\*/)',
    `("""[^]*?"""|"(?!"")[^"\\r\\n]*"|'(?!'')[^'\\r\\n]*')`,
    '([_\\p{L}\\p{Nd}]+)',
    `(["'][^\\r\\n]*|/\\*[^]*)`,
    '(->|\\.\\.\\.|\\|\\||&&|!=|<=|>=|==|[{}()+|&?!\\[\\]%<>,=:;#*.\\/\\-])',
    '([^])',
  ].join('|'),
  'uy',
)

/** The kinds of the groups in `lexical`, in order. A word is a keyword or an identifier. */
const groups = ['newline', 'whitespace', 'comment', 'string', 'word', 'error', 'symbol', 'error'] as const

const keywords = new Set(['definition', 'caveat', 'relation', 'permission', 'nil', 'with'])

/** The words that each feature of `use` reserves. */
const wordsOfFeature = new Map([
  ['expiration', ['expiration', 'and']],
  ['import', ['import']],
  ['partial', ['partial']],
  ['self', ['self']],
  ['typechecking', ['typechecking']],
])

/** The names that may follow `use`. */
export const features = [...wordsOfFeature.keys()]

/**
 * Splits a schema into tokens, for the parser and for highlighting. The concatenated tokens equal the text. Never
 * throws: unreadable text becomes a token of kind `error`.
 */
export function tokenize(text: string): SchemaToken[] {
  const tokens: SchemaToken[] = []
  const isKeyword = createKeywordTest()
  let start: Position = { line: 1, column: 1, offset: 0 }
  while (start.offset < text.length) {
    lexical.lastIndex = start.offset
    const match = lexical.exec(text) as RegExpExecArray
    const group = groups[match.indexOf(match[0], 1) - 1] ?? 'error'
    const end = advance(start, match[0])
    tokens.push({ kind: kindOf(group, match[0], isKeyword), text: match[0], span: { start, end } })
    start = end
  }
  return tokens
}

type Group = (typeof groups)[number]

function kindOf(group: Group, text: string, isKeyword: (group: Group, text: string) => boolean): TokenKind {
  const reserved = isKeyword(group, text)
  if (group === 'word') return reserved ? 'keyword' : 'identifier'
  return group
}

function advance(from: Position, text: string): Position {
  const { line, column, offset } = from
  if (!/[\r\n]/.test(text)) return { line, column: column + text.length, offset: offset + text.length }
  const lines = text.split(/\r\n|\r|\n/)
  const last = lines.at(-1) ?? ''
  return {
    line: line + lines.length - 1,
    column: last.length + 1,
    offset: offset + text.length,
  }
}

/** Creates a test to call for each token in order, because `use self` makes the `self` after it a keyword. */
function createKeywordTest(): (group: Group, text: string) => boolean {
  const reserved = new Set(keywords)
  let depth = 0
  let isAfterUse = false
  let allowsUse = true
  return (group, text) => {
    if (text === '{') depth++
    if (text === '}') depth--
    if (group !== 'word') return false
    if (text === 'definition' || text === 'caveat') allowsUse = false
    const names = isAfterUse ? wordsOfFeature.get(text) : undefined
    for (const word of names ?? []) reserved.add(word)
    isAfterUse = allowsUse && depth === 0 && !isAfterUse && text === 'use'
    return isAfterUse || reserved.has(text)
  }
}
