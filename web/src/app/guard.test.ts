import type { CurrentUser } from '@passport/contract/current-user'
import { isRedirect } from '@tanstack/react-router'
import { afterEach, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { guard, type Needs } from './guard.ts'
import { queryClient } from './query-client.ts'

const person = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})
const people = {
  anonymous: null,
  eve: person(),
  dev: person('Passport.Developer'),
  max: person('Passport.Admin'),
  ada: person('Passport.Admin', 'Passport.Developer'),
  misspelt: person('passport.admin', 'Passport.developer', 'Passport.Admin '),
}
type PersonName = keyof typeof people

const publicHref = '/app/admin/users?q=a%20b&q=c#part'
const visit = (userName: PersonName, needs: Needs | undefined) => {
  queryClient.setQueryData(currentUserQuery.queryKey, people[userName])
  return guard(needs)({ location: { publicHref } })
}

afterEach(() => queryClient.clear())

const allowedPeople: [Needs | undefined, PersonName[]][] = [
  [undefined, ['anonymous', 'eve', 'dev', 'max', 'ada', 'misspelt']],
  ['signedIn', ['eve', 'dev', 'max', 'ada', 'misspelt']],
  ['developer', ['dev', 'ada']],
  ['admin', ['max', 'ada']],
]
const cases = allowedPeople.flatMap(([needs, allowed]) =>
  (Object.keys(people) as PersonName[]).map((userName) => [needs, userName, allowed.includes(userName)] as const),
)

test.for(cases)('a page with the requirement %s admits %s: %s', async ([needs, userName, isAllowed]) => {
  const outcome = await visit(userName, needs).then(
    () => 'admitted',
    (thrown: unknown) => thrown,
  )
  expect(outcome === 'admitted').toBe(isAllowed)
  expect(isRedirect(outcome)).toBe(!isAllowed)
})

test('redirects a user without the role to Not Found with the full URL, including the base path, and replaces the history entry', async () => {
  await expect(visit('eve', 'admin')).rejects.toMatchObject({
    options: { to: '/notfound', search: { returnUrl: publicHref }, replace: true },
  })
})
