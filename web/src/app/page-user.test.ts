import type { CurrentUser } from '@passport/contract/current-user'
import { afterEach, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { findWriteBlock, setPageUser } from './page-user.ts'
import { queryClient } from './query-client.ts'

const person = (sub: string, ...roles: string[]): CurrentUser => ({
  claims: { sub, idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})
const setCurrentUser = (user: CurrentUser | null) => queryClient.setQueryData(currentUserQuery.queryKey, user)

afterEach(() => {
  setPageUser(null)
  queryClient.clear()
})

test('allows writes by the user who opened the page', () => {
  setPageUser(person('eve'))
  setCurrentUser(person('eve'))
  expect(findWriteBlock()).toBe('none')
})

test('blocks writes after a sign-out, until the same user signs in again', () => {
  setPageUser(person('eve'))
  setCurrentUser(null)
  expect(findWriteBlock()).toBe('signed out')
  setCurrentUser(person('eve'))
  expect(findWriteBlock()).toBe('none')
})

test('a page belongs to the user who opened it, even if another user navigates', () => {
  setPageUser(person('eve'))
  setCurrentUser(person('dev'))
  expect(findWriteBlock()).toBe('another user')
  setPageUser(person('dev'))
  expect(findWriteBlock()).toBe('another user')
})

test('a page opened after the sign-out belongs to the next user', () => {
  setPageUser(person('eve'))
  setCurrentUser(null)
  setPageUser(null)
  setCurrentUser(person('dev'))
  setPageUser(person('dev'))
  expect(findWriteBlock()).toBe('none')
})

test('changed access does not block writes: the server refuses them', () => {
  setPageUser(person('ada', 'Passport.Admin'))
  setCurrentUser(person('ada'))
  expect(findWriteBlock()).toBe('none')
})

test('does not block a signed-out visitor', () => {
  setPageUser(null)
  setCurrentUser(null)
  expect(findWriteBlock()).toBe('none')
})

test("clears a user's cached data when the next user opens a page, not before", () => {
  setPageUser(person('eve'))
  setCurrentUser(person('eve'))
  queryClient.setQueryData(['sessions'], ['eve’s laptop'])
  setPageUser(null)
  setPageUser(person('eve'))
  expect(queryClient.getQueryData(['sessions'])).toEqual(['eve’s laptop'])
  setPageUser(null)
  setPageUser(person('dev'))
  expect(queryClient.getQueryData(['sessions'])).toBeUndefined()
  expect(queryClient.getQueryData(currentUserQuery.queryKey)).toEqual(person('eve'))
})
