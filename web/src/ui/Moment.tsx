const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

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
  const seconds = (Date.parse(instant) - now) / 1000
  const fitting = units.find(([, length]) => Math.abs(seconds) >= length)
  return fitting ? relative.format(Math.trunc(seconds / fitting[1]), fitting[0]) : 'just now'
}

/** A moment in words, with the exact time for whoever points at it. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {fromNow(at)}
    </time>
  )
}
