import { SignJWT } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nowInSeconds } from '../clock.ts'
import { createClockCheck } from './clock-check.ts'

// A fixed clock: a second that ends between the token and its check would add one.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T12:00:00.999Z') }))
afterEach(() => void vi.useRealTimers())

/** A token issued this many seconds ago by the provider's clock. */
const createToken = (age: number) =>
  new SignJWT({ iat: nowInSeconds() - age }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))

function clockCheck() {
  const warn = vi.fn()
  return { warn, check: createClockCheck({ clockSkew: 300, logger: { warn } }) }
}

test.each([
  [7200, '7200 s ahead of'],
  [-7200, '7200 s behind'],
])('warns once about a clock that is %d s ahead of the provider’s', async (ahead, words) => {
  const { warn, check } = clockCheck()
  check(await createToken(ahead))
  check(await createToken(ahead + 60))
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(words))
})

test('accepts a clock that is 299 s off, and ignores a token without iat', async () => {
  const { warn, check } = clockCheck()
  for (const token of [await createToken(299), await createToken(-299), undefined, 'not a token']) check(token)
  expect(warn).not.toHaveBeenCalled()
})
