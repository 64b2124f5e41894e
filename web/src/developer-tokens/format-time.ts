const relativeFormat = new Intl.RelativeTimeFormat('en-GB')
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/**
 * Formats “in 54 minutes, 14:32”, “in 3 days, 4 May 2026, 14:32”, or “expired 2 minutes ago, …”. `expiresAt` is in seconds
 * since 1970, `now` in milliseconds.
 */
export function formatExpiry(expiresAt: number, now: number): string {
  const seconds = expiresAt - Math.floor(now / 1000)
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  const distance = seconds === 0 ? 'now' : relativeFormat.format(Math.trunc(seconds / length), unit)
  const isToday = new Date(expiresAt * 1000).toDateString() === new Date(now).toDateString()
  return `${seconds > 0 ? '' : 'expired '}${distance}, ${(isToday ? timeFormat : dateFormat).format(expiresAt * 1000)}`
}

/** Formats an instant in seconds since 1970, as in claims: “4 May 2026, 14:32:10”. */
export const formatInstant = (instant: number): string => exactFormat.format(instant * 1000)
