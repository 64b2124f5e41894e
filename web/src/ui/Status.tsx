import type { ReactNode } from 'react'

/** How things are: well, to be looked at, bad, or out of use. */
export type Tone = 'ok' | 'warn' | 'bad' | 'off'

const dots: Record<Tone, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
  off: 'border-[1.5px] border-ink3',
}

/** A state as a dot and its word: never by its colour alone. What is out of use has a hollow dot. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span className={`size-2 shrink-0 rounded-full ${dots[tone]}`} />
      {children}
    </span>
  )
}
