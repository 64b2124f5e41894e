import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { User } from '../user.ts'
import { createStateStore } from './state-store.ts'
import { createUserStore } from './user-store.ts'
import { memoryStorage } from './web-storage.ts'

const now = 1_800_000_000
beforeEach(() => void vi.useFakeTimers({ now: now * 1000 }))
afterEach(() => void vi.useRealTimers())

function makeStore() {
  const storage = memoryStorage()
  const session = memoryStorage()
  return { storage, session, states: createStateStore(storage, session, 'oidc.used:op:app', 900) }
}
const waiting = { id: 'a1', created: now, request_type: 'si:r' as const, data: { page: 7 } }

test('E5 a request waits under oidc.{state}, and is taken once', () => {
  const { storage, states } = makeStore()
  states.save(waiting)
  expect(JSON.parse(storage.getItem('oidc.a1') ?? '')).toEqual(waiting)
  expect(states.peek('a1')).toEqual(waiting)
  expect(states.take('a1')).toEqual(waiting)
  expect(storage.length).toBe(0)
})

test('M17 what was never asked: No matching state found in storage', () => {
  const { states } = makeStore()
  expect(() => states.take('b2')).toThrow(
    expect.objectContaining({ message: 'No matching state found in storage', code: 'state_not_found' }),
  )
})

test('M17 what was taken before says so, also to the next page', () => {
  const { storage, session, states } = makeStore()
  states.save(waiting)
  states.take('a1')
  const nextPage = createStateStore(storage, session, 'oidc.used:op:app', 900)
  for (const store of [states, nextPage]) {
    expect(() => store.take('a1')).toThrow(
      expect.objectContaining({ message: 'No matching state found in storage', code: 'state_already_used' }),
    )
  }
})

test('N7 entries of 900 s and older are swept, and those that cannot be read; everything else stays', () => {
  const { storage, states } = makeStore()
  const user = new User({ profile: { sub: 'ada' } })
  createUserStore(storage, 'https://op.example', 'app').save(user)
  storage.setItem('oidc.fresh', JSON.stringify({ ...waiting, created: now - 899 }))
  storage.setItem('oidc.stale', JSON.stringify({ ...waiting, created: now - 900 }))
  storage.setItem('oidc.older', JSON.stringify({ ...waiting, created: now - 90_000 }))
  storage.setItem('oidc.broken', '{"id":')
  storage.setItem('theme', 'dark')
  states.sweep()
  const left = Array.from({ length: storage.length }, (_, index) => storage.key(index)).sort()
  expect(left).toEqual(['oidc.fresh', 'oidc.user:https://op.example:app', 'theme'])
})

test('C9 the id of an answer is the one that waits, though the address has another state of its own', () => {
  const { states } = makeStore()
  states.save(waiting)
  expect(states.idOf('https://app.example/cb?state=a1&code=c')).toBe('a1')
  expect(states.idOf('https://app.example/cb?state=of-the-app#state=a1&code=c')).toBe('a1')
  expect(states.idOf('https://app.example/cb?state=unknown')).toBe('unknown')
  expect(states.idOf('https://app.example/cb?code=c')).toBeUndefined()
})
