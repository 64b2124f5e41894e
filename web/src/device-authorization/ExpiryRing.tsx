import { useNow } from '../ui/use-now.ts'

const radius = 20
const length = 2 * Math.PI * radius

/** How much is left of a time, as a ring and in words. */
export function ExpiryRing({ from, seconds }: { from: number; seconds: number }) {
  const now = useNow()
  const left = Math.max(0, Math.ceil(seconds - (now - from) / 1000))
  const told = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
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
          strokeDashoffset={length * (1 - left / seconds)}
        />
      </svg>
      <span className="tabular-nums">{left > 0 ? `${told} left` : 'over'}</span>
    </p>
  )
}
