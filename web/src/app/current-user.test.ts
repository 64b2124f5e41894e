import type { CurrentUser } from '@passport/contract/current-user'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { compareSessions, currentUserQuery, getPollState, hasRole } from './current-user.ts'

const createUser = (sub: string, ...roles: string[]): CurrentUser => ({
  claims: { sub, idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})

describe('compareSessions', () => {
  test.for([
    ['a visitor who stays signed out', null, null, 'none'],
    ['a visitor who signs in', null, createUser('eve'), 'none'],
    ['the same user', createUser('eve'), createUser('eve'), 'none'],
    [
      'the same user with the same role',
      createUser('ada', 'Passport.Admin'),
      createUser('ada', 'Passport.Admin'),
      'none',
    ],
    ['a user who is signed out', createUser('eve'), null, 'signed out'],
    ['another user', createUser('eve'), createUser('dev'), 'another user'],
    [
      'another user with the same role',
      createUser('a', 'Passport.Admin'),
      createUser('b', 'Passport.Admin'),
      'another user',
    ],
    ['a revoked role', createUser('ada', 'Passport.Admin'), createUser('ada'), 'other access'],
    ['a new role', createUser('ada'), createUser('ada', 'Passport.Developer'), 'other access'],
    ['another role', createUser('ada', 'Passport.Admin'), createUser('ada', 'Passport.Developer'), 'other access'],
  ] as const)('%s', ([, opened, current, expected]) => {
    expect(compareSessions(opened, current)).toBe(expected)
  })

  test('ignores a new name or a new sign-in of the same user', () => {
    const eve = createUser('eve')
    expect(compareSessions(eve, { ...eve, claims: { ...eve.claims, name: 'Eve Moreau', auth_time: 2 } })).toBe('none')
  })
})

test.for([
  [['Passport.Admin'], true, false],
  [['Passport.Developer'], false, true],
  [['Passport.Admin', 'Passport.Developer'], true, true],
  [['passport.admin', 'PASSPORT.DEVELOPER', 'Passport.Admins', 'Admin'], false, false],
  [[], false, false],
] as const)('with the roles %j, Admin is %s and Developer is %s', ([roles, isAdmin, isDeveloper]) => {
  const user = createUser('ada', ...roles)
  expect(hasRole(user, 'Passport.Admin')).toBe(isAdmin)
  expect(hasRole(user, 'Passport.Developer')).toBe(isDeveloper)
})

test('a signed-out visitor has no role', () => {
  expect(hasRole(null, 'Passport.Admin')).toBe(false)
})

describe('currentUserQuery', () => {
  afterEach(() => void vi.unstubAllGlobals())

  test.for([
    ['a refused request', async () => new Response('{}', { status: 401 })],
    ['a failing server', async () => new Response('no', { status: 500 })],
    ['a page instead of JSON', async () => new Response('<!doctype html>')],
    ['a network failure', () => Promise.reject(new TypeError('Failed to fetch'))],
  ] as const)('returns null after %s without an immediate retry', async ([, network]) => {
    const fetch = vi.fn(network)
    vi.stubGlobal('fetch', fetch)
    expect(await new QueryClient().fetchQuery(currentUserQuery)).toBeNull()
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('keeps the known user while the server does not respond, and polls again after 2, 5, 10 and 30 s', async () => {
    const client = new QueryClient()
    const interval = () => (currentUserQuery.refetchInterval as () => number)()
    const poll = async (network: () => Promise<Response>) => {
      vi.stubGlobal('fetch', network)
      return [await client.fetchQuery({ ...currentUserQuery, staleTime: 0 }), interval()]
    }
    const answer = async () => Response.json(createUser('eve'))
    expect(await poll(answer)).toEqual([createUser('eve'), 30_000])
    const failures = [
      async () => new Response('no', { status: 503 }),
      () => Promise.reject(new TypeError('Failed to fetch')),
      async () => new Response('<!doctype html>'),
      async () => new Response('no', { status: 500 }),
    ]
    const intervals: unknown[] = []
    for (const network of failures) {
      const [user, next] = await poll(network)
      expect(user).toEqual(createUser('eve'))
      intervals.push(next)
    }
    expect(intervals).toEqual([2_000, 5_000, 10_000, 30_000])
    expect(await poll(answer)).toEqual([createUser('eve'), 30_000])
    expect(await poll(async () => new Response('{}', { status: 401 }))).toEqual([null, 30_000])
  })

  test.for([{}, null, [], { claims: {} }, { claims: { sub: 'eve' }, roles: [] }])(
    'treats a 200 with %j as no user, with its trace id',
    async (body) => {
      const headers = { 'x-trace-id': '0af7651916cd43dd8448eb211c80319c' }
      vi.stubGlobal('fetch', async () => Response.json(body, { headers }))
      expect(await new QueryClient().fetchQuery(currentUserQuery)).toBeNull()
      expect(getPollState()).toEqual({ failures: 0, unknownAnswer: { traceId: '0af7651916cd43dd8448eb211c80319c' } })
    },
  )

  test('fails after 10 s without a response', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('fetch', ({ signal }: Request) => {
      const { promise, reject } = Promise.withResolvers<Response>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    })
    const answer = new QueryClient().fetchQuery(currentUserQuery)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await answer).toBeNull()
    expect(getPollState().failures).toBeGreaterThan(0)
    vi.useRealTimers()
  })

  test('is requested from the service that served the page', async () => {
    const requests: string[] = []
    vi.stubGlobal('fetch', async ({ method, url }: Request) => {
      requests.push(`${method} ${url}`)
      return Response.json(createUser('eve'))
    })
    expect(await new QueryClient().fetchQuery(currentUserQuery)).toEqual(createUser('eve'))
    expect(requests).toEqual([`GET ${location.origin}/passport/apphelper/user`])
  })
})
