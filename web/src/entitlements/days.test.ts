import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays, countDays, formatHour, parseMoment, startOfDay, toDay } from './days.ts'

const now = new Date(2026, 10, 22, 15)
const anyDate = fc.date({ min: new Date(1990, 0, 1), max: new Date(2100, 0, 1), noInvalidDate: true })

test('the day of a midnight is the day that it begins', () => {
  fc.assert(
    fc.property(anyDate, (date) => {
      const day = toDay(date)
      expect(toDay(startOfDay(day) ?? 0)).toBe(day)
    }),
  )
})

test('days are counted across changes of the clocks', () => {
  fc.assert(
    fc.property(anyDate, fc.integer({ min: -800, max: 800 }), (date, days) => {
      expect(countDays(date, addDays(date, days))).toBe(days || 0)
    }),
  )
})

test.for(['2026-02-30', '2026-1-1', 'yesterday', '', '2026-13-01'])('%j is not a day', (text) => {
  expect(startOfDay(text)).toBeUndefined()
  expect(parseMoment(text, now)).toBeUndefined()
})

test('a day stands for its end, an instant for itself, and today for now', () => {
  expect(parseMoment('2026-11-20', now)).toEqual({
    instant: new Date(2026, 10, 20, 23, 59, 59, 999),
    label: '20 Nov 2026',
  })
  const instant = new Date(2026, 10, 20, 9, 30).toISOString()
  expect(parseMoment(instant, now)).toEqual({ instant: new Date(instant), label: '20 Nov 2026, 09:30:00' })
  expect(parseMoment('2026-11-22', now)).toBeUndefined()
  expect(parseMoment(undefined, now)).toBeUndefined()
})

test('an hour has its day, its beginning and its end', () => {
  expect(formatHour(new Date(2026, 10, 22, 23).toISOString())).toBe('22 Nov 2026, 23:00–00:00')
})
