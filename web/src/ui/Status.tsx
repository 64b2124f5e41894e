import type { ReactNode } from 'react'

/** Good, needs attention, not begun, bad, or inactive. */
export type Tone = 'ok' | 'warn' | 'waiting' | 'bad' | 'off'

const dots: Record<Tone, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  waiting: 'border-[1.5px] border-warn',
  bad: 'bg-bad',
  off: 'border-[1.5px] border-ink3',
}

/** A state as a dot and a word, never by colour alone. Not begun and inactive have a hollow dot. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span className={`size-2 shrink-0 rounded-full ${dots[tone]}`} />
      {children}
    </span>
  )
}
