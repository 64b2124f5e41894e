import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, type TestUser, test } from './fixtures.ts'
import { navigateInApp } from './navigate.ts'
import { type Requirement, type Route, routes } from './routes.ts'

/** The names of the built files that only administrators or developers need. */
const guardedFiles = findBuiltFiles(
  /src\/(?:app\/(?:DeveloperPage|tenant-pages)|(?:branding|cors|users|groups|orgs|roles|audit|health|sign-in-traces|trash|content|invitations|permission-\w+|relations|developer-tokens)\/\w+Page|(?:clients|entitlements|identity-apis|roles|users)\/pages|device-authorization\/DeviceFlowPage)\./,
)

/** Returns the built files of the matching sources. */
function findBuiltFiles(source: RegExp): string[] {
  const manifest: Record<string, { file: string }> = JSON.parse(
    readFileSync(new URL('../web/dist/.vite/manifest.json', import.meta.url), 'utf8'),
  )
  return Object.entries(manifest).flatMap(([name, { file }]) => (source.test(name) ? [file] : []))
}

const allowedUsers: Record<Requirement, TestUser[]> = {
  anyone: ['stranger', 'eve', 'dev', 'max', 'ada'],
  signedIn: ['eve', 'dev', 'max', 'ada'],
  developer: ['dev', 'ada'],
  admin: ['max', 'ada'],
}

test('the build has a file for each guarded page', () => {
  for (const page of [
    'UsersPage',
    'GroupsPage',
    'OrgsPage',
    'RolesPage',
    'AuditPage',
    'DeveloperTokensPage',
    'tenant-pages',
  ])
    expect(
      guardedFiles.some((file) => file.includes(`/${page}-`)),
      page,
    ).toBe(true)
})

/** Returns the URL that a route leads a user to, and its title. */
function findDestination(user: TestUser, [path, needs, title, redirectTo = path]: Route): [url: string, title: string] {
  if (!allowedUsers[needs].includes(user))
    return [`/app/notfound?returnUrl=${encodeURIComponent(`${path}?q=1`)}`, 'Not Found | Stage Passport']
  return [`${redirectTo}?q=1`, title ? `${title} | Stage Passport` : 'Stage Passport']
}

/** Navigates to a path without a reload, waits for the expected URL and title, and returns the actual ones. */
const navigate = (page: Page, path: string, expected: [url: string, title: string]) =>
  page.evaluate(
    async ({ path, expected }) => {
      // The router sets the title when it has finished, even if the next page has the same title.
      document.title = ''
      history.pushState(null, '', path)
      dispatchEvent(new PopStateEvent('popstate'))
      const current = () => [location.pathname + location.search, document.title]
      const hasArrived = () => `${current()}` === `${expected}` && document.querySelector('#main h1') !== null
      const end = performance.now() + 10_000
      while (!hasArrived() && performance.now() < end) await new Promise(requestAnimationFrame)
      return current()
    },
    { path, expected },
  )

for (const user of allowedUsers.anyone) {
  test(`every route admits or rejects ${user} as specified`, async ({ as, passport, consoleErrors }) => {
    const page = await as(user)
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    /** Loads the first route of each requirement and opens the others from there: the guards run in the browser. */
    const visit = async (routes: Route[]) => {
      const loaded = new Set<Requirement>()
      for (const route of routes) {
        const [path, needs] = route
        const expected = findDestination(user, route)
        if (loaded.has(needs))
          expect(await navigate(page, `${path}?q=1`, expected), `${user} at ${path}`).toEqual(expected)
        else {
          await page.goto(`${path}?q=1`)
          await expect(page, `${user} at ${path}`).toHaveURL(passport.url + expected[0])
          await expect(page, `${user} at ${path}`).toHaveTitle(expected[1])
          loaded.add(needs)
        }
        await expect(page.locator('#main h1').first(), `${user} at ${path}`).toBeAttached()
      }
    }
    const isAllowed = ([, needs]: Route) => allowedUsers[needs].includes(user)
    // First, before an allowed page has loaded a guarded file.
    await visit(routes.filter((route) => !isAllowed(route)))
    const guardedRequests = requested.filter(
      (url) => url.includes('/passport/admin') || guardedFiles.some((file) => url.endsWith(file)),
    )
    expect(guardedRequests, user).toEqual([])
    await visit(routes.filter(isAllowed))
    // Ends the requests of the last page, so that nothing is logged later.
    await page.goto('about:blank')
    // The browser logs missing records, and a question that is no domain.
    const unexpected = consoleErrors.filter((text) => !/some-id.*404|400.*\/tenantdiscovery\?q=1/.test(text))
    consoleErrors.splice(0, consoleErrors.length, ...unexpected)
  })
}

test('a guard leaves no history entry and preserves the requested URL', async ({ as }) => {
  const page = await as('eve')
  await page.goto('/app/')
  await page.goto('/app/admin/users?q=a%20b&q=c#part')
  await expect(page.getByRole('link', { name: 'use a different account' })).toHaveAttribute(
    'href',
    `/login?returnUrl=${encodeURIComponent('/app/admin/users?q=a%20b&q=c#part')}`,
  )
  await page.goBack()
  await expect(page).toHaveURL(/\/app\/$/)
})

test('a redirect leaves one entry in the history and keeps query and hash', async ({ as }) => {
  const page = await as('eve')
  await page.goto('/app/')
  const before = await page.evaluate(() => history.length)
  await page.goto('/app/account?x=1#sessions')
  await expect(page).toHaveURL(/\/app\/account\/logins\?x=1#sessions$/)
  expect(await page.evaluate(() => history.length)).toBe(before + 1)
})

test('paths are case-sensitive', async ({ as }) => {
  const page = await as('ada')
  for (const path of ['/app/ADMIN/users', '/app/admin/Users', '/app/admin/tools/tenantdiscovery', '/app/NotFound']) {
    await page.goto(path)
    await expect(page.getByText("We couldn't find that page."), path).toBeVisible()
  }
})

test('role names are case-sensitive', async ({ as }) => {
  const page = await as('ada')
  await page.route('**/passport/apphelper/user', async (route) => {
    const response = await route.fetch()
    const user = await response.json()
    await route.fulfill({ response, json: { ...user, roles: ['passport.admin', 'PASSPORT.DEVELOPER'] } })
  })
  await page.goto('/app/admin')
  await expect(page.getByText('You may need to use a different account to view this page.')).toBeVisible()
})

test.describe('Not Found', () => {
  test('shows the specified text, and leads to sign-in and back', async ({ as, passport }) => {
    const page = await as('stranger')
    await page.goto('/app/no/such%20page?x=1#y')
    await expect(page.getByText("We couldn't find that page. Check the URL and try again.")).toBeVisible()
    await expect(page).toHaveURL(`${passport.url}/app/no/such%20page?x=1#y`)
    const link = page.getByRole('link', { name: 'sign in', exact: true })
    await expect(link).toHaveAttribute('href', `/login?returnUrl=${encodeURIComponent('/app/no/such%20page?x=1#y')}`)
    await link.click()
    await page.getByRole('link', { name: 'Continue with Passport' }).click()
    await page.getByLabel('Name').fill('eve')
    await page.getByLabel('Password').fill(passport.passwordOf('eve'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(`${passport.url}/app/no/such%20page?x=1#y`)
    await expect(page.getByText('You may need to use a different account to view this page.')).toBeVisible()
  })
})

test.describe('the login route', () => {
  /** Return URLs and their destinations, which are always within the app. */
  const destinations: [string, string][] = [
    ['/app/account/preferences?q=a#b', '/app/account/preferences?q=a#b'],
    ['/app//evil.example', '/app/evil.example'],
    ['/xyz//evil.example', '/app/evil.example'],
    ['/abchttps://evil.example', '/app/https://evil.example'],
    ['/abcjavascript:alert(1)', '/app/javascript:alert(1)'],
    ['/appevil', '/app/evil'],
    ['/app', '/app/'],
    ['/app/', '/app/'],
    ['/app?x=1', '/app/?x=1'],
    ['/', '/app/'],
  ]
  const invalidQueries = [
    'returnUrl=%2Fapp%2F%5Cevil.example',
    'returnUrl=%2Fapp%2F%0A%2Fevil.example',
    'returnUrl=%2F%2Fevil.example',
    'returnUrl=%2F%5Cevil.example',
    'returnUrl=%2F%09%2Fevil.example',
    'returnUrl=https%3A%2F%2Fevil.example',
    'returnUrl=javascript%3Aalert(1)',
    'returnUrl=%2Fapp%2Fa&returnUrl=%2Fapp%2Fb',
    'returnUrl=',
    '',
  ]

  test('always leads into the app', async ({ as, passport }) => {
    const page = await as('eve')
    page.on('dialog', (dialog) => {
      throw new Error(`A dialog: ${dialog.message()}`)
    })
    await page.goto('/app/account/groups')
    for (const [value, expected] of destinations) {
      await navigateInApp(page, `/app/login?returnUrl=${encodeURIComponent(value)}`)
      await expect.poll(() => page.url(), value).toBe(passport.url + expected)
      await expect(page.locator('#main')).toBeAttached()
    }
  })

  test('rejects an invalid return URL with a message and a link', async ({ as, consoleErrors }) => {
    const page = await as('eve')
    for (const query of invalidQueries) {
      await page.goto(`/app/login?${query}`)
      await expect(page.getByRole('alert'), query).toHaveText('ignoring invalid return URL')
      await expect(page.getByRole('link', { name: 'Go to the home page' })).toBeVisible()
    }
    await expectAccessible(page)
    expect(consoleErrors.splice(0).every((text) => text.includes('ignoring invalid return URL'))).toBe(true)
  })

  test('shows that it is redirecting, and a manual link after 3 s', async ({ as }) => {
    const page = await as('eve')
    const release = Promise.withResolvers<void>()
    await page.route('**/assets/LoginsPage*.js', async (route) => {
      await release.promise
      await route.continue()
    })
    await page.goto('/app/login?returnUrl=%2Fapp%2Faccount%2Flogins%3Fx%3D1', { waitUntil: 'commit' })
    await expect(page).toHaveTitle('Redirecting... | Stage Passport')
    await expect(page.getByRole('heading', { name: 'Redirecting...' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Continue' })).toHaveAttribute('href', '/app/account/logins?x=1')
    await expectAccessible(page)
    release.resolve()
    await expect(page).toHaveURL(/\/app\/account\/logins\?x=1$/)
    await expect(page).toHaveTitle('Account | Stage Passport')
  })

  test('leads a signed-out user to the Not Found page', async ({ as }) => {
    const stranger = await as('stranger')
    await stranger.goto('/app/login?returnUrl=%2Fapp%2Faccount')
    await expect(stranger).toHaveURL(/notfound\?returnUrl=%2Fapp%2Flogin/)
  })
})

test('the page for an unconfigured host name is accessible and fits a small window', async ({
  as,
  passport,
  consoleErrors,
}) => {
  const page = await as('stranger')
  const { port } = new URL(passport.url)
  await page.goto(`http://127.0.0.1:${port}/app/`)
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('body')).toContainText(passport.url)
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 844 })
  await expectNoSidewaysScroll(page)
  consoleErrors.length = 0
})

test('the current tab of the account is visible in a small window', async ({ as }) => {
  const page = await as('eve', { viewport: { width: 390, height: 844 } })
  await page.goto('/app/account/preferences')
  const tabs = page.getByRole('navigation', { name: 'Account' }).getByRole('link')
  await expect(tabs).toHaveCount(7)
  await expect(tabs.filter({ hasText: 'Preferences' })).toBeInViewport({ ratio: 0.95 })
  for (const name of ['Sign-in and sessions', 'Organisations']) {
    await tabs.filter({ hasText: name }).click()
    await expect(tabs.and(page.locator('[aria-current]'))).toHaveText(name)
    await expect(tabs.filter({ hasText: name })).toBeInViewport({ ratio: 0.95 })
  }
})

test('reports a sign-out on a page without navigation', async ({ as, consoleErrors }) => {
  const page = await as('eve')
  await page.clock.install()
  await page.goto('/app/connect/metahorizon')
  await expect(page.locator('h1').first()).toBeVisible()
  await page.context().clearCookies()
  await page.clock.runFor(31_000)
  await expect(page.getByText("You've been signed out.")).toBeVisible()
  await expectAccessible(page)
  consoleErrors.length = 0
})
