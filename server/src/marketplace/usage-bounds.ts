const hourMs = 60 * 60 * 1000

/**
 * Returns the earliest time of usage that AWS accepts: 24 hours ago, but not in the month before from 06:00 UTC of the
 * first day of a month.
 */
export function earliestAccepted(nowMs: number): string {
  const now = new Date(nowMs)
  const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const dayAgo = nowMs - 24 * hourMs
  return new Date(nowMs >= monthStart + 6 * hourMs ? Math.max(dayAgo, monthStart) : dayAgo).toISOString()
}
