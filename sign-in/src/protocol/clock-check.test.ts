import { SignJWT } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nowInSeconds } from '../clock.ts'
import { createClockCheck } from './clock-check.ts'

// The clock stands still: a second that ends between a token and its check would be one second more.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T12:00:00.999Z') }))
afterEach(() => void vi.useRealTimers())

/** A token that was made so many seconds ago, by the clock of the provider. */
const tokenOf = (age: number) =>
  new SignJWT({ iat: nowInSeconds() - age }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))

function clockCheck() {
  const warn = vi.fn()
  return { warn, check: createClockCheck({ clockSkew: 300, logger: { warn } }) }
}

test.each([
  [7200, '7200 s ahead of'],
  [-7200, '7200 s behind'],
])('a clock that is %d s ahead of the provider’s is warned about, once', async (ahead, words) => {
  const { warn, check } = clockCheck()
  check(await tokenOf(ahead))
  check(await tokenOf(ahead + 60))
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(words))
})

test('one that is 299 s off is good enough, and so is a token that says nothing', async () => {
  const { warn, check } = clockCheck()
  for (const token of [await tokenOf(299), await tokenOf(-299), undefined, 'not a token']) check(token)
  expect(warn).not.toHaveBeenCalled()
})
