import type { TokenKind } from '@passport/permissions'
import type { Piece } from './highlight.ts'

/** Distinguished by weight and shade: colours are reserved for controls and states. */
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

/** A highlighted line of a schema; faults are underlined. */
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
