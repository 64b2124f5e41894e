const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const yearFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A deadline further ahead is only a date. */
const maxDistanceDays = 60

/**
 * Formats an instant by its distance: “Now”, “2 min ago”, “3 h ago” (the same day), “Yesterday, 17:40”, “14 Nov”, and
 * with the year if that is another one. A deadline has its date and its distance: “28 Nov, in 6 days”.
 */
export function formatRelative(instant: string, now = Date.now()): string {
  const at = Date.parse(instant)
  return at > now ? formatDeadline(at, now) : formatPast(at, now)
}

function formatPast(at: number, now: number): string {
  const age = now - at
  if (age < minuteMs) return 'Now'
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min ago`
  const days = countDays(at, now)
  if (days === 0) return `${Math.floor(age / hourMs)} h ago`
  if (days === 1) return `Yesterday, ${clockFormat.format(at)}`
  return formatDate(at, now)
}

function formatDeadline(at: number, now: number): string {
  const ahead = at - now
  if (ahead < hourMs) return `In ${Math.ceil(ahead / minuteMs)} min`
  if (ahead < 24 * hourMs) return `In ${Math.round(ahead / hourMs)} h`
  const days = countDays(now, at)
  if (days > maxDistanceDays) return formatDate(at, now)
  return `${formatDate(at, now)}, in ${days === 1 ? '1 day' : `${days} days`}`
}

function formatDate(at: number, now: number): string {
  const isSameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return (isSameYear ? dayFormat : yearFormat).format(at)
}

/** Counts the midnights between two instants, in the time zone of the browser. */
function countDays(from: number, to: number): number {
  const startOfDay = (instant: number) => new Date(instant).setHours(0, 0, 0, 0)
  // Rounded, because a day of a clock change has 23 or 25 hours.
  return Math.round((startOfDay(to) - startOfDay(from)) / (24 * hourMs))
}

interface RelativeTimeProps {
  at: string
  /** Within a sentence: “now” instead of “Now”. */
  inSentence?: true
}

/** An instant by its distance, with the exact instant and its time zone as a tooltip. */
export function RelativeTime({ at, inSentence }: RelativeTimeProps) {
  const text = formatRelative(at)
  return (
    <time dateTime={at} title={exactFormat.format(new Date(at))} className="whitespace-nowrap">
      {inSentence ? lowerFirst(text) : text}
    </time>
  )
}

/** Returns a relative time for the middle of a sentence; month names keep their capital. */
export const lowerFirst = (text: string): string => text.replace(/^(Now|In|Yesterday)/, (word) => word.toLowerCase())
