import { signOut } from '@passport/contract/accounts'
import { ApiError } from '@passport/contract/call'
import { type CurrentUser, getCurrentUser } from '@passport/contract/current-user'
import { putPreference } from '@passport/contract/preferences'
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { call, DescribedError, query, SessionChanged, toFailure } from './api.ts'
import { currentUserQuery } from './current-user.ts'
import { setPageUser } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { Cancelled } from './reauthentication.ts'
import { openReauthenticationChannel } from './reauthentication-channel.ts'

const createUser = (sub: string): CurrentUser => ({
  claims: { sub, idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles: [],
  orgs: [],
})
const problem = { type: 'about:blank', title: 'Unauthorized', status: 401, code: 'not-signed-in', traceId: '0af7' }
const setCurrentUser = (user: CurrentUser | null) => queryClient.setQueryData(currentUserQuery.queryKey, user)

/** Records the requests; `respond` returns the responses. */
function mockFetch(respond: (line: string) => Response): string[] {
  const requests: string[] = []
  vi.stubGlobal('fetch', async ({ method, url }: Request) => {
    const line = `${method} ${url.replace(location.origin, '')}`
    requests.push(line)
    return respond(line)
  })
  return requests
}

beforeEach(() => setPageUser(createUser('eve')))
afterEach(() => {
  setPageUser(null)
  queryClient.clear()
  vi.unstubAllGlobals()
})

describe('call', () => {
  const savePreference = () => call(putPreference, { params: { userId: 'me', key: 'a/b' }, body: 'v' })

  test('sends a request of the user who opened the page', async () => {
    const requests = mockFetch(() => new Response(null, { status: 204 }))
    setCurrentUser(createUser('eve'))
    await savePreference()
    expect(requests).toEqual(['PUT /passport/preferences/me/a%2Fb'])
  })

  test.for([
    ['no user', null, "You've been signed out. Nothing was saved."],
    ['another user', createUser('dev'), 'Another user is signed in now. Nothing was saved.'],
  ] as const)('does not send a write while %s is signed in', async ([, current, message]) => {
    const requests = mockFetch(() => new Response(null, { status: 204 }))
    setCurrentUser(current)
    await expect(savePreference()).rejects.toThrow(new SessionChanged(message))
    await expect(call(signOut, { body: { everywhere: false } })).rejects.toThrow(SessionChanged)
    expect(requests).toEqual([])
  })

  test('sends a read for any signed-in user', async () => {
    const requests = mockFetch(() => Response.json(createUser('dev')))
    setCurrentUser(createUser('dev'))
    expect(await call(getCurrentUser, {})).toEqual(createUser('dev'))
    expect(requests).toHaveLength(1)
  })

  test.for([
    ['a missing sign-in', Response.json(problem, { status: 401 }), true],
    ['another problem', Response.json({ ...problem, code: 'token-invalid' }, { status: 401 }), false],
    ['no known problem', new Response('no', { status: 401 }), false],
  ] as const)('a 401 for %s refreshes the current user: %s', async ([, respond, isRefreshed]) => {
    mockFetch(() => respond)
    setCurrentUser(createUser('eve'))
    await expect(savePreference()).rejects.toBeInstanceOf(ApiError)
    expect(queryClient.getQueryState(currentUserQuery.queryKey)?.isInvalidated).toBe(isRefreshed)
  })
})

describe('a call that needs a recent authentication', () => {
  const requireReauthentication = () =>
    Response.json({ ...problem, code: 'reauthentication-required' }, { status: 401 })
  const savePreference = () => call(putPreference, { params: { userId: 'me', key: 'a' }, body: 'v' })
  const dialog = () => screen.findByRole('alertdialog', { name: 'Confirm it’s you' })
  const userRequest = 'GET /passport/apphelper/user'

  /** Refuses writes until `user` has signed in again; then returns that user. */
  function networkUntilSignedIn(user: CurrentUser) {
    let isRecent = false
    const requests = mockFetch((line) => {
      if (line === userRequest) return Response.json(user)
      return isRecent ? new Response(null, { status: 204 }) : requireReauthentication()
    })
    const signIn = () => {
      isRecent = true
      const channel = openReauthenticationChannel()
      channel.postMessage('signed in')
      channel.close()
    }
    return { sent: requests, signIn }
  }

  test('waits for the sign-in and is sent again; concurrent calls share the dialog', async () => {
    const { sent: requests, signIn } = networkUntilSignedIn(createUser('eve'))
    setCurrentUser(createUser('eve'))
    const both = Promise.all([savePreference(), savePreference()])
    await dialog()
    expect(screen.getAllByRole('alertdialog')).toHaveLength(1)
    signIn()
    await both
    expect(requests.filter((line) => line.startsWith('PUT'))).toHaveLength(4)
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  test('is not sent again after another user signed in', async () => {
    const { sent: requests, signIn } = networkUntilSignedIn(createUser('dev'))
    setCurrentUser(createUser('eve'))
    const saving = savePreference()
    await dialog()
    signIn()
    await expect(saving).rejects.toThrow(new SessionChanged('Another user is signed in now. Nothing was saved.'))
    expect(requests.filter((line) => line.startsWith('PUT'))).toHaveLength(1)
  })

  test('is rejected when the user cancels, and asks again the next time', async () => {
    mockFetch(requireReauthentication)
    setCurrentUser(createUser('eve'))
    for (let time = 0; time < 2; time++) {
      const saving = savePreference()
      await dialog()
      fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
      await expect(saving).rejects.toThrow(new Cancelled("You didn't sign in again. Nothing was changed."))
    }
  })
})

test("query keys are the endpoint's path and its arguments", () => {
  expect(query(getCurrentUser, {}).queryKey).toEqual(['/passport/apphelper/user', {}])
})

describe('toFailure', () => {
  const createError = (status: number, body: unknown) =>
    new ApiError(new Response(null, { status }), `${location.origin}/passport/x`, body)

  test.for([
    [
      'a problem reported by the service',
      createError(409, {
        ...problem,
        status: 409,
        code: 'preference-limit',
        detail: 'There are 500 already.',
        traceId: '4bf92f3577b3',
        supportCode: '0AF7-6519',
      }),
      { title: "Couldn't do that", detail: 'There are 500 already.', supportCode: '0AF7-6519' },
    ],
    [
      'a missing sign-in, which the session bar reports,',
      createError(401, problem),
      { title: 'Not done', detail: 'Sign in again, then try again.' },
    ],
    [
      'a response of an intermediary',
      createError(502, '<html>'),
      { title: 'Something went wrong', detail: 'Bad Gateway (502)', supportCode: undefined },
    ],
    [
      'a blocked write',
      new SessionChanged("You've been signed out. Nothing was saved."),
      { title: 'Not saved', detail: "You've been signed out. Nothing was saved." },
    ],
    [
      'an error with a sentence for the user',
      new DescribedError('1 of 2 users were not changed back.'),
      { title: 'Not done', detail: '1 of 2 users were not changed back.' },
    ],
    [
      'no response',
      new TypeError('Failed to fetch'),
      { title: 'No connection', detail: "Couldn't reach the server. Check your connection and try again." },
    ],
  ] as const)('describes %s', ([, error, failure]) => {
    expect(toFailure(error)).toEqual(failure)
  })

  test.for([
    [403, "You don't have access"],
    [404, 'Not found'],
    [412, "Couldn't do that"],
    [429, "Couldn't do that"],
    [500, 'Something went wrong'],
    [503, 'Something went wrong'],
  ] as const)('has a title in words for %d, or names the operation', ([status, title]) => {
    expect(toFailure(createError(status, { ...problem, code: 'x' })).title).toBe(title)
    expect(toFailure(createError(status, '<html>'), 'load users').title).toBe("Couldn't load users")
  })
})
