import { test as base, expect, type Page } from '@playwright/test'
import { type Passport, startPassport } from '../passport.ts'
import type { PlainSettings } from './app.ts'
import { type Site, startSite } from './site.ts'

/** Returns the URL of the application on another site than Passport. */
const toOtherSite = ({ url }: Site) => url.replace('localhost', '127.0.0.1')

/** An application with this client, and Passport as its provider. */
const test = base.extend<{ app: Page; settings: PlainSettings }, { world: { passport: Passport; site: Site } }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const site = await startSite()
      const client = {
        clientId: 'shop',
        clientName: 'Shop',
        redirectUris: [`${site.url}/callback`, `${toOtherSite(site)}/callback`],
        postLogoutRedirectUris: [`${site.url}/signed-out`],
      }
      const passport = await startPassport({ CLIENTS: JSON.stringify([client]) })
      await use({ passport, site })
      await passport.stop()
      await site.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  settings: async ({ world: { passport, site } }, use) =>
    use({
      authority: passport.url,
      client_id: 'shop',
      redirect_uri: `${site.url}/callback`,
      post_logout_redirect_uri: `${site.url}/signed-out`,
      scope: 'openid profile email',
    }),
  app: async ({ page }, use) => use(page),
})
// One worker starts the server for all tests of this file.
test.describe.configure({ mode: 'default' })

const waitUntilReady = (page: Page) => page.waitForFunction(() => window.isReady)

async function open(page: Page, site: Site, settings: PlainSettings) {
  await page.goto(`${site.url}/silence`)
  await page.evaluate((text) => localStorage.setItem('settings', text), JSON.stringify(settings))
  await page.goto(`${site.url}/`)
  await waitUntilReady(page)
}

async function signIn(page: Page, { passport, site }: { passport: Passport; site: Site }, settings: PlainSettings) {
  await open(page, site, settings)
  await page.evaluate(() => void window.client.signinRedirect())
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill(passport.passwordOf('eve'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(page)
  return page.evaluate(() => window.outcome)
}

test("signs in at Passport and returns the user's claims", async ({ app, world, settings }) => {
  const outcome = await signIn(app, world, settings)
  expect(outcome).toMatchObject({
    value: {
      session_state: expect.stringMatching(/^[\w-]{43}\.[\w-]{16}$/),
      profile: {
        name: 'Eve Moreau',
        preferred_username: 'eve',
        email: 'eve@passport.example',
        sid: expect.any(String),
      },
    },
  })
})

test('renews with the refresh token, and in the hidden frame', async ({ app, world, settings }) => {
  await signIn(app, world, { ...settings, monitorSession: false })
  const before = await app.evaluate(async () => (await window.client.getUser())?.access_token)
  const renewed = await app.evaluate(() => window.settle(window.client.signinSilent()))
  expect(renewed.value.access_token).not.toBe(before)
  const key = `oidc.user:${settings.authority}:${settings.client_id}`
  await app.evaluate((key) => {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    delete stored.refresh_token
    sessionStorage.setItem(key, JSON.stringify(stored))
  }, key)
  const frameOutcome = await app.evaluate(() => window.settle(window.client.signinSilent()))
  expect(frameOutcome.value?.profile.preferred_username ?? frameOutcome.error).toBe('eve')
  expect(frameOutcome.value.access_token).not.toBe(renewed.value.access_token)
})

test('reports a sign-out in another tab', async ({ app, world, settings, context }) => {
  await signIn(app, world, { ...settings, monitorSession: true })
  const console = await context.newPage()
  await console.goto(`${world.passport.url}/app/`)
  await console.getByRole('button', { name: 'Account menu' }).click()
  await console.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect.poll(() => app.evaluate(() => window.emittedEvents), { timeout: 20_000 }).toContain('userSignedOut')
})

test('an app on another site stays signed in, although Passport’s frame cannot read its cookie there', async ({
  app,
  world: { passport, site },
  settings,
}) => {
  const warnings: string[] = []
  app.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  const url = toOtherSite(site)
  const world = { passport, site: { ...site, url } }
  const outcome = await signIn(app, world, { ...settings, redirect_uri: `${url}/callback`, monitorSession: true })
  expect(outcome).toMatchObject({ value: { profile: { name: 'Eve Moreau' } } })
  await expect.poll(() => warnings).toEqual(['Session monitoring is unavailable'])
  await app.goto(url)
  await waitUntilReady(app)
  await expect.poll(() => warnings.length).toBe(2)
  expect(await app.evaluate(() => window.emittedEvents)).toEqual([])
  const user = await app.evaluate(() => window.client.getUser())
  expect(user?.profile.name).toBe('Eve Moreau')
})

test('signs out at Passport and returns', async ({ app, world, settings }) => {
  await signIn(app, world, { ...settings, monitorSession: false })
  await app.evaluate(() => void window.client.signoutRedirect())
  await app.waitForURL((url) => url.pathname === '/signed-out')
  await app.goto(`${world.passport.url}/app/account`)
  await expect(app).toHaveURL(/notfound/)
})

test('signs out at Passport with a form', async ({ app, world, settings }) => {
  await signIn(app, world, { ...settings, postLogout: 'form' })
  const posting = app.waitForRequest((request) => request.method() === 'POST')
  await app.evaluate(() => void window.client.signoutRedirect())
  const { pathname, search } = new URL((await posting).url())
  expect([pathname, search]).toEqual(['/connect/endsession', ''])
  await app.waitForURL((url) => url.pathname === '/signed-out')
  await app.goto(`${world.passport.url}/app/account`)
  await expect(app).toHaveURL(/notfound/)
})
