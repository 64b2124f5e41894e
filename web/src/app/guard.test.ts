import type { CurrentUser } from '@passport/contract/current-user'
import { isRedirect } from '@tanstack/react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { guard, type Needs, UserUnknown } from './guard.ts'
import { queryClient } from './query-client.ts'

const createUser = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})
const users = {
  anonymous: null,
  eve: createUser(),
  dev: createUser('Passport.Developer'),
  max: createUser('Passport.Admin'),
  ada: createUser('Passport.Admin', 'Passport.Developer'),
  misspelt: createUser('passport.admin', 'Passport.developer', 'Passport.Admin '),
}
type UserName = keyof typeof users

const publicHref = '/app/admin/users?q=a%20b&q=c#part'
const visit = (userName: UserName, needs: Needs | undefined) => {
  queryClient.setQueryData(currentUserQuery.queryKey, users[userName])
  return guard(needs)({ location: { publicHref } })
}

afterEach(() => queryClient.clear())

const allowedUsers: [Needs | undefined, UserName[]][] = [
  [undefined, ['anonymous', 'eve', 'dev', 'max', 'ada', 'misspelt']],
  ['signedIn', ['eve', 'dev', 'max', 'ada', 'misspelt']],
  ['developer', ['dev', 'ada']],
  ['admin', ['max', 'ada']],
]
const cases = allowedUsers.flatMap(([needs, allowed]) =>
  (Object.keys(users) as UserName[]).map((userName) => [needs, userName, allowed.includes(userName)] as const),
)

test.for(cases)('a page that requires %s admits %s: %s', async ([needs, userName, isAllowed]) => {
  const outcome = await visit(userName, needs).then(
    () => 'admitted',
    (thrown: unknown) => thrown,
  )
  expect(outcome === 'admitted').toBe(isAllowed)
  expect(isRedirect(outcome)).toBe(!isAllowed)
})

test('redirects a user without the role to /notfound, with the full URL as returnUrl, and replaces the history entry', async () => {
  await expect(visit('eve', 'admin')).rejects.toMatchObject({
    options: { to: '/notfound', search: { returnUrl: publicHref }, replace: true },
  })
})

test('does not redirect while the server does not answer who the user is', async () => {
  vi.stubGlobal('fetch', async () => new Response(null, { status: 503 }))
  await expect(guard('signedIn')({ location: { publicHref } })).rejects.toThrow(UserUnknown)
  vi.stubGlobal('fetch', async () => new Response(null, { status: 401 }))
  await queryClient.refetchQueries({ queryKey: currentUserQuery.queryKey })
  const refused = guard('signedIn')({ location: { publicHref } })
  await expect(refused).rejects.toMatchObject({ options: { to: '/notfound' } })
  vi.unstubAllGlobals()
})
