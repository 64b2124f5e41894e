const relative = new Intl.RelativeTimeFormat('en-GB')
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** “in 54 minutes, 14:32”, and “expired 2 minutes ago, 14:32” when it is over; the first is s since 1970, the other ms. */
export function countdown(expiresAt: number, now: number): string {
  const seconds = expiresAt - Math.floor(now / 1000)
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  const distance = seconds === 0 ? 'now' : relative.format(Math.trunc(seconds / length), unit)
  return `${seconds > 0 ? '' : 'expired '}${distance}, ${clock.format(expiresAt * 1000)}`
}

/** Day and time of an instant that is told in s since 1970, as claims tell it. */
export const momentOf = (instant: number): string => exact.format(instant * 1000)
