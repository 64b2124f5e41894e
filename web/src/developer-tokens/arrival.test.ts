import type { SigninClient, User } from '@passport/sign-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { arrive, isAnswer } from './arrival.ts'

const page = '/app/developer/tokens?x=1'
const user = { access_token: 'abc', profile: { sub: 'ada' } } as User
const clientWith = (by: Partial<SigninClient>) =>
  ({ getUser: async () => null, signinCallback: vi.fn(async () => user), ...by }) as unknown as SigninClient
const failing = (code: string, stored: User | null = null) => {
  const failure = Object.assign(new Error(code), { code })
  const client = clientWith({ signinCallback: () => Promise.reject(failure), getUser: async () => stored })
  return { client, failure }
}

beforeEach(() => history.replaceState({ kept: 1 }, '', page))
afterEach(() => history.replaceState(null, '', '/'))

test.for([
  ['#code=a&state=b', true],
  ['#state=b&code=a', true],
  ['#error=access_denied&state=b', true],
  ['', false],
  ['#part', false],
  ['#barcode=1', false],
] as const)('whether %s is an answer: %s', ([hash, expected]) => expect(isAnswer(hash)).toBe(expected))

test('a page without an answer asks nobody', async () => {
  const client = clientWith({ getUser: async () => user })
  expect(await arrive(client, 'ada')).toEqual({ user })
  expect(client.signinCallback).not.toHaveBeenCalled()
})

test('a token that somebody else left in this tab is removed and not shown', async () => {
  const removeUser = vi.fn(async () => {})
  const client = clientWith({ getUser: async () => user, removeUser })
  expect(await arrive(client, 'eve')).toEqual({ user: null })
  expect(removeUser).toHaveBeenCalledOnce()
})

describe('an answer', () => {
  const answer = () => history.replaceState({ kept: 1 }, '', `${page}#code=a&state=b`)
  beforeEach(answer)
  const expectGone = () => {
    expect(location.pathname + location.search + location.hash).toBe(page)
    expect(history.state).toEqual({ kept: 1 })
  }

  test('is completed, and is gone from the address', async () => {
    const client = clientWith({})
    const { href } = location
    expect(await arrive(client, 'ada')).toEqual({ user })
    expect(client.signinCallback).toHaveBeenCalledExactlyOnceWith(href)
    expectGone()
  })

  test('that fails is gone from the address too, and the token before it stays', async () => {
    const { client, failure } = failing('access_denied', user)
    expect(await arrive(client, 'ada')).toEqual({ user, failure })
    expectGone()
  })

  test('that comes again is no failure for one who has the token from it', async () => {
    expect(await arrive(failing('state_already_used', user).client, 'ada')).toEqual({ user })
    answer()
    const { client, failure } = failing('state_already_used')
    expect(await arrive(client, 'ada')).toEqual({ user: null, failure })
    expectGone()
  })
})
