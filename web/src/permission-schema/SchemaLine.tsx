import type { SchemaProblem } from '@passport/permissions'
import { type SchemaToken, type TokenKind, tokenize } from '@passport/permissions'

/** Tokens differ by weight and shade: colours are reserved for controls and states. */
const kindClasses: Record<TokenKind, string> = {
  keyword: 'text-ink3',
  identifier: 'font-[560] text-ink',
  symbol: 'text-ink2',
  comment: 'text-ink3 italic',
  string: 'text-ok',
  error: 'text-bad',
  whitespace: '',
  newline: '',
}

/** A highlighted line of a schema; errors are underlined. */
export function SchemaLine({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ kind, text, hasError }, index) => (
    <span
      key={index}
      data-wrong={hasError || undefined}
      className={`${kindClasses[kind]} ${hasError ? 'underline decoration-bad decoration-wavy decoration-1 underline-offset-4' : ''}`}
    >
      {text}
    </span>
  ))
}

/** A part of a line with one style. */
export interface Piece {
  kind: TokenKind
  text: string
  hasError: boolean
}

/** Splits a schema into lines of styled pieces, and marks those with one of the `problems`. */
export function highlight(text: string, problems: readonly SchemaProblem[] = []): Piece[][] {
  const lines: Piece[][] = [[]]
  for (const token of tokenize(text)) {
    const isWrong = problems.some((problem) => isCovered(problem, token))
    const [first = '', ...others] = token.text.split(/\r\n|\r|\n/)
    if (first) lines.at(-1)?.push({ kind: token.kind, text: first, hasError: isWrong })
    for (const rest of others) lines.push(rest ? [{ kind: token.kind, text: rest, hasError: isWrong }] : [])
  }
  return lines
}

/** Reports whether a problem covers a token. An empty span, such as one at the end of a line, covers the token there. */
function isCovered({ span }: SchemaProblem, token: SchemaToken): boolean {
  const end = Math.max(span.end.offset, span.start.offset + 1)
  return token.span.start.offset < end && token.span.end.offset > span.start.offset
}
