import { readFileSync } from 'node:fs'
import type { Request } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test, type Who } from './cast.ts'

type Needs = 'anyone' | 'signedIn' | 'developer' | 'admin'

/** Section 2 of the specification: path, who may see it, where it leads, and the title of the window. */
const routes: [path: string, needs: Needs, title: string, leadsTo?: string][] = [
  ['/app/', 'anyone', ''],
  ['/app/account', 'signedIn', 'Account', '/app/account/logins'],
  ['/app/account/logins', 'signedIn', 'Account'],
  ['/app/account/profile', 'signedIn', 'Profile'],
  ['/app/account/preferences', 'signedIn', 'User Preferences'],
  ['/app/developer', 'developer', 'Developer', '/app/developer/'],
  ['/app/developer/', 'developer', 'Developer'],
  ['/app/developer/preferences', 'developer', 'User Preferences'],
  ['/app/developer/tokens', 'developer', 'Developer Tokens'],
  ['/app/developer/deviceflowtest', 'developer', 'Device Flow Test'],
  ['/app/developer/enhanceddevice', 'developer', 'Enhanced Device Flow'],
  ['/app/device', 'anyone', 'Sign a device in'],
  ['/app/admin', 'admin', 'Admin', '/app/admin/users'],
  ['/app/admin/users', 'admin', 'Admin'],
  ['/app/admin/users/create', 'admin', 'Create User'],
  ['/app/admin/users/some-id', 'admin', 'User'],
  ['/app/admin/users/invitations', 'admin', 'Invitations'],
  ['/app/admin/users/invitations/create', 'admin', 'Invite by E-mail'],
  ['/app/admin/roles', 'admin', 'Roles'],
  ['/app/admin/roles/create', 'admin', 'Create Role'],
  ['/app/admin/roles/Passport.Admin', 'admin', 'Passport.Admin'],
  ['/app/admin/health', 'admin', 'Health'],
  ['/app/admin/audit', 'admin', 'Audit'],
  ['/app/admin/bin', 'admin', 'Bin'],
  ['/app/admin/content', 'admin', 'Static Content'],
  ['/app/admin/orgs', 'admin', 'Organisations'],
  ['/app/admin/orgs/createentra', 'admin', 'Create Entra Org'],
  ['/app/admin/orgs/create', 'admin', 'Create Organisation'],
  ['/app/admin/orgs/some-id', 'admin', 'Organisation'],
  ['/app/admin/groups', 'admin', 'Groups'],
  ['/app/admin/groups/some-id', 'admin', 'Group'],
  ['/app/admin/identity/apis', 'admin', 'Identity APIs'],
  ['/app/admin/identity/apis/some-id', 'admin', 'Identity API'],
  ['/app/admin/entitlements', 'admin', 'Entitlements'],
  ['/app/admin/entitlements/create', 'admin', 'Create Entitlement'],
  ['/app/admin/entitlements/some-id/edit', 'admin', 'Edit Entitlement'],
  ['/app/admin/awsproducts', 'admin', 'Products'],
  ['/app/admin/awsproducts/create', 'admin', 'Create Product'],
  ['/app/admin/awssubscriptions', 'admin', 'Subscriptions'],
  ['/app/admin/awssubscriptions/create', 'admin', 'Create Subscription'],
  ['/app/admin/tools', 'admin', 'Tenant Discovery', '/app/admin/tools/tenantDiscovery'],
  ['/app/admin/tools/tenantDiscovery', 'admin', 'Tenant Discovery'],
  ['/app/admin/tools/permissions', 'admin', 'Permissions'],
  ['/app/admin/tools/permissions/check', 'admin', 'Permission Checker'],
  ['/app/admin/tools/permissions/lookupResources', 'admin', 'What can you access?'],
  ['/app/admin/tools/permissions/lookupSubjects', 'admin', 'Who can access that?'],
  ['/app/admin/tools/relations', 'admin', 'Relation Viewer'],
  ['/app/connect', 'anyone', 'Connect Account'],
  ['/app/connect/metahorizon', 'anyone', 'Connect Account'],
  ['/app/connect/metahorizon/callback', 'anyone', 'Connect Account'],
  ['/app/notfound', 'anyone', 'Not Found'],
  ['/app/nothing/of/the/kind', 'anyone', 'Not Found'],
]

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

for (const who of letIn.anyone) {
  test(`every route as ${who}`, async ({ as, complaints }) => {
    test.setTimeout(180_000)
    const page = await as(who)
    for (const [path, needs, title, leadsTo = path] of routes) {
      const asked: string[] = []
      const note = (request: Request) => asked.push(request.url())
      page.on('request', note)
      await page.goto(`${path}?q=1`)
      const isLetIn = letIn[needs].includes(who)
      const target = isLetIn ? `${leadsTo}?q=1` : `/app/notfound?returnUrl=${encodeURIComponent(`${path}?q=1`)}`
      await expect.poll(() => page.url().replace(/^https?:\/\/[^/]+/, ''), `${who} at ${path}`).toBe(target)
      await expect(page).toHaveTitle(
        isLetIn ? (title ? `${title} | Stage Passport` : 'Stage Passport') : 'Not Found | Stage Passport',
      )
      await expect(page.locator('#main h1').first()).toBeAttached()
      if (!isLetIn) {
        const guarded = asked.filter(
          (url) => url.includes('/passport/admin') || guardedFiles.some((file) => url.endsWith(file)),
        )
        expect(guarded, `${who} at ${path}`).toEqual([])
      }
      page.off('request', note)
    }
    // The browser itself tells of records that are not there.
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

test.describe('every page', () => {
  const states: [who: Who, paths: string[]][] = [
    [
      'stranger',
      [
        '/app/',
        '/app/admin',
        '/login',
        '/login?idp=local',
        '/app/connect/metahorizon',
        '/login/callback/local?state=x',
      ],
    ],
    ['eve', ['/app/', '/app/account/logins', '/app/account/preferences', '/app/notfound', '/connect/endsession']],
    [
      'ada',
      [
        '/app/',
        '/app/account/logins',
        '/app/developer/',
        '/app/developer/preferences',
        '/app/admin/users',
        '/app/admin/tools/relations',
      ],
    ],
  ]
  for (const [who, paths] of states) {
    test(`is accessible and fits a phone as ${who}`, async ({ as, complaints }) => {
      test.setTimeout(180_000)
      const page = await as(who)
      for (const path of paths) {
        await page.setViewportSize({ width: 1440, height: 900 })
        await page.goto(path)
        await expect(page.locator('h1').first()).toBeAttached()
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        await expectAccessible(page)
        for (const width of [390, 320]) {
          await page.setViewportSize({ width, height: 844 })
          await expectNoSidewaysScroll(page)
        }
        await expectAccessible(page)
      }
      // The page that tells of a failed sign-in is answered with its status, of which the browser complains.
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('400 (Bad Request)')))
    })
  }
})
