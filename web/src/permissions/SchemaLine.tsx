import type { TokenKind } from '@passport/permissions/tokens'
import type { Piece } from './highlight.ts'

/** By weight and shade: colour stands for what can be used and for how things are. */
const looks: Record<TokenKind, string> = {
  keyword: 'text-ink3',
  identifier: 'font-[560] text-ink',
  symbol: 'text-ink2',
  comment: 'text-ink3 italic',
  string: 'text-ok',
  error: 'text-bad',
  whitespace: '',
  newline: '',
}

/** A line of a schema, highlighted; what is wrong in it is underlined. */
export function SchemaLine({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ kind, text, isWrong }, at) => (
    <span
      key={at}
      data-wrong={isWrong || undefined}
      className={`${looks[kind]} ${isWrong ? 'underline decoration-bad decoration-wavy decoration-1 underline-offset-4' : ''}`}
    >
      {text}
    </span>
  ))
}
