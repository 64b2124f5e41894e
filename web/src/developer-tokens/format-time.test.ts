import { describe, expect, test } from 'vitest'
import { formatExpiry, formatInstant } from './format-time.ts'

const expiresAt = Date.parse('2026-05-04T14:32:10') / 1000
const at = (secondsBefore: number) => (expiresAt - secondsBefore) * 1000

describe('formatExpiry', () => {
  test.for<[secondsBefore: number, text: string]>([
    [3 * 86_400, 'in 3 days, 4 May 2026, 14:32'],
    [7260, 'in 2 hours, 14:32'],
    [54 * 60 + 59, 'in 54 minutes, 14:32'],
    [60, 'in 1 minute, 14:32'],
    [59, 'in 59 seconds, 14:32'],
    [1, 'in 1 second, 14:32'],
    [0, 'expired now, 14:32'],
    [-1, 'expired 1 second ago, 14:32'],
    [-150, 'expired 2 minutes ago, 14:32'],
  ])('%i s before the expiry returns “%s”', ([secondsBefore, text]) => {
    expect(formatExpiry(expiresAt, at(secondsBefore))).toBe(text)
  })

  test('rounds the remaining time up to whole seconds', () => {
    expect(formatExpiry(expiresAt, at(5) - 999)).toBe('in 6 seconds, 14:32')
    expect(formatExpiry(expiresAt, at(5) + 999)).toBe('in 5 seconds, 14:32')
  })
})

test('formatInstant includes the day and the seconds', () => {
  expect(formatInstant(expiresAt)).toBe('4 May 2026, 14:32:10')
})
