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

/** Where the guard of a route sends someone; nowhere where it lets them in. */
async function sentTo(path: (typeof paths)[number], user: CurrentUser | null): Promise<unknown> {
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
  // The router's table has no slash at the end.
  expect(paths).toContain(to.replace(/(?<=.)\/$/, ''))
})

describe('whatever page is added', () => {
  const isUnder = (area: string) => (path: string) => path === area || path.startsWith(`${area}/`)

  test.for(paths.filter(isUnder('/admin')))('%s is closed to all but admins', async (path) => {
    expect(await sentTo(path, null)).toBe('/notfound')
    expect(await sentTo(path, person('Passport.Developer'))).toBe('/notfound')
    expect(await sentTo(path, person('Passport.Admin'))).not.toBe('/notfound')
  })

  test.for(paths.filter(isUnder('/developer')))('%s is closed to all but developers', async (path) => {
    expect(await sentTo(path, null)).toBe('/notfound')
    expect(await sentTo(path, person('Passport.Admin'))).toBe('/notfound')
    expect(await sentTo(path, person('Passport.Developer'))).not.toBe('/notfound')
  })

  test.for(paths.filter(isUnder('/account')))('%s is closed to strangers only', async (path) => {
    expect(await sentTo(path, null)).toBe('/notfound')
    expect(await sentTo(path, person())).not.toBe('/notfound')
  })

  test.for(paths.filter((path) => !/^\/(?:admin|developer|account|login)/.test(path)))(
    '%s is open to strangers',
    async (path) => {
      expect(await sentTo(path, null)).toBeUndefined()
    },
  )
})

test('Not Found is no page that one is sent away from, which would go round for ever', async () => {
  for (const user of [null, person(), ada]) expect(await sentTo('/notfound', user)).toBeUndefined()
})

test('every page but the front door has a title of its own or above it', () => {
  const untitled = paths.filter((path) => !router.routesByPath[path].options.staticData?.title)
  expect(untitled).toEqual(['/', '/account', '/admin', '/admin/tools'])
})
