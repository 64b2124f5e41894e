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
  stranger: null,
  eve: person(),
  dev: person('Passport.Developer'),
  max: person('Passport.Admin'),
  ada: person('Passport.Admin', 'Passport.Developer'),
  misspelt: person('passport.admin', 'Passport.developer', 'Passport.Admin '),
}
type Who = keyof typeof people

const publicHref = '/app/admin/users?q=a%20b&q=c#part'
const visit = (who: Who, needs: Needs | undefined) => {
  queryClient.setQueryData(currentUserQuery.queryKey, people[who])
  return guard(needs)({ location: { publicHref } })
}

afterEach(() => queryClient.clear())

const letIn: [Needs | undefined, Who[]][] = [
  [undefined, ['stranger', 'eve', 'dev', 'max', 'ada', 'misspelt']],
  ['signedIn', ['eve', 'dev', 'max', 'ada', 'misspelt']],
  ['developer', ['dev', 'ada']],
  ['admin', ['max', 'ada']],
]
const cases = letIn.flatMap(([needs, allowed]) =>
  (Object.keys(people) as Who[]).map((who) => [needs, who, allowed.includes(who)] as const),
)

test.for(cases)('a page that needs %s lets %s in: %s', async ([needs, who, isLetIn]) => {
  const outcome = await visit(who, needs).then(
    () => 'let in',
    (thrown: unknown) => thrown,
  )
  expect(outcome === 'let in').toBe(isLetIn)
  expect(isRedirect(outcome)).toBe(!isLetIn)
})

test('who is not let in goes to Not Found with the whole address and its base, and Back leaves', async () => {
  await expect(visit('eve', 'admin')).rejects.toMatchObject({
    options: { to: '/notfound', search: { returnUrl: publicHref }, replace: true },
  })
})
