import { describe, expect, test } from 'vitest'
import {
  describeCounts,
  formatTimeRange,
  parseSignInSearch,
  toSearchTime,
  toSignInFilter,
  toStepFormat,
} from './sign-in-search.ts'

describe('the filters of the sign-in log', () => {
  test('keep valid values of the URL and drop the others', () => {
    expect(
      parseSignInSearch({
        result: 'failed',
        provider: 'local',
        reason: 'invalid_grant',
        from: '2026-11-21T14:00Z',
        to: 'x',
      }),
    ).toEqual({ result: 'failed', provider: 'local', reason: 'invalid_grant', from: '2026-11-21T14:00Z' })
    expect(parseSignInSearch({ result: 'other', reason: 'A B', client: ['a', 'b'] })).toEqual({})
  })

  test('select whole days, or exactly the chosen instants', () => {
    const days = toSignInFilter({ from: '2026-11-21', to: '2026-11-21' })
    expect(Date.parse(days.to ?? '') - Date.parse(days.from ?? '')).toBe(86_400_000)
    expect(days.signIns).toBe('any')
    expect(toSignInFilter({ result: 'failed', from: '2026-11-21T14:00Z', to: '2026-11-21T15:10Z' })).toEqual({
      signIns: 'failed',
      from: '2026-11-21T14:00:00.000Z',
      to: '2026-11-21T15:10:00.000Z',
    })
    expect(toSignInFilter({ from: '2026-13-45T14:00Z' })).toEqual({ signIns: 'any' })
    expect(toSearchTime('2026-11-21T14:00:00.000Z')).toBe('2026-11-21T14:00Z')
  })

  test('are described with the words of the console', () => {
    expect(formatTimeRange({ from: '2026-11-21', to: '2026-11-23' })).toBe('21 Nov – 23 Nov')
    expect(formatTimeRange({ from: '2026-11-21', to: '2026-11-21' })).toBe('21 Nov')
    expect(formatTimeRange({ from: '2026-11-21' })).toBe('Since 21 Nov')
    expect(formatTimeRange({ from: '2026-11-21T14:00Z', to: '2026-11-21T14:30Z' })).toMatch(
      /^21 Nov, \d\d:00 – \d\d:30$/,
    )
  })
})

test('counts are described by their totals and the worst step', () => {
  const at = new Date(2026, 10, 21).toISOString()
  expect(toStepFormat('day')(at)).toBe('21 Nov')
  expect(toStepFormat('hour')(at)).toBe('21 Nov, 00:00')
  expect(describeCounts({ step: 'day', buckets: [{ at, succeeded: 1200, failed: 3 }] })).toBe(
    '1,200 sign-ins succeeded and 3 failed. Most failures: 3, 21 Nov.',
  )
  expect(describeCounts({ step: 'day', buckets: [{ at, succeeded: 0, failed: 0 }] })).toBe(
    'No sign-ins in this period.',
  )
})
