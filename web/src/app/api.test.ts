import { signOut } from '@passport/contract/accounts'
import { ApiError } from '@passport/contract/call'
import { type CurrentUser, getCurrentUser } from '@passport/contract/current-user'
import { putPreference } from '@passport/contract/preferences'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { call, failureOf, query, SessionChanged } from './api.ts'
import { currentUserQuery } from './current-user.ts'
import { openPageAs } from './page-user.ts'
import { queryClient } from './query-client.ts'

const person = (sub: string): CurrentUser => ({ claims: { sub, idp: 'local', auth_time: 1 }, roles: [], orgs: [] })
const problem = { type: 'about:blank', title: 'Unauthorized', status: 401, code: 'not-signed-in', traceId: '0af7' }
const pollFinds = (user: CurrentUser | null) => queryClient.setQueryData(currentUserQuery.queryKey, user)

/** What went over the network, which answers with `answer`. */
function network(answer: () => Response): string[] {
  const sent: string[] = []
  vi.stubGlobal('fetch', async ({ method, url }: Request) => {
    sent.push(`${method} ${url.replace(location.origin, '')}`)
    return answer()
  })
  return sent
}

beforeEach(() => openPageAs(person('eve')))
afterEach(() => {
  openPageAs(null)
  queryClient.clear()
  vi.unstubAllGlobals()
})

describe('a call', () => {
  const saved = () => call(putPreference, { params: { userId: 'me', key: 'a/b' }, body: 'v' })

  test('of whoever opened the page goes out', async () => {
    const sent = network(() => new Response(null, { status: 204 }))
    pollFinds(person('eve'))
    await saved()
    expect(sent).toEqual(['PUT /passport/preferences/me/a%2Fb'])
  })

  test.for([
    ['nobody', null, 'You have been signed out. Nothing was saved.'],
    ['somebody else', person('dev'), 'Somebody else is signed in now. Nothing was saved.'],
  ] as const)('that writes is not sent while %s is signed in', async ([, now, message]) => {
    const sent = network(() => new Response(null, { status: 204 }))
    pollFinds(now)
    await expect(saved()).rejects.toThrow(new SessionChanged(message))
    await expect(call(signOut, { body: { everywhere: false } })).rejects.toThrow(SessionChanged)
    expect(sent).toEqual([])
  })

  test('that reads is sent whoever is signed in', async () => {
    const sent = network(() => Response.json(person('dev')))
    pollFinds(person('dev'))
    expect(await call(getCurrentUser, {})).toEqual(person('dev'))
    expect(sent).toHaveLength(1)
  })

  test.for([
    ['that nobody is signed in', Response.json(problem, { status: 401 }), true],
    ['something else', Response.json({ ...problem, code: 'reauthentication-required' }, { status: 401 }), false],
    ['nothing that is known', new Response('no', { status: 401 }), false],
  ] as const)('that is refused with 401 for %s makes the app ask who is: %s', async ([, answer, doesAsk]) => {
    network(() => answer)
    pollFinds(person('eve'))
    await expect(saved()).rejects.toBeInstanceOf(ApiError)
    expect(queryClient.getQueryState(currentUserQuery.queryKey)?.isInvalidated).toBe(doesAsk)
  })
})

test('what is loaded is kept by the path of its endpoint and by what was sent', () => {
  expect(query(getCurrentUser, {}).queryKey).toEqual(['/passport/apphelper/user', {}])
})

describe('what a person is told of', () => {
  const answered = (status: number, body: unknown) =>
    new ApiError(new Response(null, { status }), `${location.origin}/passport/x`, body)

  test.for([
    [
      'a problem that the service tells',
      answered(409, { ...problem, status: 409, code: 'preference-limit', detail: 'There are 500 already.' }),
      { title: '409 Conflict', detail: 'There are 500 already.', traceId: '0af7' },
    ],
    [
      'an answer of something in between',
      answered(502, '<html>'),
      { title: '502 Bad Gateway', detail: 'Bad Gateway', traceId: undefined },
    ],
    [
      'a write that was held back',
      new SessionChanged('You have been signed out. Nothing was saved.'),
      { title: 'Not saved', detail: 'You have been signed out. Nothing was saved.' },
    ],
    [
      'no answer',
      new TypeError('Failed to fetch'),
      { title: 'No connection', detail: 'The server did not answer. Check the network and try again.' },
    ],
  ] as const)('%s', ([, error, failure]) => {
    expect(failureOf(error)).toEqual(failure)
  })
})
