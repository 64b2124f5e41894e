import type { CurrentUser } from '@passport/contract/current-user'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { currentUserQuery, hasRole, sessionChange } from './current-user.ts'

const person = (sub: string, ...roles: string[]): CurrentUser => ({
  claims: { sub, idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})

describe('what happened to the session', () => {
  test.for([
    ['a stranger who stays one', null, null, 'none'],
    ['a stranger who signs in', null, person('eve'), 'none'],
    ['the same person', person('eve'), person('eve'), 'none'],
    ['the same person with the same role', person('ada', 'Passport.Admin'), person('ada', 'Passport.Admin'), 'none'],
    ['a person who is signed out', person('eve'), null, 'signed out'],
    ['somebody else', person('eve'), person('dev'), 'another person'],
    [
      'somebody else with the same role',
      person('a', 'Passport.Admin'),
      person('b', 'Passport.Admin'),
      'another person',
    ],
    ['a role that is gone', person('ada', 'Passport.Admin'), person('ada'), 'other access'],
    ['a role that is new', person('ada'), person('ada', 'Passport.Developer'), 'other access'],
    ['another role', person('ada', 'Passport.Admin'), person('ada', 'Passport.Developer'), 'other access'],
  ] as const)('%s', ([, opened, now, expected]) => {
    expect(sessionChange(opened, now)).toBe(expected)
  })

  test('a new name or a new sign-in of the same person is none', () => {
    const eve = person('eve')
    expect(sessionChange(eve, { ...eve, claims: { ...eve.claims, name: 'Eve Moreau', auth_time: 2 } })).toBe('none')
  })
})

test.for([
  [['Passport.Admin'], true, false],
  [['Passport.Developer'], false, true],
  [['Passport.Admin', 'Passport.Developer'], true, true],
  [['passport.admin', 'PASSPORT.DEVELOPER', 'Passport.Admins', 'Admin'], false, false],
  [[], false, false],
] as const)('of the roles %j, Admin is %s and Developer is %s', ([roles, isAdmin, isDeveloper]) => {
  const user = person('ada', ...roles)
  expect(hasRole(user, 'Passport.Admin')).toBe(isAdmin)
  expect(hasRole(user, 'Passport.Developer')).toBe(isDeveloper)
})

test('nobody has a role', () => {
  expect(hasRole(null, 'Passport.Admin')).toBe(false)
})

describe('the question who is signed in', () => {
  afterEach(() => void vi.unstubAllGlobals())

  test.for([
    ['an answer that is refused', async () => new Response('{}', { status: 401 })],
    ['a server that fails', async () => new Response('no', { status: 500 })],
    ['a page in place of the answer', async () => new Response('<!doctype html>')],
    ['a network that is away', () => Promise.reject(new TypeError('Failed to fetch'))],
  ] as const)('means nobody after %s, and is not asked again at once', async ([, network]) => {
    const fetch = vi.fn(network)
    vi.stubGlobal('fetch', fetch)
    expect(await new QueryClient().fetchQuery(currentUserQuery)).toBeNull()
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('goes to the service that the page came from', async () => {
    const asked: string[] = []
    vi.stubGlobal('fetch', async ({ method, url }: Request) => {
      asked.push(`${method} ${url}`)
      return Response.json(person('eve'))
    })
    expect(await new QueryClient().fetchQuery(currentUserQuery)).toEqual(person('eve'))
    expect(asked).toEqual([`GET ${location.origin}/passport/apphelper/user`])
  })
})
