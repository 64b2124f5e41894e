import { expect, test } from 'vitest'
import { describeGrant, formatQuantity, formatValue } from './words.ts'

const now = new Date('2026-11-22T12:00:00Z')
const grant = { status: 'active', startsAt: '2026-01-01T00:00:00.000Z', endsAt: null, ending: false } as const

test('a value has its unit, a flag is on or off, and a quantity that is true has no limit', () => {
  expect(formatValue(2000, 'seats')).toBe('2,000 seats')
  expect(formatValue(3, null)).toBe('3')
  expect(formatValue(true, null)).toBe('On')
  expect(formatValue(false, null)).toBe('Off')
  expect(formatValue(true, 'hours')).toBe('No limit')
  expect(formatQuantity(null, 'hours')).toBe('No limit')
})

test('a grant is ending in its last 30 days, or once its subscription was cancelled', () => {
  const endsAt = '2026-12-22T12:00:00.000Z'
  expect(describeGrant(grant, now)).toEqual({ tone: 'ok', text: 'Active' })
  expect(describeGrant({ ...grant, endsAt }, now)).toEqual({ tone: 'warn', text: 'Ends in 30 days' })
  expect(describeGrant({ ...grant, endsAt: '2026-12-23T12:00:00.000Z' }, now)).toEqual({ tone: 'ok', text: 'Active' })
  expect(describeGrant({ ...grant, endsAt: '2026-11-23T12:00:00.000Z' }, now).text).toBe('Ends in 1 day')
  expect(describeGrant({ ...grant, endsAt: '2026-11-22T12:30:00.000Z' }, now).text).toBe('Ends today')
  expect(describeGrant({ ...grant, endsAt: '2027-11-22T12:00:00.000Z', ending: true }, now).text).toBe(
    'Ends in 365 days',
  )
})

test('a grant that does not count has the day on which it starts or ended', () => {
  expect(describeGrant({ ...grant, status: 'scheduled', startsAt: '2026-12-01T12:00:00.000Z' }, now)).toEqual({
    tone: 'off',
    text: 'Starts 1 Dec 2026',
  })
  expect(describeGrant({ ...grant, status: 'ended', endsAt: '2026-11-03T12:00:00.000Z' }, now).text).toBe(
    'Ended 3 Nov 2026',
  )
})
