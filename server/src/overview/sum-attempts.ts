import type { Overview } from '@passport/contract/overview'
import type { AttemptRow } from './store.ts'

type SignIns = Overview['signIns']['last7Days']

interface Sums extends Record<keyof Overview['signIns'], SignIns> {
  byDay: Map<string, SignIns & { active: number }>
  /** Most frequent first, then by name. */
  failures: Overview['failures']
}

/** Adds up the sign-ins by day, by period, and the failed ones by reason. */
export function sumAttempts(rows: AttemptRow[]): Sums {
  const sumOf = (some: AttemptRow[], period: 'count' | keyof Overview['signIns']): SignIns => {
    const sum = (isSuccess: boolean) =>
      some.reduce((total, row) => total + (row.isSuccess === isSuccess ? row[period] : 0), 0)
    return { succeeded: sum(true), failed: sum(false) }
  }
  const byReason = Map.groupBy(
    rows.filter(({ isSuccess }) => !isSuccess),
    ({ reason }) => reason ?? 'unknown',
  )
  return {
    last24Hours: sumOf(rows, 'last24Hours'),
    last7Days: sumOf(rows, 'last7Days'),
    previous7Days: sumOf(rows, 'previous7Days'),
    byDay: new Map(
      [...Map.groupBy(rows, ({ day }) => day)].map(([day, some]) => [
        day,
        { ...sumOf(some, 'count'), active: some.find(({ isSuccess }) => isSuccess)?.users ?? 0 },
      ]),
    ),
    failures: [...byReason]
      .map(([reason, some]) => ({ reason, count: sumOf(some, 'count').failed }))
      .toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
  }
}
