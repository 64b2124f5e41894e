import { SchemaError } from '../error.ts'
import type { Span } from './schema.ts'
import { type SchemaToken, tokenize } from './tokens.ts'

/** A token that the parser reads. A newline that ends a statement is a `semicolon`, as in SpiceDB. */
export interface Lexeme {
  kind: 'keyword' | 'identifier' | 'string' | 'symbol' | 'semicolon' | 'error' | 'end'
  text: string
  span: Span
  /** The text of the comments before the lexeme. */
  comment?: string
}

/** A cursor over the lexemes of a schema. Throws `SchemaError` at the unexpected lexeme. */
export class Cursor {
  readonly text: string
  readonly #lexemes: Lexeme[]
  #position = 0

  constructor(text: string) {
    this.text = text
    this.#lexemes = readLexemes(text)
  }

  get current(): Lexeme {
    return this.#lexemes[this.#position] as Lexeme
  }

  /** The last lexeme taken. */
  get previous(): Lexeme {
    return this.#lexemes[Math.max(0, this.#position - 1)] as Lexeme
  }

  is(kind: Lexeme['kind'], text?: string): boolean {
    return this.current.kind === kind && (text === undefined || this.current.text === text)
  }

  take(): Lexeme {
    const taken = this.current
    if (taken.kind !== 'end') this.#position++
    return taken
  }

  takeIf(kind: Lexeme['kind'], text?: string): Lexeme | undefined {
    return this.is(kind, text) ? this.take() : undefined
  }

  requireSymbol(text: string): Lexeme {
    return this.takeIf('symbol', text) ?? this.fail(`Expected \`${text}\``)
  }

  requireKeyword(text: string): Lexeme {
    return this.takeIf('keyword', text) ?? this.fail(`Expected \`${text}\``)
  }

  requireIdentifier(expected: string): Lexeme {
    return this.takeIf('identifier') ?? this.fail(`Expected ${expected}`)
  }

  /** Takes `name` or `prefix/name`. */
  requirePath(): string {
    const parts = [this.requireIdentifier('a name').text]
    while (this.takeIf('symbol', '/')) parts.push(this.requireIdentifier('a name').text)
    return parts.join('/')
  }

  /** Returns the span from `start` to the end of the last lexeme taken. */
  spanFrom(start: Lexeme): Span {
    return { start: start.span.start, end: this.previous.span.end }
  }

  fail(expectation: string): never {
    return this.failAt(this.current, `${expectation}, but found ${describeLexeme(this.current)}.`)
  }

  failAt({ span }: Lexeme, message: string): never {
    throw new SchemaError([{ message, span }])
  }
}

function describeLexeme({ kind, text }: Lexeme): string {
  if (kind === 'end') return 'the end of the text'
  if (kind === 'semicolon' && text !== ';') return 'the end of the line'
  if (kind === 'keyword') return `the keyword \`${text}\``
  if (kind === 'error' && text.startsWith('/*')) return 'an unterminated comment'
  if (kind === 'error' && /^["']/.test(text)) return 'an unterminated string, or a string with an escaped quote'
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text)
    ? `\`${text}\``
    : `the character U+${text.codePointAt(0)?.toString(16)}`
}

function readLexemes(text: string): Lexeme[] {
  const lexemes: Lexeme[] = []
  let comments: string[] = []
  const push = (kind: Lexeme['kind'], text: string, span: Span) => {
    const comment = comments.length > 0 ? comments.join('\n').trim() : ''
    lexemes.push(comment ? { kind, text, span, comment } : { kind, text, span })
    if (comments.length > 0) comments = []
  }
  const tokens = tokenize(text)
  for (const token of tokens) {
    const kind = toLexemeKind(token, lexemes.at(-1))
    if (token.kind === 'comment') comments.push(extractComment(token.text))
    if (kind) push(kind, token.text, token.span)
  }
  const end = tokens.at(-1)?.span.end ?? { line: 1, column: 1, offset: 0 }
  push('end', '', { start: end, end })
  return lexemes
}

function toLexemeKind(token: SchemaToken, previous: Lexeme | undefined): Lexeme['kind'] | undefined {
  if (token.kind === 'whitespace' || token.kind === 'comment') return undefined
  if (token.kind === 'newline') return previous && endsStatement(previous) ? 'semicolon' : undefined
  return token.text === ';' ? 'semicolon' : token.kind
}

function endsStatement({ kind, text }: Lexeme): boolean {
  return kind === 'identifier' || kind === 'keyword' || (kind === 'symbol' && ['}', ')', '*'].includes(text))
}

/** Returns the text of a comment, without its delimiters and the leading stars of its lines. */
function extractComment(comment: string): string {
  if (comment.startsWith('//')) return comment.slice(2).trim()
  const lines = comment.slice(2, -2).split(/\r\n|\r|\n/)
  return lines
    .map((line) => line.trim().replace(/^\*+/, '').trim())
    .join('\n')
    .trim()
}
