import type { ActivityHour } from '@passport/contract/health'
import { expect, test } from 'vitest'
import { toPeriods } from './periods.ts'

const buildHour = (hour: string, count: number, sessions: number | null): ActivityHour => ({
  hour,
  requests: count,
  errors: 1,
  p95Ms: 2,
  signIns: { succeeded: count, failed: 2 },
  tokens: 3,
  sessions,
})
const hours = [
  buildHour('2026-11-26T22:00:00.000Z', 1, null),
  buildHour('2026-11-26T23:00:00.000Z', 2, null),
  buildHour('2026-11-27T00:00:00.000Z', 4, 9),
  buildHour('2026-11-27T01:00:00.000Z', 8, 7),
]

test('days have the sums of their hours, and the largest number of sessions', () => {
  expect(toPeriods(hours, 'day')).toEqual([
    { key: '2026-11-26', requests: 3, errors: 2, signIns: { succeeded: 3, failed: 4 }, tokens: 6, sessions: null },
    { key: '2026-11-27', requests: 12, errors: 2, signIns: { succeeded: 12, failed: 4 }, tokens: 6, sessions: 9 },
  ])
})

test('hours stay as they are', () => {
  expect(toPeriods(hours, 'hour').map(({ key, tokens }) => [key, tokens])).toEqual(hours.map(({ hour }) => [hour, 3]))
})
