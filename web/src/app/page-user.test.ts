import type { CurrentUser } from '@passport/contract/current-user'
import { afterEach, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { openPageAs, writeBlock } from './page-user.ts'
import { queryClient } from './query-client.ts'

const person = (sub: string, ...roles: string[]): CurrentUser => ({
  claims: { sub, idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})
const pollFinds = (user: CurrentUser | null) => queryClient.setQueryData(currentUserQuery.queryKey, user)

afterEach(() => {
  openPageAs(null)
  queryClient.clear()
})

test('whoever opened a page may write on it', () => {
  openPageAs(person('eve'))
  pollFinds(person('eve'))
  expect(writeBlock()).toBe('none')
})

test('nobody writes after a sign-out, until the next sign-in of the same person', () => {
  openPageAs(person('eve'))
  pollFinds(null)
  expect(writeBlock()).toBe('signed out')
  pollFinds(person('eve'))
  expect(writeBlock()).toBe('none')
})

test('a page stays the page of who opened it, however often somebody else goes on to another', () => {
  openPageAs(person('eve'))
  pollFinds(person('dev'))
  expect(writeBlock()).toBe('another person')
  openPageAs(person('dev'))
  expect(writeBlock()).toBe('another person')
})

test('a page that was opened after the sign-out is the page of who signs in next', () => {
  openPageAs(person('eve'))
  pollFinds(null)
  openPageAs(null)
  pollFinds(person('dev'))
  openPageAs(person('dev'))
  expect(writeBlock()).toBe('none')
})

test('other access keeps nobody from writing: that is for the server to refuse', () => {
  openPageAs(person('ada', 'Passport.Admin'))
  pollFinds(person('ada'))
  expect(writeBlock()).toBe('none')
})

test('nothing is held back from a stranger, who has nothing to lose', () => {
  openPageAs(null)
  pollFinds(null)
  expect(writeBlock()).toBe('none')
})

test('what one person read is forgotten when the next one opens a page, and not before', () => {
  openPageAs(person('eve'))
  pollFinds(person('eve'))
  queryClient.setQueryData(['sessions'], ['eve’s laptop'])
  openPageAs(null)
  openPageAs(person('eve'))
  expect(queryClient.getQueryData(['sessions'])).toEqual(['eve’s laptop'])
  openPageAs(null)
  openPageAs(person('dev'))
  expect(queryClient.getQueryData(['sessions'])).toBeUndefined()
  expect(queryClient.getQueryData(currentUserQuery.queryKey)).toEqual(person('eve'))
})
