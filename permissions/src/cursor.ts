import { SchemaFault } from './fault.ts'
import type { Span } from './schema.ts'
import { type Token, tokenize } from './tokens.ts'

/** A token that means something to the parser. A newline after a finished word is a `semicolon`, as in SpiceDB. */
export interface Lexeme {
  kind: 'keyword' | 'identifier' | 'string' | 'symbol' | 'semicolon' | 'error' | 'end'
  text: string
  span: Span
  /** What stands in the comments before it. */
  comment?: string
}

/** Walks over the lexemes of a schema; every refusal is a `SchemaFault` at the lexeme where it was noticed. */
export class Cursor {
  readonly text: string
  readonly #lexemes: Lexeme[]
  #at = 0

  constructor(text: string) {
    this.text = text
    this.#lexemes = lexemesOf(text)
  }

  get current(): Lexeme {
    return this.#lexemes[this.#at] as Lexeme
  }

  /** The lexeme that was taken last. */
  get previous(): Lexeme {
    return this.#lexemes[Math.max(0, this.#at - 1)] as Lexeme
  }

  is(kind: Lexeme['kind'], text?: string): boolean {
    return this.current.kind === kind && (text === undefined || this.current.text === text)
  }

  take(): Lexeme {
    const taken = this.current
    if (taken.kind !== 'end') this.#at++
    return taken
  }

  takeIf(kind: Lexeme['kind'], text?: string): Lexeme | undefined {
    return this.is(kind, text) ? this.take() : undefined
  }

  symbol(text: string): Lexeme {
    return this.takeIf('symbol', text) ?? this.fail(`Expected \`${text}\``)
  }

  keyword(text: string): Lexeme {
    return this.takeIf('keyword', text) ?? this.fail(`Expected \`${text}\``)
  }

  identifier(what: string): Lexeme {
    return this.takeIf('identifier') ?? this.fail(`Expected ${what}`)
  }

  /** From `start` to the end of what was taken last. */
  spanFrom(start: Lexeme): Span {
    return { start: start.span.start, end: this.previous.span.end }
  }

  fail(expectation: string): never {
    return this.failAt(this.current, `${expectation}, but found ${describe(this.current)}.`)
  }

  failAt({ span }: Lexeme, message: string): never {
    throw new SchemaFault([{ message, span }])
  }
}

function describe({ kind, text }: Lexeme): string {
  if (kind === 'end') return 'the end of the text'
  if (kind === 'semicolon' && text !== ';') return 'the end of the line'
  if (kind === 'keyword') return `the keyword \`${text}\``
  if (kind === 'error' && text.startsWith('/*')) return 'a comment without end'
  if (kind === 'error' && /^["']/.test(text)) return 'a string without end, or with an escaped quote'
  return `\`${text}\``
}

function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = []
  let comments: string[] = []
  const push = (kind: Lexeme['kind'], text: string, span: Span) => {
    const comment = comments.join('\n').trim()
    lexemes.push({ kind, text, span, ...(comment ? { comment } : {}) })
    comments = []
  }
  const tokens = tokenize(text)
  for (const token of tokens) {
    const kind = lexemeKind(token, lexemes.at(-1))
    if (token.kind === 'comment') comments.push(commentText(token.text))
    if (kind) push(kind, token.text, token.span)
  }
  const end = tokens.at(-1)?.span.end ?? { line: 1, column: 1, offset: 0 }
  push('end', '', { start: end, end })
  return lexemes
}

function lexemeKind(token: Token, before: Lexeme | undefined): Lexeme['kind'] | undefined {
  if (token.kind === 'whitespace' || token.kind === 'comment') return undefined
  if (token.kind === 'newline') return before && endsStatement(before) ? 'semicolon' : undefined
  return token.text === ';' ? 'semicolon' : token.kind
}

function endsStatement({ kind, text }: Lexeme): boolean {
  return kind === 'identifier' || kind === 'keyword' || (kind === 'symbol' && ['}', ')', '*'].includes(text))
}

/** Without `//`, without `/*` and the stars at the beginning of its lines. */
function commentText(comment: string): string {
  if (comment.startsWith('//')) return comment.slice(2).trim()
  const lines = comment.slice(2, -2).split(/\r\n|\r|\n/)
  return lines
    .map((line) => line.trim().replace(/^\*+/, '').trim())
    .join('\n')
    .trim()
}
