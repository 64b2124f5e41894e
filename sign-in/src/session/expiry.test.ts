import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEmitter } from '../events.ts'
import { User } from '../user.ts'
import { createExpiry } from './expiry.ts'

const start = 1_800_000_000_000
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

/** Records the events and the seconds after which they were emitted. */
function listen() {
  const events = createEmitter()
  const emitted: [string, number][] = []
  for (const name of ['accessTokenExpiring', 'accessTokenExpired'] as const) {
    events.on(name, () => emitted.push([name, (Date.now() - start) / 1000]))
  }
  return { emitted, expiry: createExpiry(events, 60) }
}

const userFor = (seconds: number) =>
  new User({ profile: { sub: 'ada' }, access_token: 'opaque', expires_at: start / 1000 + seconds })

test.each([
  // Checked every 5 s, or at the initial remaining time if that is shorter.
  [
    600,
    [
      ['accessTokenExpiring', 540],
      ['accessTokenExpired', 605],
    ],
  ],
  [
    61,
    [
      ['accessTokenExpiring', 1],
      ['accessTokenExpired', 65],
    ],
  ],
  [
    60,
    [
      ['accessTokenExpiring', 1],
      ['accessTokenExpired', 65],
    ],
  ],
  [
    3,
    [
      ['accessTokenExpiring', 1],
      ['accessTokenExpired', 4],
    ],
  ],
  [0, [['accessTokenExpired', 1]]],
  [-30, [['accessTokenExpired', 1]]],
])('a token with %d s left emits its events after max(1, left - 60) and left + 1 seconds', (secondsLeft, expected) => {
  const { emitted, expiry } = listen()
  expiry.watch(userFor(secondsLeft))
  vi.advanceTimersByTime(700_000)
  expect(emitted).toEqual(expected)
})

test('emits nothing for a user without a token or an expiry, nor after cancel', () => {
  const { emitted, expiry } = listen()
  for (const cleared of [{ access_token: null }, { expires_at: null }]) {
    expiry.watch(userFor(100))
    expiry.watch(new User({ ...userFor(100), ...cleared }))
  }
  expiry.watch(userFor(100))
  expiry.cancel()
  vi.advanceTimersByTime(700_000)
  expect(emitted).toEqual([])
})

test('is unaffected by a clock set back, even if the user is read again', () => {
  const { emitted, expiry } = listen()
  const user = userFor(600)
  expiry.watch(user)
  vi.advanceTimersByTime(60_000)
  vi.setSystemTime(Date.now() - 7_200_000)
  expiry.watch(user)
  vi.advanceTimersByTime(545_000)
  expect(emitted.map(([name]) => name)).toEqual(['accessTokenExpiring', 'accessTokenExpired'])
})

test('emits both events immediately after a sleep', () => {
  const { emitted, expiry } = listen()
  expiry.watch(userFor(600))
  vi.setSystemTime(start + 3_600_000)
  expiry.check()
  expect(emitted).toEqual([
    ['accessTokenExpiring', 3600],
    ['accessTokenExpired', 3600],
  ])
})
