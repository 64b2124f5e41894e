import type { Overview } from '@passport/contract/overview'

const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
const decimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

export const formatNumber = (value: number): string => number.format(value)

/** Formats a part of a whole: “4.1%”; a dash without a whole. */
export const formatShare = (part: number, whole: number): string => (whole === 0 ? '–' : percent.format(part / whole))

/** A difference from an earlier period. Its tone is good, bad, or undefined if neither. */
export interface Trend {
  text: string
  tone?: 'ok' | 'bad'
}

/** Compares a count with that of an earlier period; undefined without an earlier one. */
export function compareCounts(now: number, before: number): Trend | undefined {
  if (before === 0) return undefined
  const change = Math.round((now / before - 1) * 1000) / 10
  return { text: formatChange(change, '%') }
}

type SignIns = Overview['signIns']['last7Days']

/** Returns the share of failed sign-ins, from 0 to 1; 0 without sign-ins. */
export const computeFailureShare = ({ succeeded, failed }: SignIns): number => failed / Math.max(1, succeeded + failed)

/** Compares the shares of failed sign-ins in percentage points: more of them is bad. */
export function compareFailures(now: SignIns, before: SignIns): Trend | undefined {
  if (now.succeeded + now.failed === 0 || before.succeeded + before.failed === 0) return undefined
  const points = Math.round((computeFailureShare(now) - computeFailureShare(before)) * 1000) / 10
  return { text: formatChange(points, ' pt'), ...(points !== 0 && { tone: points > 0 ? 'bad' : 'ok' }) }
}

/** Formats a signed change with its unit and the typographic minus sign. */
const formatChange = (change: number, unit: string) =>
  `${change > 0 ? '+' : change < 0 ? '−' : '±'}${decimal.format(Math.abs(change))}${unit}`

/** Returns the newest day with at least ten failures, and at least three times as many as on the median day. */
export function findSpike<Day extends Pick<Overview['days'][number], 'failed'>>(days: Day[]): Day | undefined {
  const sorted = days.map(({ failed }) => failed).toSorted((a, b) => a - b)
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 0
  return days.findLast(({ failed }) => failed >= 10 && failed >= usual * 3)
}
