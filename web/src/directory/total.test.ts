import { describe, expect, test } from 'vitest'
import { formatCount, formatTotal } from './total.ts'

describe('formatTotal', () => {
  test.for([
    [0, '0'],
    [312, '312'],
    [1000, '1,000'],
    [12_345, '12,345'],
  ] as const)('formats an exact %i as %s', ([total, text]) => {
    expect(formatTotal(total, undefined)).toBe(text)
  })

  test.for([
    [1001, 'about 1,000'],
    [1873, 'about 1,900'],
    [12_345, 'about 12,000'],
    [99_800, 'about 100,000'],
    [317_123, 'about 320,000'],
  ] as const)('formats an estimated %i as %s', ([total, text]) => {
    expect(formatTotal(total, false)).toBe(text)
  })

  test('formatCount adds the noun', () => {
    expect(formatCount(1, ['user', 'users'])).toBe('1 user')
    expect(formatCount(2, ['user', 'users'])).toBe('2 users')
    expect(formatCount(12_345, ['user', 'users'], false)).toBe('about 12,000 users')
  })
})
