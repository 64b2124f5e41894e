import { render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { formatRelative, lowerFirst, RelativeTime } from './RelativeTime.tsx'

/** Noon in the machine's time zone, so that the expected days hold everywhere. */
const now = new Date(2025, 5, 15, 12).getTime()
const [minute, hour, day] = [60, 3600, 86_400]
const formatAfter = (seconds: number) => formatRelative(new Date(now + seconds * 1000).toISOString(), now)

test.for([
  [0, 'Now'],
  [-59, 'Now'],
  [-minute, '1 min ago'],
  [-hour + 1, '59 min ago'],
  [-hour, '1 h ago'],
  [-12 * hour, '12 h ago'],
  [-12 * hour - minute, 'Yesterday, 23:59'],
  [-36 * hour, 'Yesterday, 00:00'],
  [-36 * hour - minute, '13 Jun'],
  [-165 * day, '1 Jan'],
  [-166 * day, '31 Dec 2024'],
  [-800 * day, '7 Apr 2023'],
  [1, 'In 1 min'],
  [54 * minute, 'In 54 min'],
  [hour, 'In 1 h'],
  [23 * hour, 'In 23 h'],
  [day, '16 Jun, in 1 day'],
  [7 * day - 2, '22 Jun, in 7 days'],
  [60 * day, '14 Aug, in 60 days'],
  [61 * day, '15 Aug'],
  [365 * day, '15 Jun 2026'],
] as const)('%i s from now is %s', ([seconds, text]) => {
  expect(formatAfter(seconds)).toBe(text)
})

test('an older time never reads as more recent', () => {
  const kinds = [
    /^Now$/,
    /^\d+ min ago$/,
    /^\d+ h ago$/,
    /^Yesterday, /,
    /^\d+ [A-Z][a-z]+$/,
    /^\d+ [A-Z][a-z]+ \d{4}$/,
  ]
  const kindOf = (text: string) => kinds.findIndex((kind) => kind.test(text))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 * 365 * day }), fc.integer({ min: 0, max: 40 * day }), (seconds, more) => {
      const [first, second] = [formatAfter(-seconds), formatAfter(-seconds - more)]
      expect(kindOf(first)).toBeGreaterThanOrEqual(0)
      expect(kindOf(second)).toBeGreaterThanOrEqual(kindOf(first))
    }),
  )
})

test.for([
  ['Now', 'now'],
  ['Yesterday, 17:40', 'yesterday, 17:40'],
  ['In 3 h', 'in 3 h'],
  ['14 Nov', '14 Nov'],
])('“%s” is “%s” in a sentence', ([text, expected]) => {
  expect(lowerFirst(text as string)).toBe(expected)
})

describe('RelativeTime', () => {
  beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('shows the relative time, with the exact time for machines and as a tooltip', () => {
    const at = new Date(now - 5 * minute * 1000).toISOString()
    render(<RelativeTime at={at} />)
    const time = screen.getByText('5 min ago')
    expect(time.getAttribute('datetime')).toBe(at)
    expect(time.title).toMatch(/^15 Jun 2025, 11:55:00 /)
  })
})
