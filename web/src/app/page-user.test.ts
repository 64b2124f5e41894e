import type { CurrentUser } from '@passport/contract/current-user'
import { afterEach, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { findWriteBlock, setPageUser } from './page-user.ts'
import { queryClient } from './query-client.ts'

const createUser = (sub: string, ...roles: string[]): CurrentUser => ({
  claims: { sub, idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})
const setCurrentUser = (user: CurrentUser | null) => queryClient.setQueryData(currentUserQuery.queryKey, user)

afterEach(() => {
  setPageUser(null)
  queryClient.clear()
})

test('allows writes by the user who opened the page', () => {
  setPageUser(createUser('eve'))
  setCurrentUser(createUser('eve'))
  expect(findWriteBlock()).toBe('none')
})

test('blocks writes after a sign-out, until the same user signs in again', () => {
  setPageUser(createUser('eve'))
  setCurrentUser(null)
  expect(findWriteBlock()).toBe('signed out')
  setCurrentUser(createUser('eve'))
  expect(findWriteBlock()).toBe('none')
})

test('a page belongs to the user who opened it, even if another user navigates', () => {
  setPageUser(createUser('eve'))
  setCurrentUser(createUser('dev'))
  expect(findWriteBlock()).toBe('another user')
  setPageUser(createUser('dev'))
  expect(findWriteBlock()).toBe('another user')
})

test('a page opened after the sign-out belongs to the next user', () => {
  setPageUser(createUser('eve'))
  setCurrentUser(null)
  setPageUser(null)
  setCurrentUser(createUser('dev'))
  setPageUser(createUser('dev'))
  expect(findWriteBlock()).toBe('none')
})

test('changed access does not block writes: the server refuses them', () => {
  setPageUser(createUser('ada', 'Passport.Admin'))
  setCurrentUser(createUser('ada'))
  expect(findWriteBlock()).toBe('none')
})

test('does not block a signed-out visitor', () => {
  setPageUser(null)
  setCurrentUser(null)
  expect(findWriteBlock()).toBe('none')
})

test("clears a user's cached data when the next user opens a page, not before", () => {
  setPageUser(createUser('eve'))
  setCurrentUser(createUser('eve'))
  queryClient.setQueryData(['sessions'], ['eve’s laptop'])
  setPageUser(null)
  setPageUser(createUser('eve'))
  expect(queryClient.getQueryData(['sessions'])).toEqual(['eve’s laptop'])
  setPageUser(null)
  setPageUser(createUser('dev'))
  expect(queryClient.getQueryData(['sessions'])).toBeUndefined()
  expect(queryClient.getQueryData(currentUserQuery.queryKey)).toEqual(createUser('eve'))
})
