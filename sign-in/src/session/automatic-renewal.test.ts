import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signinError } from '../errors.ts'
import { createEmitter } from '../events.ts'
import { User } from '../user.ts'
import { createAutomaticRenewal } from './automatic-renewal.ts'

const start = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  setPage({ isSeen: true, isOnline: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function setPage({ isSeen, isOnline }: { isSeen: boolean; isOnline: boolean }) {
  vi.stubGlobal('document', { visibilityState: isSeen ? 'visible' : 'hidden' })
  vi.stubGlobal('navigator', { onLine: isOnline })
}

const seconds = () => (Date.now() - start) / 1000

/** A renewal that goes as `outcome` says, of a token that is good for so many seconds. */
function renewalOf(secondsLeft: number, fields: Partial<User>, outcome: () => User | null) {
  const events = createEmitter()
  const attempts: number[] = []
  const failures: string[] = []
  const profile = { sub: 'ada' }
  const user = new User({ profile, access_token: 'first', expires_at: start / 1000 + secondsLeft, ...fields })
  const held: { user: User | null } = { user }
  const renewal = createAutomaticRenewal(
    events,
    () => held.user,
    async () => {
      attempts.push(seconds())
      held.user = outcome()
      return held.user
    },
  )
  events.on('silentRenewError', ({ code }) => failures.push(code))
  renewal.start()
  return { renewal, events, attempts, failures, held, expire: () => events.emit('accessTokenExpiring') }
}

const byToken = { refresh_token: 'r' }
const fail = (code: Parameters<typeof signinError>[0]) => () => {
  throw signinError(code)
}

test('S5 the pauses between attempts grow, and nothing is tried once the token has expired', async () => {
  const { attempts, failures, expire } = renewalOf(60, byToken, fail('network_error'))
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0, 5, 15, 35])
  expect(failures).toHaveLength(4)
})

test('S5 there are four more attempts at most, and then one whenever the page wakes up', async () => {
  const { attempts, renewal, expire } = renewalOf(3600, byToken, fail('timeout'))
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0, 5, 15, 35, 75])
  renewal.wake()
  renewal.wake()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0, 5, 15, 35, 75, 600])
})

test('S5 a page that wakes up does not wait for the pause to end', async () => {
  const { attempts, renewal, expire } = renewalOf(60, byToken, fail('frame_timeout'))
  expire()
  await vi.advanceTimersByTimeAsync(2000)
  renewal.wake()
  await vi.advanceTimersByTimeAsync(9000)
  expect(attempts).toEqual([0, 2])
})

test('S5 what will be said again is asked once', async () => {
  const { attempts, renewal, expire } = renewalOf(60, byToken, fail('login_required'))
  expire()
  await vi.advanceTimersByTimeAsync(30_000)
  renewal.wake()
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0])
})

test('S5 a token that stays the same when it is renewed is renewed the next time too', async () => {
  const { attempts, held, expire } = renewalOf(60, byToken, () => held.user)
  expire()
  await vi.advanceTimersByTimeAsync(3000)
  expire()
  expect(attempts).toEqual([0, 3])
})

test.each([
  ['is removed', () => null],
  ['has other tokens', () => new User({ profile: { sub: 'ada' }, access_token: 'another', expires_at: start })],
])('S5 no more attempts are made for a user who %s', async (_, later) => {
  const { attempts, held, renewal, expire } = renewalOf(60, byToken, fail('network_error'))
  expire()
  await vi.advanceTimersByTimeAsync(1000)
  held.user = later()
  renewal.wake()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0])
})

test('S5 renewal that is stopped makes no attempt, also where one is just failing, and can be started again', async () => {
  const { attempts, renewal, expire } = renewalOf(60, byToken, fail('network_error'))
  expire()
  renewal.stop()
  await vi.advanceTimersByTimeAsync(20_000)
  renewal.wake()
  expect(attempts).toEqual([0])
  renewal.start()
  expire()
  expect(attempts).toEqual([0, 20])
})

test('S5 a listener can end it', async () => {
  const { attempts, events, renewal, expire } = renewalOf(60, byToken, fail('network_error'))
  events.on('silentRenewError', renewal.stop)
  expire()
  await vi.advanceTimersByTimeAsync(1000)
  renewal.wake()
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0])
})

test.each([
  ['hidden', { isSeen: false, isOnline: true }],
  ['without a network', { isSeen: true, isOnline: false }],
])('S5 a frame of a page that is %s is put off, until 10 s before the token expires', async (_, page) => {
  setPage(page)
  const { attempts, renewal, expire } = renewalOf(60, {}, () => null)
  expire()
  await vi.advanceTimersByTimeAsync(20_000)
  renewal.wake()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(attempts).toEqual([50])
})

test('S5 or until the page is back', async () => {
  setPage({ isSeen: false, isOnline: true })
  const { attempts, renewal, expire } = renewalOf(60, {}, () => null)
  expire()
  await vi.advanceTimersByTimeAsync(20_000)
  setPage({ isSeen: true, isOnline: true })
  renewal.wake()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(attempts).toEqual([20])
})

test('S5 a frame that failed is put off too where the page was left meanwhile', async () => {
  const { attempts, expire } = renewalOf(60, {}, fail('frame_timeout'))
  expire()
  setPage({ isSeen: false, isOnline: true })
  await vi.advanceTimersByTimeAsync(100_000)
  expect(attempts).toEqual([0, 50])
})

test('S5 a refresh needs no page that is seen', () => {
  setPage({ isSeen: false, isOnline: true })
  const { attempts, expire } = renewalOf(60, byToken, () => null)
  expire()
  expect(attempts).toEqual([0])
})
