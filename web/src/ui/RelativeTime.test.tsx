import { render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { formatRelative, RelativeTime } from './RelativeTime.tsx'

const now = Date.parse('2025-06-15T12:00:00Z')
const [minute, hour, day] = [60, 3600, 86_400]
const formatAfter = (seconds: number) => formatRelative(new Date(now + seconds * 1000).toISOString(), now)
/** Formats in the machine's language, as the app does. */
const relative = (count: number, unit: Intl.RelativeTimeFormatUnit) =>
  new Intl.RelativeTimeFormat(undefined, { numeric: /day|hour|minute/.test(unit) ? 'auto' : 'always' }).format(
    count,
    unit,
  )

test.for([0, 1, -1, 59, -59])('%i s from now is just now', (seconds) => {
  expect(formatAfter(seconds)).toBe('just now')
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
  expect(formatAfter(seconds)).toBe(relative(count, unit))
})

test('an older time never reads as more recent', () => {
  const largest = { minute: 59, hour: 23, day: 6, week: 4, month: 11, year: 200 }
  const ordered = Object.entries(largest).flatMap(([unit, most]) =>
    Array.from({ length: most }, (_, index) => relative(-1 - index, unit as Intl.RelativeTimeFormatUnit)),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 100 * 365 * day }),
      fc.integer({ min: 0, max: 40 * day }),
      (seconds, more) => {
        const [first, second] = [formatAfter(-seconds), formatAfter(-seconds - more)].map((text) =>
          ordered.indexOf(text),
        )
        expect(first).toBeGreaterThanOrEqual(0)
        expect(second).toBeGreaterThanOrEqual(first ?? 0)
      },
    ),
  )
})

describe('Moment', () => {
  beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('shows the relative time, with the exact time for machines and as a tooltip', () => {
    render(<RelativeTime at="2025-06-15T11:55:00Z" />)
    const time = screen.getByText(relative(-5, 'minute'))
    expect(time.getAttribute('datetime')).toBe('2025-06-15T11:55:00Z')
    expect(time.title).toContain('2025')
    expect(time.title).toContain('55')
  })
})
