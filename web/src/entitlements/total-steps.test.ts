import { expect, test } from 'vitest'
import { choosePeriod, clipPoints, drawSteps, findTop, toShare, totalAt } from './total-steps.ts'

const now = new Date(2026, 10, 22)
const points = [
  { at: new Date(2026, 0, 1).toISOString(), total: 300 },
  { at: new Date(2026, 5, 1).toISOString(), total: 615 },
]
const day = (month: number, date = 1, year = 2026) => new Date(year, month, date)

test('an old definition is shown with ten months before the current one, and the next', () => {
  expect(choosePeriod(day(0, 1, 2020), now)).toEqual({ from: day(0), to: day(0, 1, 2027) })
})

test('a new definition is shown with the month before it, and what is scheduled', () => {
  expect(choosePeriod(day(10, 20), now)).toEqual({ from: day(9), to: day(9, 1, 2027) })
})

test('a chosen instant outside of the months is in the middle of those that are shown', () => {
  const period = choosePeriod(day(10, 20), now, day(4, 1, 2024))
  expect(period).toEqual({ from: day(10, 1, 2023), to: day(10, 1, 2024) })
  expect(toShare(period, day(4, 1, 2024))).toBeCloseTo(0.5, 1)
})

test('the total is that of the last point, and 0 before the first', () => {
  expect(totalAt(points, day(4))).toBe(300)
  expect(totalAt(points, day(5))).toBe(615)
  expect(totalAt(points, day(0, 1, 2025))).toBe(0)
})

test('a period begins with the total at its start', () => {
  expect(clipPoints(points, { from: day(2), to: day(2, 1, 2027) }).map(({ total }) => total)).toEqual([300, 615])
  expect(clipPoints(points, { from: day(7), to: day(7, 1, 2027) })).toEqual([{ at: day(7), total: 615 }])
})

test('the steps are drawn from the total at the start to the end, on an axis up to a round number', () => {
  const period = { from: day(0), to: day(0, 1, 2027) }
  expect(findTop(points, period)).toBe(800)
  expect(drawSteps(points, period, period)).toMatch(/^M0 78.75H\d+(\.\d+)?V29.14H1000$/)
})
