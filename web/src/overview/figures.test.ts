import { expect, test } from 'vitest'
import { formatDay } from '../ui/format-day.ts'
import { compareCounts, compareFailures, computeFailureShare, findSpike, formatShare } from './figures.ts'

test('compares counts without a tone', () => {
  expect(compareCounts(110, 100)).toEqual({ text: '+10.0%' })
  expect(compareCounts(89, 100)).toEqual({ text: '−11.0%' })
  expect(compareCounts(100, 100)).toEqual({ text: '±0.0%' })
  expect(compareCounts(5, 0)).toBeUndefined()
})

test('compares shares of failures in percentage points; a higher share is bad, a lower one good', () => {
  const before = { succeeded: 95, failed: 5 }
  expect(compareFailures({ succeeded: 90, failed: 10 }, before)).toEqual({ text: '+5.0 pt', tone: 'bad' })
  expect(compareFailures({ succeeded: 98, failed: 2 }, before)).toEqual({ text: '−3.0 pt', tone: 'ok' })
  expect(compareFailures(before, before)).toEqual({ text: '±0.0 pt' })
  expect(compareFailures({ succeeded: 0, failed: 0 }, before)).toBeUndefined()
  expect(compareFailures(before, { succeeded: 0, failed: 0 })).toBeUndefined()
})

test('a day without sign-ins has no failures', () => {
  expect(computeFailureShare({ succeeded: 3, failed: 1 })).toBe(0.25)
  expect(computeFailureShare({ succeeded: 0, failed: 0 })).toBe(0)
})

test('formats shares and days', () => {
  expect([formatShare(1, 3), formatShare(0, 5), formatShare(0, 0)]).toEqual(['33.3%', '0.0%', '–'])
  expect(formatDay('2026-11-04')).toBe('4 Nov')
})

test('finds a day with unusually many failures', () => {
  const days = (...failed: number[]) =>
    failed.map((count, index) => ({ day: `2026-11-0${index + 1}`, succeeded: 9, failed: count, active: 9, created: 0 }))
  expect(findSpike(days(5, 4, 40, 5, 6))?.day).toBe('2026-11-03')
  expect(findSpike(days(5, 4, 9, 5, 6))).toBeUndefined()
  expect(findSpike(days(0, 0, 9, 0))).toBeUndefined()
  expect(findSpike([])).toBeUndefined()
})
