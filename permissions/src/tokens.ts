import type { Position, Span } from './schema.ts'

/** `error` is what no schema may contain: a strange character, an open string, an open comment. */
export type TokenKind = 'whitespace' | 'newline' | 'comment' | 'keyword' | 'identifier' | 'string' | 'symbol' | 'error'

export interface Token {
  kind: TokenKind
  text: string
  span: Span
}

/**
 * What SpiceDB's lexer tells apart. A string knows no escapes and `'''` never ends there, so an escaped quote is refused
 * here too: what we take, SpiceDB must take.
 */
const lexical = new RegExp(
  [
    '(?<newline>\\r\\n|\\r|\\n)',
    '(?<whitespace>[ \\t]+)',
    '(?<comment>//[^\\r\\n]*|/\\*[^]*?\\*/)',
    `(?<string>"""[^]*?"""|"(?!"")[^"\\r\\n]*"|'(?!'')[^'\\r\\n]*')`,
    '(?<word>[_\\p{L}\\p{Nd}]+)',
    `(?<error>["'][^\\r\\n]*|/\\*[^]*)`,
    '(?<symbol>->|\\.\\.\\.|\\|\\||&&|!=|<=|>=|==|[{}()+|&?!\\[\\]%<>,=:;#*.\\/\\-])',
    '(?<strange>[^])',
  ].join('|'),
  'uy',
)

const keywords = new Set(['definition', 'caveat', 'relation', 'permission', 'nil', 'with'])

/** What `use` can switch on, and the words that it takes from the names. */
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
 * Splits a schema into tokens, for the parser and for highlighting. Their texts put together are the text again.
 * Never throws: what cannot be read is a token of kind `error`.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const isKeyword = keywordTest()
  let start: Position = { line: 1, column: 1, offset: 0 }
  while (start.offset < text.length) {
    lexical.lastIndex = start.offset
    const groups = lexical.exec(text)?.groups ?? {}
    const [group, found] = Object.entries(groups).find(([, value]) => value !== undefined) ?? ['strange', '']
    const end = advance(start, found)
    tokens.push({ kind: kindOf(group, found, isKeyword), text: found, span: { start, end } })
    start = end
  }
  return tokens
}

function kindOf(group: string, text: string, isKeyword: (group: string, text: string) => boolean): TokenKind {
  const reserved = isKeyword(group, text)
  if (group === 'word') return reserved ? 'keyword' : 'identifier'
  return group === 'strange' ? 'error' : (group as TokenKind)
}

function advance(from: Position, text: string): Position {
  const lines = text.split(/\r\n|\r|\n/)
  const last = lines.at(-1) ?? ''
  return {
    line: from.line + lines.length - 1,
    column: lines.length === 1 ? from.column + last.length : last.length + 1,
    offset: from.offset + text.length,
  }
}

/** Which words are keywords changes on the way: `use self`, before any definition, makes `self` one from itself on. */
function keywordTest(): (group: string, text: string) => boolean {
  const reserved = new Set(keywords)
  let depth = 0
  let isAfterUse = false
  let mayUse = true
  return (group, text) => {
    if (text === '{') depth++
    if (text === '}') depth--
    if (group !== 'word') return false
    if (text === 'definition' || text === 'caveat') mayUse = false
    const names = isAfterUse ? wordsOfFeature.get(text) : undefined
    for (const word of names ?? []) reserved.add(word)
    isAfterUse = mayUse && depth === 0 && !isAfterUse && text === 'use'
    return isAfterUse || reserved.has(text)
  }
}
