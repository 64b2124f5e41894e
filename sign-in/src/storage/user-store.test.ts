import { expect, test } from 'vitest'
import { User } from '../user.ts'
import { createUserStore } from './user-store.ts'
import { keysOf, memoryStorage } from './web-storage.ts'

test('stores a user under the authority and the client id', () => {
  const storage = memoryStorage()
  const store = createUserStore(storage, 'https://op.example', 'app')
  expect(store.load()).toBeNull()
  const user = new User({ profile: { sub: 'ada' }, access_token: 'opaque' })
  store.save(user)
  expect(keysOf(storage)).toEqual(['oidc.user:https://op.example:app'])
  expect(store.load()).toEqual(user)
  expect(createUserStore(storage, 'https://op.example', 'other').load()).toBeNull()
  store.remove()
  expect(storage.length).toBe(0)
})
