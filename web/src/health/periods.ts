import type { ActivityHour } from '@passport/contract/health'

/** The activity of an hour, or of a day in UTC. */
export type Period = Pick<ActivityHour, 'signIns' | 'tokens' | 'sessions' | 'requests' | 'errors'> & {
  /** The start of the hour, or a date. */
  key: string
}

/** Returns the periods of a chart, oldest first: the hours, or the days of many of them. */
export function toPeriods(hours: ActivityHour[], by: 'hour' | 'day'): Period[] {
  if (by === 'hour') return hours.map(({ hour, ...sums }) => ({ key: hour, ...sums }))
  return [...Map.groupBy(hours, ({ hour }) => hour.slice(0, 10))].map(([key, ofDay]) => {
    const sum = (read: (hour: ActivityHour) => number) => ofDay.reduce((total, hour) => total + read(hour), 0)
    const sessions = ofDay.flatMap((hour) => hour.sessions ?? [])
    return {
      key,
      signIns: { succeeded: sum(({ signIns }) => signIns.succeeded), failed: sum(({ signIns }) => signIns.failed) },
      tokens: sum(({ tokens }) => tokens),
      sessions: sessions.length > 0 ? Math.max(...sessions) : null,
      requests: sum(({ requests }) => requests),
      errors: sum(({ errors }) => errors),
    }
  })
}
