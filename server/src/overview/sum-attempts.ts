import type { Overview } from '@passport/contract/overview'
import type { AttemptRow } from './store.ts'

type SignIns = Overview['signIns']['last7Days']

interface Sums extends Record<keyof Overview['signIns'], SignIns> {
  byDay: Map<string, SignIns & { active: number }>
  /** Most frequent first, then by name. */
  failures: Overview['failures']
}

/** Sums the sign-ins by day and by period, and the failed ones by reason. */
export function sumAttempts(rows: AttemptRow[]): Sums {
  const sum = (summed: AttemptRow[], period: 'count' | keyof Overview['signIns']): SignIns => {
    const sumResult = (isSuccess: boolean) =>
      summed.reduce((total, row) => total + (row.isSuccess === isSuccess ? row[period] : 0), 0)
    return { succeeded: sumResult(true), failed: sumResult(false) }
  }
  const byReason = Map.groupBy(
    rows.filter(({ isSuccess }) => !isSuccess),
    ({ reason }) => reason ?? 'unknown',
  )
  return {
    last24Hours: sum(rows, 'last24Hours'),
    last7Days: sum(rows, 'last7Days'),
    previous7Days: sum(rows, 'previous7Days'),
    byDay: new Map(
      [...Map.groupBy(rows, ({ day }) => day)].map(([day, ofDay]) => [
        day,
        { ...sum(ofDay, 'count'), active: ofDay.find(({ isSuccess }) => isSuccess)?.users ?? 0 },
      ]),
    ),
    failures: [...byReason]
      .map(([reason, ofReason]) => ({ reason, count: sum(ofReason, 'count').failed }))
      .toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
  }
}
