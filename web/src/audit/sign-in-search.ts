import type { AuditFilter, SignInCounts } from '@passport/contract/audit'
import { formatDay } from '../ui/format-day.ts'
import { startOfDay } from './audit-search.ts'

/** The filters of the sign-in log as in the URL: a day as `2026-11-21`, or an instant as `2026-11-21T14:30Z`. */
export interface SignInSearch {
  result?: string
  provider?: string
  client?: string
  reason?: string
  actor?: string
  /** Inclusive. */
  from?: string
  /** A day is inclusive, an instant is exclusive. */
  to?: string
}

const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\dZ)?$/
const shapes: Record<keyof SignInSearch, RegExp> = {
  result: /^(?:succeeded|failed)$/,
  provider: /./,
  client: /./,
  reason: /^[a-z_-]+$/,
  actor: /./,
  from: time,
  to: time,
}

/** Parses the filters of a URL; values that the call would reject are dropped. */
export function parseSignInSearch(params: Record<string, unknown>): SignInSearch {
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const value = params[name]
      return typeof value === 'string' && shape.test(value) ? [[name, value]] : []
    }),
  )
}

type Filter = Pick<AuditFilter, 'provider' | 'client' | 'reason' | 'actor' | 'from' | 'to'> & {
  signIns: NonNullable<AuditFilter['signIns']>
}

/** Converts the filters for the calls; days are of the local time. */
export function toSignInFilter({ result, from, to, ...rest }: SignInSearch): Filter {
  const [start, end] = [toInstant(from, 0), toInstant(to, 1)]
  const signIns = (result as Filter['signIns'] | undefined) ?? 'any'
  return { ...rest, signIns, ...(start && { from: start }), ...(end && { to: end }) }
}

function toInstant(text: string | undefined, offsetDays: number): string | undefined {
  if (!text?.includes('T')) return startOfDay(text, offsetDays)
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** Formats an instant for the URL, to the minute. */
export const toSearchTime = (instant: string): string => `${new Date(instant).toISOString().slice(0, 16)}Z`

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** Returns the format of the starts of steps: the day, or the time of the day. */
export const toStepFormat =
  (step: SignInCounts['step']) =>
  (at: string): string =>
    at === '' ? '' : step === 'day' ? formatDay(toLocalDay(at)) : dayAndClock.format(new Date(at))

/** Returns the local date of an instant, as `2026-11-21`. */
function toLocalDay(instant: string): string {
  const at = new Date(instant)
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

/** Formats the filter by time: “21 Nov, 14:00 – 15:00”, “Since 1 Nov”. */
export function formatTimeRange({ from, to }: Pick<SignInSearch, 'from' | 'to'>): string {
  const format = (text: string) => (text.includes('T') ? dayAndClock.format(new Date(text)) : formatDay(text))
  if (from && from === to) return format(from)
  if (from?.includes('T') && to?.includes('T') && toLocalDay(from) === toLocalDay(to))
    return `${format(from)} – ${clock.format(new Date(to))}`
  if (from && to) return `${format(from)} – ${format(to)}`
  return from ? `Since ${format(from)}` : `Until ${format(to ?? '')}`
}

/** Describes the counts as sentences: the totals, and the step with most failures. */
export function describeCounts({ buckets, step }: Pick<SignInCounts, 'buckets' | 'step'>): string {
  const sum = (name: 'succeeded' | 'failed') => buckets.reduce((total, bucket) => total + bucket[name], 0)
  const [succeeded, failed] = [sum('succeeded'), sum('failed')]
  if (succeeded + failed === 0) return 'No sign-ins in this period.'
  const format = toStepFormat(step)
  const worst = buckets.reduce((best, bucket) => (bucket.failed > best.failed ? bucket : best))
  const most = failed > 0 ? ` Most failures: ${worst.failed.toLocaleString('en')}, ${format(worst.at)}.` : ''
  return `${succeeded.toLocaleString('en')} sign-ins succeeded and ${failed.toLocaleString('en')} failed.${most}`
}
