import { expect, test } from 'vitest'
import { describeSignIns, groupByWeek } from './sign-in-days.ts'

const toDays = (...counts: [succeeded: number, failed: number][]) =>
  counts.map(([succeeded, failed], index) => ({
    day: `2026-11-${String(index + 1).padStart(2, '0')}`,
    succeeded,
    failed,
  }))

test('describes sign-ins with the last success and the day of most failures', () => {
  expect(describeSignIns(toDays([2, 0], [1, 3], [0, 1]))).toBe(
    'Sign-ins per day in the last 3 days: 3 succeeded, the last one on 2 Nov; 4 failed, most of them on 2 Nov: 3',
  )
  expect(describeSignIns(toDays([0, 1]))).toBe('Sign-ins per day in the last 1 days: 0 succeeded; 1 failed')
  expect(describeSignIns(toDays([0, 0]))).toBe('No sign-ins in the last 1 days')
})

test('groups days by weeks that end today', () => {
  const days = Array.from({ length: 9 }, (_, index) => ({ day: `2026-11-0${index + 1}`, count: 1, failed: 2 }))
  expect(groupByWeek(days)).toEqual([
    { day: '2026-11-01', count: 2, failed: 4 },
    { day: '2026-11-03', count: 7, failed: 14 },
  ])
})
