import type { SigninClient, User } from '@passport/sign-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completeSignin, isSigninResponse } from './complete-signin.ts'

const page = '/app/developer/tokens?x=1'
const user = { access_token: 'abc', profile: { sub: 'ada' } } as User
const createClient = (overrides: Partial<SigninClient>) =>
  ({ getUser: async () => null, signinCallback: vi.fn(async () => user), ...overrides }) as unknown as SigninClient
/** Creates a client whose callback fails with a code. */
const createFailingClient = (code: string, stored: User | null = null) => {
  const failure = Object.assign(new Error(code), { code })
  const client = createClient({ signinCallback: () => Promise.reject(failure), getUser: async () => stored })
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
] as const)('isSigninResponse(%j) returns %j', ([hash, expected]) => expect(isSigninResponse(hash)).toBe(expected))

test('returns the stored user if the URL has no response', async () => {
  const client = createClient({ getUser: async () => user })
  expect(await completeSignin(client, 'ada')).toEqual({ user })
  expect(client.signinCallback).not.toHaveBeenCalled()
})

test("removes another user's token from this tab and does not return it", async () => {
  const removeUser = vi.fn(async () => {})
  const client = createClient({ getUser: async () => user, removeUser })
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
    const client = createClient({})
    const { href } = location
    expect(await completeSignin(client, 'ada')).toEqual({ user })
    expect(client.signinCallback).toHaveBeenCalledExactlyOnceWith(href)
    expectResponseRemoved()
  })

  test('that fails is removed from the URL, and the earlier token is kept', async () => {
    const { client, failure } = createFailingClient('access_denied', user)
    expect(await completeSignin(client, 'ada')).toEqual({ user, failure })
    expectResponseRemoved()
  })

  test('that was used before is a failure only if its token is not stored', async () => {
    expect(await completeSignin(createFailingClient('state_already_used', user).client, 'ada')).toEqual({ user })
    receiveResponse()
    const { client, failure } = createFailingClient('state_already_used')
    expect(await completeSignin(client, 'ada')).toEqual({ user: null, failure })
    expectResponseRemoved()
  })
})
