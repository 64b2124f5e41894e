import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signinError } from '../errors.ts'
import { createEmitter } from '../events.ts'
import { User } from '../user.ts'
import { createAutomaticRenewal } from './automatic-renewal.ts'

const start = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  setPage({ isVisible: true, isOnline: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function setPage({ isVisible, isOnline }: { isVisible: boolean; isOnline: boolean }) {
  vi.stubGlobal('document', { visibilityState: isVisible ? 'visible' : 'hidden' })
  vi.stubGlobal('navigator', { onLine: isOnline })
}

const seconds = () => (Date.now() - start) / 1000

/** Creates a renewal with the given outcome, for a token that expires in this many seconds. */
function createRenewal(secondsLeft: number, fields: Partial<User>, outcome: () => User | null) {
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

test('the delays between attempts grow, and attempts stop when the token expires', async () => {
  const { attempts, failures, expire } = createRenewal(60, byToken, fail('network_error'))
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0, 5, 15, 35])
  expect(failures).toHaveLength(4)
})

test('makes at most four more attempts, then one whenever the page wakes up', async () => {
  const { attempts, renewal, expire } = createRenewal(3600, byToken, fail('timeout'))
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0, 5, 15, 35, 75])
  renewal.wake()
  renewal.wake()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0, 5, 15, 35, 75, 600])
})

test('a page that wakes up does not wait for the delay to end', async () => {
  const { attempts, renewal, expire } = createRenewal(60, byToken, fail('frame_timeout'))
  expire()
  await vi.advanceTimersByTimeAsync(2000)
  renewal.wake()
  await vi.advanceTimersByTimeAsync(9000)
  expect(attempts).toEqual([0, 2])
})

test('does not retry a permanent error', async () => {
  const { attempts, renewal, expire } = createRenewal(60, byToken, fail('login_required'))
  expire()
  await vi.advanceTimersByTimeAsync(30_000)
  renewal.wake()
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0])
})

test('renews an unchanged token again the next time', async () => {
  const { attempts, held, expire } = createRenewal(60, byToken, () => held.user)
  expire()
  await vi.advanceTimersByTimeAsync(3000)
  expire()
  expect(attempts).toEqual([0, 3])
})

test.each([
  ['is removed', () => null],
  ['has other tokens', () => new User({ profile: { sub: 'ada' }, access_token: 'another', expires_at: start })],
])('stops the attempts for a user who %s', async (_, later) => {
  const { attempts, held, renewal, expire } = createRenewal(60, byToken, fail('network_error'))
  expire()
  await vi.advanceTimersByTimeAsync(1000)
  held.user = later()
  renewal.wake()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0])
})

test('a stopped renewal makes no attempt, even during a failure, and can be restarted', async () => {
  const { attempts, renewal, expire } = createRenewal(60, byToken, fail('network_error'))
  expire()
  renewal.stop()
  await vi.advanceTimersByTimeAsync(20_000)
  renewal.wake()
  expect(attempts).toEqual([0])
  renewal.start()
  expire()
  expect(attempts).toEqual([0, 20])
})

test('a listener can stop the renewal', async () => {
  const { attempts, events, renewal, expire } = createRenewal(60, byToken, fail('network_error'))
  events.on('silentRenewError', renewal.stop)
  expire()
  await vi.advanceTimersByTimeAsync(1000)
  renewal.wake()
  expire()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toEqual([0])
})

test.each([
  ['hidden', { isVisible: false, isOnline: true }],
  ['offline', { isVisible: true, isOnline: false }],
])('postpones the frame of a page that is %s until 10 s before the token expires', async (_, page) => {
  setPage(page)
  const { attempts, renewal, expire } = createRenewal(60, {}, () => null)
  expire()
  await vi.advanceTimersByTimeAsync(20_000)
  renewal.wake()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(attempts).toEqual([50])
})

test('postpones the frame only until the page is back', async () => {
  setPage({ isVisible: false, isOnline: true })
  const { attempts, renewal, expire } = createRenewal(60, {}, () => null)
  expire()
  await vi.advanceTimersByTimeAsync(20_000)
  setPage({ isVisible: true, isOnline: true })
  renewal.wake()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(attempts).toEqual([20])
})

test('postpones the retry of a frame when the page was hidden in between', async () => {
  const { attempts, expire } = createRenewal(60, {}, fail('frame_timeout'))
  expire()
  setPage({ isVisible: false, isOnline: true })
  await vi.advanceTimersByTimeAsync(100_000)
  expect(attempts).toEqual([0, 50])
})

test('a refresh does not need a visible page', () => {
  setPage({ isVisible: false, isOnline: true })
  const { attempts, expire } = createRenewal(60, byToken, () => null)
  expire()
  expect(attempts).toEqual([0])
})
