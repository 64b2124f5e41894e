import type { CurrentUser } from '@passport/contract/current-user'
import { type AnyRoute, isRedirect } from '@tanstack/react-router'
import { afterEach, describe, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { listDestinations } from './destinations.ts'
import { listItems } from './palette-items.ts'
import { queryClient } from './query-client.ts'
import { router } from './routes.tsx'

const createUser = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})
const ada = createUser('Passport.Admin', 'Passport.Developer')
const paths = Object.keys(router.routesByPath) as (keyof typeof router.routesByPath)[]

/** Returns a route after its sections, in the order in which their guards run. */
function withSections(route: AnyRoute): AnyRoute[] {
  return route.isRoot ? [] : [...withSections(route.parentRoute), route]
}

/** Returns the redirect of a path's guards; undefined if they admit the user. */
async function runGuards(path: (typeof paths)[number], user: CurrentUser | null): Promise<unknown> {
  queryClient.setQueryData(currentUserQuery.queryKey, user)
  const location = { publicHref: `/app${path}`, pathname: path }
  try {
    for (const { options } of withSections(router.routesByPath[path])) await options.beforeLoad?.({ location } as never)
    return undefined
  } catch (thrown) {
    if (isRedirect(thrown)) return thrown.options.to
    throw thrown
  }
}

afterEach(() => queryClient.clear())

/** Reports whether a link leads to a page of the router's table, which has no queries and no trailing slashes. */
const isPage = (to: string) => paths.some((path) => path === to.replace(/\?.*$/, '').replace(/(?<=.)\/$/, ''))

test.for(listDestinations(ada))('$label of the bars leads to a page, $to', ({ to }) => {
  expect(isPage(to)).toBe(true)
})

test('every page and form of the palette is a page, for each kind of user', () => {
  for (const user of [ada, createUser(), createUser('Passport.Developer')]) {
    const targets = listItems(user).flatMap(({ to }) => to ?? [])
    expect(targets.length).toBeGreaterThan(5)
    expect(targets.filter((to) => !isPage(to))).toEqual([])
  }
})

describe('every page', () => {
  const isUnder = (area: string) => (path: string) => path === area || path.startsWith(`${area}/`)

  test.for(paths.filter(isUnder('/admin')))('%s is restricted to administrators', async (path) => {
    expect(await runGuards(path, null)).toBe('/notfound')
    expect(await runGuards(path, createUser('Passport.Developer'))).toBe('/notfound')
    expect(await runGuards(path, createUser('Passport.Admin'))).not.toBe('/notfound')
  })

  test.for(paths.filter(isUnder('/developer')))('%s is restricted to developers', async (path) => {
    expect(await runGuards(path, null)).toBe('/notfound')
    expect(await runGuards(path, createUser('Passport.Admin'))).toBe('/notfound')
    expect(await runGuards(path, createUser('Passport.Developer'))).not.toBe('/notfound')
  })

  /** Buyers come from AWS Marketplace before they have an account. */
  const isOfBuyers = isUnder('/account/marketplace')

  test.for(paths.filter((path) => isUnder('/account')(path) && !isOfBuyers(path)))(
    '%s is restricted to signed-in users',
    async (path) => {
      expect(await runGuards(path, null)).toBe('/notfound')
      expect(await runGuards(path, createUser())).not.toBe('/notfound')
    },
  )

  test.for(paths.filter((path) => isOfBuyers(path) || !/^\/(?:admin|developer|account|login)/.test(path)))(
    '%s is public',
    async (path) => {
      expect(await runGuards(path, null)).toBeUndefined()
    },
  )
})

test('Not Found never redirects, which would loop', async () => {
  for (const user of [null, createUser(), ada]) expect(await runGuards('/notfound', user)).toBeUndefined()
})

test('every page but the home page has its own title or an inherited one', () => {
  const isTitled = ({ options }: AnyRoute) => options.staticData?.title !== undefined
  const untitled = paths.filter((path) => !withSections(router.routesByPath[path]).some(isTitled))
  expect(untitled).toEqual(['/', '/account', '/admin', '/admin/bin', '/admin/tools'])
})
