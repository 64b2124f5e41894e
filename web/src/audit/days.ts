import { type AuditDay, maxAuditDays } from '@passport/contract/audit'
import { formatDay } from '../ui/format-day.ts'

const dayMs = 24 * 60 * 60 * 1000
/** The number of days in the chart without a filter by date. */
const defaultDays = 30

/** The first and last day of a chart, as `2026-11-21`. */
export interface Period {
  first: string
  last: string
}

/** Returns the period of the chart: that of the filter, or the last 30 days; at most its last 92 days. */
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

/** Adds days in UTC, where every day has 24 hours. */
function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the date a number of days before today, as `2026-11-21`. */
export const daysAgo = (days: number, now = new Date()): string => addDays(formatDate(now), -days)

/** Formats a filter by date: “21 Nov 2026”, “1 Nov 2026 – 21 Nov 2026”, “Since …”, “Until …”. */
export function formatPeriod(from: string | undefined, to: string | undefined): string {
  if (from && from === to) return formatDay(from, true)
  if (from && to) return `${formatDay(from, true)} – ${formatDay(to, true)}`
  return from ? `Since ${formatDay(from, true)}` : `Until ${formatDay(to ?? '', true)}`
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Parses a typed date: `2026-11-21`, `21 Nov 2026`, `21.11.2026`, or without the current year; undefined for anything else. */
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

/** Returns undefined for a date that does not exist, such as 31 February. */
function toDay(year: number, month: number, date: number): string | undefined {
  const day = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? day : undefined
}

/** Describes the events of a period as sentences: the totals, and the day with most events. */
export function describeDays(days: AuditDay[]): string {
  const total = sum(days, 'events')
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || total === 0) return 'No events in this period.'
  const most = days.reduce((best, day) => (day.events > best.events ? day : best))
  const failed = sum(days, 'failed')
  return `${formatCount(total)} events from ${formatDay(first.day)} to ${formatDay(last.day)}, ${formatCount(failed)} of them failed sign-ins. Most on ${formatDay(most.day)}: ${formatCount(most.events)}.`
}

const sum = (days: AuditDay[], name: 'events' | 'failed'): number => days.reduce((total, day) => total + day[name], 0)

const number = new Intl.NumberFormat('en')
export const formatCount = (count: number): string => number.format(count)
