import type { UserSignIns } from '@passport/contract/users'
import type { DayCount } from '../ui/DayChart.tsx'
import { formatDay } from '../ui/format-day.ts'

/** Describes sign-ins as a sentence: the totals, the last success, and the day with most failures. */
export function describeSignIns(days: UserSignIns['days']): string {
  const succeeded = days.reduce((total, day) => total + day.succeeded, 0)
  const failed = days.reduce((total, day) => total + day.failed, 0)
  if (succeeded + failed === 0) return `No sign-ins in the last ${days.length} days`
  const last = days.findLast((day) => day.succeeded > 0)
  const worst = days.reduce((most, day) => (day.failed > most.failed ? day : most))
  const parts = [
    `${succeeded} succeeded${last ? `, the last one on ${formatDay(last.day)}` : ''}`,
    `${failed} failed${worst.failed > 1 ? `, most of them on ${formatDay(worst.day)}: ${worst.failed}` : ''}`,
  ]
  return `Sign-ins per day in the last ${days.length} days: ${parts.join('; ')}`
}

/** Returns the totals of each week by its first day. The last week ends today; the first one may be shorter. */
export function groupByWeek(days: DayCount[]): DayCount[] {
  const weeks = Map.groupBy(days, (_, index) => Math.floor((days.length - 1 - index) / 7))
  return [...weeks.values()].map(([first, ...others]) =>
    others.reduce(
      ({ day, count, failed }, next) => ({ day, count: count + next.count, failed: failed + next.failed }),
      first as DayCount,
    ),
  )
}
