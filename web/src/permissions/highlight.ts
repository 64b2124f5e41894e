import type { SchemaProblem } from '@passport/permissions/fault'
import { type Token, type TokenKind, tokenize } from '@passport/permissions/tokens'

/** A part of a line that looks the same from end to end. */
export interface Piece {
  kind: TokenKind
  text: string
  isWrong: boolean
}

/** The lines of a schema in coloured pieces; where `problems` lie is marked. */
export function highlight(text: string, problems: readonly SchemaProblem[] = []): Piece[][] {
  const lines: Piece[][] = [[]]
  for (const token of tokenize(text)) {
    const isWrong = problems.some((problem) => isIn(problem, token))
    const [first = '', ...others] = token.text.split(/\r\n|\r|\n/)
    if (first) lines.at(-1)?.push({ kind: token.kind, text: first, isWrong })
    for (const other of others) lines.push(other ? [{ kind: token.kind, text: other, isWrong }] : [])
  }
  return lines
}

/** What is wrong in one place without length, such as at the end of a line, is shown on the token there. */
function isIn({ span }: SchemaProblem, token: Token): boolean {
  const end = Math.max(span.end.offset, span.start.offset + 1)
  return token.span.start.offset < end && token.span.end.offset > span.start.offset
}
