import { useNow } from '../ui/use-now.ts'

const radius = 25
const length = 2 * Math.PI * radius

/** The remaining time, in a ring that empties. */
export function ExpiryRing({ startedAt, seconds }: { startedAt: number; seconds: number }) {
  const now = useNow()
  const remaining = Math.max(0, Math.ceil(seconds - (now - startedAt) / 1000))
  const remainingText = `${Math.floor(remaining / 60)}:${String(remaining % 60).padStart(2, '0')}`
  return (
    <p className="relative grid size-14 shrink-0 place-items-center" role="timer">
      <svg viewBox="0 0 56 56" aria-hidden="true" className="absolute inset-0 -rotate-90">
        <circle cx="28" cy="28" r={radius} fill="none" stroke="var(--line)" strokeWidth="4" />
        <circle
          cx="28"
          cy="28"
          r={radius}
          fill="none"
          stroke="var(--stamp)"
          strokeWidth="4"
          strokeLinecap="round"
          strokeDasharray={length}
          strokeDashoffset={length * (1 - remaining / seconds)}
          className={remaining > 0 ? '' : 'hidden'}
        />
      </svg>
      <span className="text-[13px] font-[560] tabular-nums">
        {remainingText}
        <span className="sr-only"> left</span>
      </span>
    </p>
  )
}
