import { type AuditDay, maxAuditDays } from '@passport/contract/audit'

const dayMs = 24 * 60 * 60 * 1000
/** The days that are drawn without a filter by time. */
const defaultDays = 30

/** The first and last day of a chart, as `2026-11-21`. */
export interface Period {
  first: string
  last: string
}

/** Returns the drawn days: those of the filter, or the last 30; at most the last 92 of them. */
export function findPeriod({ from, to }: { from?: string; to?: string }, now = new Date()): Period {
  const today = formatDate(now)
  const last = to ?? (from && from > today ? from : today)
  const wanted = from ?? addDays(last, 1 - defaultDays)
  const earliest = addDays(last, 1 - maxAuditDays)
  return { first: wanted > earliest ? wanted : earliest, last }
}

/** Returns every day of the period, with zeros for those without events. */
export function fillDays({ first, last }: Period, counted: AuditDay[]): AuditDay[] {
  const byDay = new Map(counted.map((day) => [day.day, day]))
  const days: AuditDay[] = []
  for (let day = first; day <= last && days.length < maxAuditDays; day = addDays(day, 1))
    days.push(byDay.get(day) ?? { day, events: 0, failed: 0 })
  return days
}

/** Formats the local date as `2026-11-21`. */
function formatDate(date: Date): string {
  const pad = (part: number, length = 2) => String(part).padStart(length, '0')
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

/** Counts in UTC, where all days have 24 hours. */
function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the day so many days before today, as `2026-11-21`. */
export const daysAgo = (days: number, now = new Date()): string => addDays(formatDate(now), -days)

const shortFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const longFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Formats a day: “21 Nov”, with the year if it is asked for: “21 Nov 2026”. */
export const formatDayName = (day: string, hasYear = false): string =>
  (hasYear ? longFormat : shortFormat).format(Date.parse(`${day}T00:00:00Z`))

/** Formats the chosen days: “21 Nov 2026”, “1 Nov 2026 – 21 Nov 2026”, “since …”, “until …”. */
export function formatPeriod(from: string | undefined, to: string | undefined): string {
  if (from && from === to) return formatDayName(from, true)
  if (from && to) return `${formatDayName(from, true)} – ${formatDayName(to, true)}`
  return from ? `Since ${formatDayName(from, true)}` : `Until ${formatDayName(to ?? '', true)}`
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Parses a typed day: `2026-11-21`, `21 Nov 2026`, `21.11.2026`, or without a year; undefined for anything else. */
export function parseDay(text: string, now = new Date()): string | undefined {
  const trimmed = text.trim().toLowerCase()
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(trimmed)
  const dayFirst = /^(\d{1,2})[./ ]+(\d{1,2}|[a-z]{3,9})\.?(?:[./ ]+(\d{4}))?$/.exec(trimmed)
  if (iso) return toDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  if (!dayFirst) return undefined
  const [, date, month = '', year] = dayFirst
  const monthNumber = /^\d/.test(month) ? Number(month) : months.indexOf(month.slice(0, 3)) + 1
  return toDay(year ? Number(year) : now.getFullYear(), monthNumber, Number(date))
}

/** Returns undefined for a day that no calendar has. */
function toDay(year: number, month: number, date: number): string | undefined {
  const day = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? day : undefined
}

/** Says what the chart shows, for those who do not see it. */
export function describeDays(days: AuditDay[]): string {
  const total = sum(days, 'events')
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || total === 0) return 'No events in this period.'
  const most = days.reduce((best, day) => (day.events > best.events ? day : best))
  const failed = sum(days, 'failed')
  return `${formatCount(total)} events from ${formatDayName(first.day)} to ${formatDayName(last.day)}, ${formatCount(failed)} of them failed sign-ins. Most on ${formatDayName(most.day)}: ${formatCount(most.events)}.`
}

export const sum = (days: AuditDay[], name: 'events' | 'failed'): number =>
  days.reduce((total, day) => total + day[name], 0)

const number = new Intl.NumberFormat('en')
export const formatCount = (count: number): string => number.format(count)
