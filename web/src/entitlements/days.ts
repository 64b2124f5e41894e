/* Days of the browser's time zone, such as `2026-11-22`. Grants begin and end at midnight. */

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const hourFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Returns the day of an instant. */
export function toDay(instant: Date | string | number): string {
  const date = new Date(instant)
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** Returns the midnight at which a day begins; undefined for a text that is not a day. */
export function startOfDay(day: string): Date | undefined {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00`) : undefined
  return midnight && toDay(midnight) === day ? midnight : undefined
}

/** Returns the midnight some days after that of an instant, also across a change of the clocks. */
export function addDays(instant: Date, days: number): Date {
  return new Date(instant.getFullYear(), instant.getMonth(), instant.getDate() + days)
}

/** Counts the midnights between two instants. */
export const countDays = (from: Date, to: Date): number =>
  Math.round((addDays(to, 0).getTime() - addDays(from, 0).getTime()) / 86_400_000)

/** Formats a day: “22 Nov 2026”. */
export const formatDate = (instant: Date | string): string => dayFormat.format(new Date(instant))

/** Formats the hour that begins at an instant: “22 Nov 2026, 14:00–15:00”. */
export function formatHour(instant: string): string {
  const start = new Date(instant)
  return `${hourFormat.format(start)}–${clockFormat.format(start.getTime() + 3_600_000)}`
}

/** Formats a period: “1 Mar 2026 – 1 Mar 2027”. */
export const formatPeriod = (startsAt: string, endsAt: string | null): string =>
  `${formatDate(startsAt)} – ${endsAt ? formatDate(endsAt) : 'no end'}`

/** The moment whose grants are shown. */
export interface Moment {
  instant: Date
  label: string
}

/**
 * Reads the moment of a URL: a day, which stands for its end, or an instant. Undefined stands for now, as today does.
 */
export function parseMoment(text: unknown, now = new Date()): Moment | undefined {
  if (typeof text !== 'string' || text === toDay(now)) return undefined
  const midnight = startOfDay(text)
  if (midnight) return { instant: new Date(addDays(midnight, 1).getTime() - 1), label: formatDate(midnight) }
  const instant = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : new Date(Number.NaN)
  return Number.isNaN(instant.getTime()) ? undefined : { instant, label: exactFormat.format(instant) }
}
