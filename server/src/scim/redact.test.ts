import { expect, test } from 'vitest'
import { redactBody } from './redact.ts'

test('the log has the beginning of a body, without the local parts of addresses', () => {
  expect(redactBody({ userName: 'mira@meridian.example', password: 'x', tokens: 1 })).toBe(
    '{"userName":"***@meridian.example","password":"***","tokens":"***"}',
  )
  const text = 'mira.olsen@meridian.example '.repeat(400)
  const logged = redactBody({ a: text, b: text }) ?? ''
  expect(logged).toMatch(/^\{"a":"\*\*\*@meridian.example .{6000,8000}","b":"\*\*\*@/)
  expect([logged.length <= 8193, logged.includes('mira')]).toEqual([true, false])
})

test('an address at the end of what the log has is not shown in part', () => {
  for (let length = 8_100; length < 8_200; length++)
    expect(redactBody({ a: `${'<'.repeat(length)}mira.olsen@meridian.example` })).not.toContain('mi')
})

test('a large body costs no more than its size', () => {
  const before = process.threadCpuUsage()
  redactBody({
    list: Array(250).fill('x'.repeat(8_000)),
    ...Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i, 'x'.repeat(2_000)])),
  })
  // It took 2 s.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(300)
})
