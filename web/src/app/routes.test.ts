import type { CurrentUser } from '@passport/contract/current-user'
import { isRedirect } from '@tanstack/react-router'
import { afterEach, describe, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { queryClient } from './query-client.ts'
import { destinationsFor } from './role-pages.ts'
import { router } from './routes.tsx'

const person = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})
const ada = person('Passport.Admin', 'Passport.Developer')
const paths = Object.keys(router.routesByPath) as (keyof typeof router.routesByPath)[]

/** Returns the redirect of a route's guard; undefined if it admits the user. */
async function runGuard(path: (typeof paths)[number], user: CurrentUser | null): Promise<unknown> {
  queryClient.setQueryData(currentUserQuery.queryKey, user)
  const { beforeLoad } = router.routesByPath[path].options
  const enter = beforeLoad as ((visit: { location: { publicHref: string; pathname: string } }) => unknown) | undefined
  try {
    await enter?.({ location: { publicHref: `/app${path}`, pathname: path } })
    return undefined
  } catch (thrown) {
    if (isRedirect(thrown)) return thrown.options.to
    throw thrown
  }
}

afterEach(() => queryClient.clear())

test.for(destinationsFor(ada))('$label of the bars and the palette leads to a page, $to', ({ to }) => {
  // The router's table has no trailing slash.
  expect(paths).toContain(to.replace(/(?<=.)\/$/, ''))
})

describe('every page', () => {
  const isUnder = (area: string) => (path: string) => path === area || path.startsWith(`${area}/`)

  test.for(paths.filter(isUnder('/admin')))('%s is restricted to administrators', async (path) => {
    expect(await runGuard(path, null)).toBe('/notfound')
    expect(await runGuard(path, person('Passport.Developer'))).toBe('/notfound')
    expect(await runGuard(path, person('Passport.Admin'))).not.toBe('/notfound')
  })

  test.for(paths.filter(isUnder('/developer')))('%s is restricted to developers', async (path) => {
    expect(await runGuard(path, null)).toBe('/notfound')
    expect(await runGuard(path, person('Passport.Admin'))).toBe('/notfound')
    expect(await runGuard(path, person('Passport.Developer'))).not.toBe('/notfound')
  })

  test.for(paths.filter(isUnder('/account')))('%s is restricted to signed-in users', async (path) => {
    expect(await runGuard(path, null)).toBe('/notfound')
    expect(await runGuard(path, person())).not.toBe('/notfound')
  })

  test.for(paths.filter((path) => !/^\/(?:admin|developer|account|login)/.test(path)))('%s is public', async (path) => {
    expect(await runGuard(path, null)).toBeUndefined()
  })
})

test('Not Found never redirects, which would loop', async () => {
  for (const user of [null, person(), ada]) expect(await runGuard('/notfound', user)).toBeUndefined()
})

test('every page but the home page has its own title or an inherited one', () => {
  const untitled = paths.filter((path) => !router.routesByPath[path].options.staticData?.title)
  expect(untitled).toEqual(['/', '/account', '/admin', '/admin/bin', '/admin/tools'])
})
