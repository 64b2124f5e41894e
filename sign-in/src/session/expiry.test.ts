import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEmitter } from '../events.ts'
import { User } from '../user.ts'
import { createExpiry } from './expiry.ts'

const start = 1_800_000_000_000
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

/** What was told, and after how many seconds. */
function listen() {
  const events = createEmitter()
  const told: [string, number][] = []
  for (const name of ['accessTokenExpiring', 'accessTokenExpired'] as const) {
    events.on(name, () => told.push([name, (Date.now() - start) / 1000]))
  }
  return { told, expiry: createExpiry(events, 60) }
}

const userFor = (seconds: number) =>
  new User({ profile: { sub: 'ada' }, access_token: 'opaque', expires_at: start / 1000 + seconds })

test.each([
  // Looked at every 5 s, or every so many as there were at first if those are fewer.
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
])('N4 with %d s left it is told at max(1, left - 60) and left + 1', (left, expected) => {
  const { told, expiry } = listen()
  expiry.watch(userFor(left))
  vi.advanceTimersByTime(700_000)
  expect(told).toEqual(expected)
})

test('N4 nothing is told of a user without a token or an expiry, nor after cancel', () => {
  const { told, expiry } = listen()
  for (const gone of [{ access_token: null }, { expires_at: null }]) {
    expiry.watch(userFor(100))
    expiry.watch(new User({ ...userFor(100), ...gone }))
  }
  expiry.watch(userFor(100))
  expiry.cancel()
  vi.advanceTimersByTime(700_000)
  expect(told).toEqual([])
})

test('a clock that is set back changes nothing, also where the user is asked for once more', () => {
  const { told, expiry } = listen()
  const user = userFor(600)
  expiry.watch(user)
  vi.advanceTimersByTime(60_000)
  vi.setSystemTime(Date.now() - 7_200_000)
  expiry.watch(user)
  vi.advanceTimersByTime(545_000)
  expect(told.map(([name]) => name)).toEqual(['accessTokenExpiring', 'accessTokenExpired'])
})

test('N6 after a sleep both are told at once', () => {
  const { told, expiry } = listen()
  expiry.watch(userFor(600))
  vi.setSystemTime(start + 3_600_000)
  expiry.check()
  expect(told).toEqual([
    ['accessTokenExpiring', 3600],
    ['accessTokenExpired', 3600],
  ])
})
