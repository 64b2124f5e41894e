import { render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fromNow, Moment } from './Moment.tsx'

const now = Date.parse('2025-06-15T12:00:00Z')
const [minute, hour, day] = [60, 3600, 86_400]
const after = (seconds: number) => fromNow(new Date(now + seconds * 1000).toISOString(), now)
/** In the language of the machine, as the app says it. */
const said = (count: number, unit: Intl.RelativeTimeFormatUnit) =>
  new Intl.RelativeTimeFormat(undefined, { numeric: /day|hour|minute/.test(unit) ? 'auto' : 'always' }).format(
    count,
    unit,
  )

test.for([0, 1, -1, 59, -59])('%i s from now is just now', (seconds) => {
  expect(after(seconds)).toBe('just now')
})

test.for([
  [-minute, -1, 'minute'],
  [-119, -1, 'minute'],
  [-5 * minute, -5, 'minute'],
  [hour - 61, 59, 'minute'],
  [hour - 1, 1, 'hour'],
  [7 * day - 2, 1, 'week'],
  [7 * day - 61, 6, 'day'],
  [61, 2, 'minute'],
  [-hour + 1, -59, 'minute'],
  [-hour, -1, 'hour'],
  [54 * minute, 55, 'minute'],
  [-day + 1, -23, 'hour'],
  [-day, -1, 'day'],
  [day, 1, 'day'],
  [-7 * day + 1, -6, 'day'],
  [-7 * day, -1, 'week'],
  [-29 * day, -4, 'week'],
  [-31 * day, -1, 'month'],
  [-364 * day, -11, 'month'],
  [-365 * day, -1, 'year'],
  [-800 * day, -2, 'year'],
] as const)('%i s from now is %i %s', ([seconds, count, unit]) => {
  expect(after(seconds)).toBe(said(count, unit))
})

test('what is longer ago never sounds shorter', () => {
  const largest = { minute: 59, hour: 23, day: 6, week: 4, month: 11, year: 200 }
  const inOrder = Object.entries(largest).flatMap(([unit, most]) =>
    Array.from({ length: most }, (_, at) => said(-1 - at, unit as Intl.RelativeTimeFormatUnit)),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 100 * 365 * day }),
      fc.integer({ min: 0, max: 40 * day }),
      (seconds, more) => {
        const [one, other] = [after(-seconds), after(-seconds - more)].map((text) => inOrder.indexOf(text))
        expect(one).toBeGreaterThanOrEqual(0)
        expect(other).toBeGreaterThanOrEqual(one ?? 0)
      },
    ),
  )
})

describe('a moment', () => {
  beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('says how long ago it was, and has the exact time for machines and for whoever points at it', () => {
    render(<Moment at="2025-06-15T11:55:00Z" />)
    const time = screen.getByText(said(-5, 'minute'))
    expect(time.getAttribute('datetime')).toBe('2025-06-15T11:55:00Z')
    expect(time.title).toContain('2025')
    expect(time.title).toContain('55')
  })
})
