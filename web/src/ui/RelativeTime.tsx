const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const autoFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
/** Used for weeks and longer, because “next week” could mean tomorrow. */
const numericFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' })
/** Added to times further ahead than this, so that a time one week ahead still reads “in 1 week” a moment later. */
const graceSeconds = 60

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', (365 / 12) * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Formats a relative time, such as “5 minutes ago”; under a minute, “just now”. */
export function formatRelative(instant: string, now = Date.now()): string {
  const secondsAhead = (Date.parse(instant) - now) / 1000
  const seconds = secondsAhead > graceSeconds ? secondsAhead + graceSeconds : secondsAhead
  const match = units.find(([, length]) => Math.abs(seconds) >= length)
  if (!match) return 'just now'
  const [unit, length] = match
  return (length > 86_400 ? numericFormat : autoFormat).format(Math.trunc(seconds / length), unit)
}

/** A relative time with the exact time as a tooltip. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactFormat.format(new Date(at))}>
      {formatRelative(at)}
    </time>
  )
}
