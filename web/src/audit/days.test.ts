import { expect, test } from 'vitest'
import { daysAgo, describeDays, fillDays, findPeriod, formatPeriod, parseDay } from './days.ts'

const now = new Date(2026, 10, 23, 12)

test.for([
  [{}, '2026-10-25', '2026-11-23'],
  [{ from: '2026-11-20' }, '2026-11-20', '2026-11-23'],
  [{ to: '2026-03-01' }, '2026-01-31', '2026-03-01'],
  [{ from: '2026-02-27', to: '2026-03-01' }, '2026-02-27', '2026-03-01'],
  [{ from: '2020-01-01', to: '2026-11-23' }, '2026-08-24', '2026-11-23'],
  [{ from: '2027-01-05' }, '2027-01-05', '2027-01-05'],
] as const)('the period of %j is from %s to %s', ([filter, first, last]) => {
  expect(findPeriod(filter, now)).toEqual({ first, last })
})

test('fills days without events, over the end of a month', () => {
  const days = fillDays({ first: '2026-02-27', last: '2026-03-02' }, [{ day: '2026-03-01', events: 3, failed: 1 }])
  expect(days.map(({ day, events }) => [day, events])).toEqual([
    ['2026-02-27', 0],
    ['2026-02-28', 0],
    ['2026-03-01', 3],
    ['2026-03-02', 0],
  ])
  expect(fillDays({ first: '2020-01-01', last: '2026-01-01' }, [])).toHaveLength(92)
  expect(daysAgo(23, now)).toBe('2026-10-31')
})

test.for([
  ['2026-11-21', '2026-11-21'],
  ['2026-1-5', '2026-01-05'],
  [' 21 Nov 2026 ', '2026-11-21'],
  ['21 november', '2026-11-21'],
  ['21.11.2026', '2026-11-21'],
  ['21/11/2026', '2026-11-21'],
  ['31 Feb 2026', undefined],
  ['11/21/2026', undefined],
  ['yesterday', undefined],
  ['', undefined],
] as const)('%s is the day %s', ([text, day]) => {
  expect(parseDay(text, now)).toBe(day)
})

test.for([
  ['2026-11-21', '2026-11-21', '21 Nov 2026'],
  ['2026-11-01', '2026-11-21', '1 Nov 2026 – 21 Nov 2026'],
  ['2026-11-01', undefined, 'Since 1 Nov 2026'],
  [undefined, '2026-11-21', 'Until 21 Nov 2026'],
] as const)('from %s to %s is “%s”', ([from, to, text]) => {
  expect(formatPeriod(from, to)).toBe(text)
})

test('describes the total, the failures and the day with most events', () => {
  const days = fillDays({ first: '2026-11-20', last: '2026-11-22' }, [
    { day: '2026-11-20', events: 1000, failed: 2 },
    { day: '2026-11-21', events: 1500, failed: 5 },
  ])
  expect(describeDays(days)).toBe(
    '2,500 events from 20 Nov to 22 Nov, 7 of them failed sign-ins. Most on 21 Nov: 1,500.',
  )
  expect(describeDays(fillDays({ first: '2026-11-20', last: '2026-11-22' }, []))).toBe('No events in this period.')
})
