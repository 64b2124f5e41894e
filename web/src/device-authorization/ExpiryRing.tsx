import { useNow } from '../ui/use-now.ts'

const radius = 20
const length = 2 * Math.PI * radius

/** The remaining time, as a ring and in words. */
export function ExpiryRing({ startedAt, seconds }: { startedAt: number; seconds: number }) {
  const now = useNow()
  const remaining = Math.max(0, Math.ceil(seconds - (now - startedAt) / 1000))
  const remainingText = `${Math.floor(remaining / 60)}:${String(remaining % 60).padStart(2, '0')}`
  return (
    <p className="flex items-center gap-2.5 text-ink2" role="timer">
      <svg viewBox="0 0 48 48" aria-hidden="true" className="size-9 -rotate-90">
        <circle cx="24" cy="24" r={radius} fill="none" stroke="var(--line)" strokeWidth="5" />
        <circle
          cx="24"
          cy="24"
          r={radius}
          fill="none"
          stroke="var(--stamp)"
          strokeWidth="5"
          strokeDasharray={length}
          strokeDashoffset={length * (1 - remaining / seconds)}
        />
      </svg>
      <span className="tabular-nums">{remaining > 0 ? `${remainingText} left` : 'Expired'}</span>
    </p>
  )
}
