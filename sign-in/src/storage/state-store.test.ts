import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { User } from '../user.ts'
import { createStateStore } from './state-store.ts'
import { createUserStore } from './user-store.ts'
import { memoryStorage } from './web-storage.ts'

const now = 1_800_000_000
beforeEach(() => void vi.useFakeTimers({ now: now * 1000 }))
afterEach(() => void vi.useRealTimers())

const client = { authority: 'https://op.example', client_id: 'app', staleStateAge: 900 }
function createStore() {
  const storage = memoryStorage()
  const session = memoryStorage()
  return { storage, session, states: createStateStore(storage, session, 'oidc.used:op:app', client) }
}
const pending = {
  id: 'a1',
  created: now,
  request_type: 'si:r' as const,
  authority: 'https://op.example',
  client_id: 'app',
  data: { page: 7 },
}

test('stores a request under oidc.{state} and takes it once', () => {
  const { storage, states } = createStore()
  states.save(pending)
  expect(JSON.parse(storage.getItem('oidc.a1') ?? '')).toEqual(pending)
  expect(states.peek('a1')).toEqual(pending)
  expect(states.take('a1')).toEqual(pending)
  expect(storage.length).toBe(0)
})

test('fails with “No matching state found in storage” for an unknown state', () => {
  const { states } = createStore()
  expect(() => states.take('b2')).toThrow(
    expect.objectContaining({ message: 'No matching state found in storage', code: 'state_not_found' }),
  )
})

test('reports a state that was already taken with its own error code, even on the next page', () => {
  const { storage, session, states } = createStore()
  states.save(pending)
  states.take('a1')
  const nextPage = createStateStore(storage, session, 'oidc.used:op:app', client)
  for (const store of [states, nextPage]) {
    expect(() => store.take('a1')).toThrow(
      expect.objectContaining({ message: 'No matching state found in storage', code: 'state_already_used' }),
    )
  }
})

test('deletes its own entries of 900 s and older, and nothing else', () => {
  const { storage, states } = createStore()
  const user = new User({ profile: { sub: 'ada' } })
  createUserStore(storage, 'https://op.example', 'app').save(user)
  const old = { ...pending, created: now - 90_000 }
  states.save({ ...pending, id: 'fresh', created: now - 899 })
  states.save({ ...pending, id: 'stale', created: now - 900 })
  states.save({ ...old, id: 'older' })
  const others = {
    'oidc.broken': '{"id":',
    'oidc.client': JSON.stringify({ ...old, id: 'client', client_id: 'other' }),
    'oidc.copy': JSON.stringify({ ...old, id: 'another' }),
    'oidc.null': 'null',
    'oidc.number': '1',
    'oidc.old-client': JSON.stringify({ id: 'old-client', created: 1, request_type: 'so:r' }),
    'oidc.op': JSON.stringify({ ...old, id: 'op', authority: 'https://elsewhere.example' }),
    'oidc.theme': 'dark',
    theme: 'dark',
  }
  for (const [key, value] of Object.entries(others)) storage.setItem(key, value)
  states.sweep()
  const remainingKeys = Array.from({ length: storage.length }, (_, index) => storage.key(index)).sort()
  expect(remainingKeys).toEqual([...Object.keys(others), 'oidc.fresh', 'oidc.user:https://op.example:app'].sort())
})

test('finds the id of the pending request, even if the URL has another state parameter', () => {
  const { states } = createStore()
  states.save(pending)
  expect(states.findId('https://app.example/cb?state=a1&code=c')).toBe('a1')
  expect(states.findId('https://app.example/cb?state=of-the-app#state=a1&code=c')).toBe('a1')
  expect(states.findId('https://app.example/cb?state=unknown')).toBe('unknown')
  expect(states.findId('https://app.example/cb?code=c')).toBeUndefined()
})
