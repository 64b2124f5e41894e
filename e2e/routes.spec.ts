import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test, type Who } from './cast.ts'
import { type Needs, type Route, routes } from './routes.ts'

/** The names of the files that only an administrator or a developer has a use for, as they were built. */
const guardedFiles = filesOf(
  /src\/(?:app\/(?:NotBuiltPage|DeveloperPage|directory-pages|user-pages)|(?:users|groups|orgs|roles|audit|bin|invitations|permissions|developer-tokens)\/\w+Page|device-authorization\/DeviceFlowPage)\./,
)

function filesOf(source: RegExp): string[] {
  const manifest: Record<string, { file: string }> = JSON.parse(
    readFileSync(new URL('../web/dist/.vite/manifest.json', import.meta.url), 'utf8'),
  )
  return Object.entries(manifest).flatMap(([name, { file }]) => (source.test(name) ? [file] : []))
}

const letIn: Record<Needs, Who[]> = {
  anyone: ['stranger', 'eve', 'dev', 'max', 'ada'],
  signedIn: ['eve', 'dev', 'max', 'ada'],
  developer: ['dev', 'ada'],
  admin: ['max', 'ada'],
}

test('the files of guarded pages are known', () => {
  for (const page of [
    'UsersPage',
    'GroupsPage',
    'OrgPage',
    'RolesPage',
    'AuditPage',
    'DeveloperTokensPage',
    'directory-pages',
  ])
    expect(
      guardedFiles.some((file) => file.includes(`/${page}-`)),
      page,
    ).toBe(true)
})

/** Where a route leads a person, and the title of the window there. */
function destination(who: Who, [path, needs, title, leadsTo = path]: Route): [url: string, title: string] {
  if (!letIn[needs].includes(who))
    return [`/app/notfound?returnUrl=${encodeURIComponent(`${path}?q=1`)}`, 'Not Found | Stage Passport']
  return [`${leadsTo}?q=1`, title ? `${title} | Stage Passport` : 'Stage Passport']
}

/** Goes to a path without loading the page again, waits for the place it should lead to, and returns the actual one. */
const navigate = (page: Page, path: string, expected: [url: string, title: string]) =>
  page.evaluate(
    async ({ path, expected }) => {
      // The router sets the title when it has finished, also where the next page has the same one.
      document.title = ''
      history.pushState(null, '', path)
      dispatchEvent(new PopStateEvent('popstate'))
      const current = () => [location.pathname + location.search, document.title]
      const isThere = () => `${current()}` === `${expected}` && document.querySelector('#main h1') !== null
      const end = performance.now() + 10_000
      while (!isThere() && performance.now() < end) await new Promise(requestAnimationFrame)
      return current()
    },
    { path, expected },
  )

for (const who of letIn.anyone) {
  test(`every route as ${who}`, async ({ as, passport, complaints }) => {
    const page = await as(who)
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    /** Loads the first route of each need, and opens the others from there: the guards run in the browser. */
    const walk = async (routes: Route[]) => {
      const loaded = new Set<Needs>()
      for (const route of routes) {
        const [path, needs] = route
        const expected = destination(who, route)
        if (loaded.has(needs))
          expect(await navigate(page, `${path}?q=1`, expected), `${who} at ${path}`).toEqual(expected)
        else {
          await page.goto(`${path}?q=1`)
          await expect(page, `${who} at ${path}`).toHaveURL(passport.url + expected[0])
          await expect(page, `${who} at ${path}`).toHaveTitle(expected[1])
          loaded.add(needs)
        }
        await expect(page.locator('#main h1').first(), `${who} at ${path}`).toBeAttached()
      }
    }
    const isLetIn = ([, needs]: Route) => letIn[needs].includes(who)
    // First, before a page that may be opened has loaded any guarded file.
    await walk(routes.filter((route) => !isLetIn(route)))
    const guarded = requested.filter(
      (url) => url.includes('/passport/admin') || guardedFiles.some((file) => url.endsWith(file)),
    )
    expect(guarded, who).toEqual([])
    await walk(routes.filter(isLetIn))
    // The browser reports records that do not exist.
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/some-id.*404/.test(text)))
  })
}

test('a guard leaves nothing behind in the history, and what was asked for is kept whole', async ({ as }) => {
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

test('a role by another spelling is no role', async ({ as }) => {
  const page = await as('ada')
  await page.route('**/passport/apphelper/user', async (route) => {
    const answer = await route.fetch()
    const user = await answer.json()
    await route.fulfill({ response: answer, json: { ...user, roles: ['passport.admin', 'PASSPORT.DEVELOPER'] } })
  })
  await page.goto('/app/admin')
  await expect(page.getByText('You may need to use a different account to view this page.')).toBeVisible()
})

test.describe('Not Found', () => {
  test('says what the specification says, and leads to sign-in and back', async ({ as, passport }) => {
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
  /** what is given, and where it leads: in the app, whatever it looks like */
  const leads: [string, string][] = [
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
  const refused = [
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

  test('leads into the app and never out of it', async ({ as, passport }) => {
    const page = await as('eve')
    page.on('dialog', (dialog) => {
      throw new Error(`A dialog: ${dialog.message()}`)
    })
    for (const [value, expected] of leads) {
      await page.goto(`/app/login?returnUrl=${encodeURIComponent(value)}`)
      await expect.poll(() => page.url(), value).toBe(passport.url + expected)
      await expect(page.locator('#main')).toBeAttached()
    }
  })

  test('refuses what is no return URL, in words and with a way on', async ({ as, complaints }) => {
    const page = await as('eve')
    for (const query of refused) {
      await page.goto(`/app/login?${query}`)
      await expect(page.getByRole('alert'), query).toHaveText('ignoring invalid return URL')
      await expect(page.getByRole('link', { name: 'Go to home' })).toBeVisible()
    }
    await expectAccessible(page)
    expect(complaints.splice(0).every((text) => text.includes('ignoring invalid return URL'))).toBe(true)
  })

  test('says that it redirects for as long as it takes, and after 3 s leads on by hand', async ({ as }) => {
    const page = await as('eve')
    const held = Promise.withResolvers<void>()
    await page.route('**/assets/LoginsPage*.js', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto('/app/login?returnUrl=%2Fapp%2Faccount%2Flogins%3Fx%3D1', { waitUntil: 'commit' })
    await expect(page).toHaveTitle('Redirecting... | Stage Passport')
    await expect(page.getByRole('heading', { name: 'Redirecting...' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Continue' })).toHaveAttribute('href', '/app/account/logins?x=1')
    await expectAccessible(page)
    held.resolve()
    await expect(page).toHaveURL(/\/app\/account\/logins\?x=1$/)
    await expect(page).toHaveTitle('Account | Stage Passport')
  })

  test('shows a stranger the way in', async ({ as }) => {
    const stranger = await as('stranger')
    await stranger.goto('/app/login?returnUrl=%2Fapp%2Faccount')
    await expect(stranger).toHaveURL(/notfound\?returnUrl=%2Fapp%2Flogin/)
  })
})

test('the page of another host name than the configured one is accessible and fits a phone', async ({
  as,
  passport,
  complaints,
}) => {
  const page = await as('stranger')
  const { port } = new URL(passport.url)
  await page.goto(`http://127.0.0.1:${port}/app/`)
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('body')).toContainText(passport.url)
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 844 })
  await expectNoSidewaysScroll(page)
  complaints.length = 0
})

test('on a phone all tabs are in sight', async ({ as }) => {
  const page = await as('eve', { viewport: { width: 390, height: 844 } })
  await page.goto('/app/account/logins')
  const tabs = page.getByRole('navigation', { name: 'Account' }).getByRole('link')
  await expect(tabs).toHaveCount(6)
  for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 })
  await expect(page.getByText('Subject').first()).toBeVisible()
})

test('who is signed out on a page with nothing around it is told so', async ({ as, complaints }) => {
  const page = await as('eve')
  await page.clock.install()
  await page.goto('/app/connect/metahorizon')
  await expect(page.locator('h1').first()).toBeVisible()
  await page.context().clearCookies()
  await page.clock.runFor(31_000)
  await expect(page.getByText("You've been signed out.")).toBeVisible()
  await expectAccessible(page)
  complaints.length = 0
})
