import type { UserSignIns } from '@passport/contract/users'

type Day = UserSignIns['days'][number]

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Formats a day in UTC: “23 Nov”. */
export const formatDay = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`))

/** Returns the totals, and the conclusion as a sentence: what happened, when last, and the day with most failures. */
export function summarize(days: Day[]): { succeeded: number; failed: number; text: string } {
  const { succeeded, failed } = sum(days)
  if (succeeded + failed === 0) return { succeeded, failed, text: `No sign-ins in the last ${days.length} days` }
  const last = days.findLast((day) => day.succeeded > 0)
  const worst = days.reduce((most, day) => (day.failed > most.failed ? day : most))
  const parts = [
    `${succeeded} succeeded${last ? `, the last one on ${formatDay(last.day)}` : ''}`,
    `${failed} failed${worst.failed > 1 ? `, most of them on ${formatDay(worst.day)}: ${worst.failed}` : ''}`,
  ]
  return { succeeded, failed, text: `Sign-ins per day in the last ${days.length} days: ${parts.join('; ')}` }
}

/** Returns the totals of each week, the current one last; the first one may be shorter. */
export function groupByWeek(days: Day[]): { from: string; succeeded: number; failed: number }[] {
  const weeks = Map.groupBy(days, (_, index) => Math.floor((days.length - 1 - index) / 7))
  return [...weeks.values()].map((week) => ({ from: week[0]?.day ?? '', ...sum(week) }))
}

const sum = (days: Day[]) =>
  days.reduce(
    (total, { succeeded, failed }) => ({ succeeded: total.succeeded + succeeded, failed: total.failed + failed }),
    { succeeded: 0, failed: 0 },
  )
