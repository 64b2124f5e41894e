import type { SigninClient, User } from '@passport/sign-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completeSignin, isSigninResponse } from './complete-signin.ts'

const page = '/app/developer/tokens?x=1'
const user = { access_token: 'abc', profile: { sub: 'ada' } } as User
const clientWith = (overrides: Partial<SigninClient>) =>
  ({ getUser: async () => null, signinCallback: vi.fn(async () => user), ...overrides }) as unknown as SigninClient
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
] as const)('isAnswer(%s) is %s', ([hash, expected]) => expect(isSigninResponse(hash)).toBe(expected))

test('without a response, completes no sign-in', async () => {
  const client = clientWith({ getUser: async () => user })
  expect(await completeSignin(client, 'ada')).toEqual({ user })
  expect(client.signinCallback).not.toHaveBeenCalled()
})

test("removes another user's token from this tab and does not show it", async () => {
  const removeUser = vi.fn(async () => {})
  const client = clientWith({ getUser: async () => user, removeUser })
  expect(await completeSignin(client, 'eve')).toEqual({ user: null })
  expect(removeUser).toHaveBeenCalledOnce()
})

describe('a response', () => {
  const receiveResponse = () => history.replaceState({ kept: 1 }, '', `${page}#code=a&state=b`)
  beforeEach(receiveResponse)
  const expectResponseRemoved = () => {
    expect(location.pathname + location.search + location.hash).toBe(page)
    expect(history.state).toEqual({ kept: 1 })
  }

  test('is completed and removed from the URL', async () => {
    const client = clientWith({})
    const { href } = location
    expect(await completeSignin(client, 'ada')).toEqual({ user })
    expect(client.signinCallback).toHaveBeenCalledExactlyOnceWith(href)
    expectResponseRemoved()
  })

  test('that fails is removed from the URL too, and keeps the earlier token', async () => {
    const { client, failure } = failing('access_denied', user)
    expect(await completeSignin(client, 'ada')).toEqual({ user, failure })
    expectResponseRemoved()
  })

  test('that is used again is not a failure if its token is stored', async () => {
    expect(await completeSignin(failing('state_already_used', user).client, 'ada')).toEqual({ user })
    receiveResponse()
    const { client, failure } = failing('state_already_used')
    expect(await completeSignin(client, 'ada')).toEqual({ user: null, failure })
    expectResponseRemoved()
  })
})
