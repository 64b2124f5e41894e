const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const inWords = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
/** “Next week” may be tomorrow: weeks and more are counted. */
const counted = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' })
/** What was given a week a moment ago has a week. */
const graceSeconds = 60

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', (365 / 12) * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** How long ago, or in how long: “5 minutes ago”; below a minute “just now”. */
export function fromNow(instant: string, now = Date.now()): string {
  const ahead = (Date.parse(instant) - now) / 1000
  const seconds = ahead > graceSeconds ? ahead + graceSeconds : ahead
  const fitting = units.find(([, length]) => Math.abs(seconds) >= length)
  if (!fitting) return 'just now'
  const [unit, length] = fitting
  return (length > 86_400 ? counted : inWords).format(Math.trunc(seconds / length), unit)
}

/** A moment in words, with the exact time for whoever points at it. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {fromNow(at)}
    </time>
  )
}
