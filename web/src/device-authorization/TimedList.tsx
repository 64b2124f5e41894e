import type { ReactNode } from 'react'

const clockFormat = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

interface TimedListProps {
  label: string
  lines: { key: number; at: number; content: ReactNode }[]
  /** Announces new lines to screen readers. */
  isLive?: boolean
}

/** A list of timestamped lines. */
export function TimedList({ label, lines, isLive = false }: TimedListProps) {
  return (
    <ol
      className="max-h-80 overflow-y-auto px-4 pb-4 sm:px-[18px]"
      aria-label={label}
      aria-live={isLive ? 'polite' : undefined}
    >
      {lines.map(({ key, at, content }) => (
        <li key={key} className="flex gap-3 border-t border-line py-1.5 text-[13px]">
          <time className="text-ink3 tabular-nums">{clockFormat.format(at)}</time>
          {content}
        </li>
      ))}
    </ol>
  )
}
