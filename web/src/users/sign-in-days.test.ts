import { expect, test } from 'vitest'
import { groupByWeek, summarize } from './sign-in-days.ts'

const toDays = (...counts: [succeeded: number, failed: number][]) =>
  counts.map(([succeeded, failed], index) => ({
    day: `2026-11-${String(index + 1).padStart(2, '0')}`,
    succeeded,
    failed,
  }))

test('summarizes sign-ins with the last success and the day of most failures', () => {
  expect(summarize(toDays([2, 0], [1, 3], [0, 1])).text).toBe(
    'Sign-ins per day in the last 3 days: 3 succeeded, the last one on 2 Nov; 4 failed, most of them on 2 Nov: 3',
  )
  expect(summarize(toDays([0, 1])).text).toBe('Sign-ins per day in the last 1 days: 0 succeeded; 1 failed')
  expect(summarize(toDays([0, 0])).text).toBe('No sign-ins in the last 1 days')
})

test('groups days by weeks that end today', () => {
  const days = toDays(...Array.from({ length: 9 }, (): [number, number] => [1, 2]))
  expect(groupByWeek(days)).toEqual([
    { from: '2026-11-01', succeeded: 2, failed: 4 },
    { from: '2026-11-03', succeeded: 7, failed: 14 },
  ])
})
