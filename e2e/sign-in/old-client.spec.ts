import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { test as base, expect, type Page } from '@playwright/test'
import { type Passport, startPassport } from '../passport.ts'

/**
 * Tests the library that the specification refers to, `oidc-client` 1.11.5, unmodified: applications written for it
 * work with Passport.
 */

declare global {
  interface Window {
    // biome-ignore lint/suspicious/noExplicitAny: an untyped script
    manager: any
    events: string[]
    // biome-ignore lint/suspicious/noExplicitAny: as above
    callback: Promise<any>
  }
}

const script = readFileSync(createRequire(import.meta.url).resolve('oidc-client/dist/oidc-client.min.js'))

const renderPage = (authority: string, origin: string) => `<!doctype html>
<title>An old application</title><link rel="icon" href="data:,">
<script src="/oidc-client.js"></script>
<script>
  window.events = []
  window.manager = new Oidc.UserManager({
    authority: '${authority}', client_id: 'old', scope: 'openid profile', response_type: 'code',
    redirect_uri: '${origin}/callback', silent_redirect_uri: '${origin}/silent', loadUserInfo: true,
  })
  manager.events.addUserSignedOut(() => window.events.push('signed out'))
  if (location.pathname === '/callback') window.callback = manager.signinRedirectCallback()
  if (location.pathname === '/silent') manager.signinSilentCallback()
</script>`

const test = base.extend<object, { world: { passport: Passport; origin: string } }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      let page = ''
      const server = createServer(({ url }, response) => {
        if (url === '/oidc-client.js') response.setHeader('content-type', 'text/javascript').end(script)
        else response.setHeader('content-type', 'text/html').end(page)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const origin = `http://localhost:${(server.address() as AddressInfo).port}`
      const redirectUris = [`${origin}/callback`, `${origin}/silent`]
      const passport = await startPassport({
        CLIENTS: JSON.stringify([{ clientId: 'old', clientName: 'Old', redirectUris }]),
      })
      page = renderPage(passport.url, origin)
      await use({ passport, origin })
      await passport.stop()
      server.close()
      server.closeAllConnections()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// One worker starts the server for all tests of this file.
test.describe.configure({ mode: 'default' })

async function signIn(page: Page, { passport, origin }: { passport: Passport; origin: string }) {
  await page.goto(origin)
  await page.evaluate(() => void window.manager.signinRedirect())
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill(passport.passwordOf('eve'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === '/callback')
  return page.evaluate(async () => JSON.parse((await window.callback).toStorageString()))
}

test('signs in and returns the user’s claims', async ({ page, world }) => {
  const user = await signIn(page, world)
  expect(user).toMatchObject({
    token_type: 'Bearer',
    session_state: expect.stringContaining('.'),
    profile: { name: 'Eve Moreau', preferred_username: 'eve', sid: expect.any(String) },
  })
})

test('renews silently, by token and in a frame', async ({ page, world }) => {
  const user = await signIn(page, world)
  const renew = () => page.evaluate(async () => (await window.manager.signinSilent()).access_token as string)
  const byToken = await renew()
  expect(byToken).not.toBe(user.access_token)
  await page.evaluate(async () => {
    const user = await window.manager.getUser()
    delete user.refresh_token
    await window.manager.storeUser(user)
  })
  expect(await renew()).not.toBe(byToken)
})

test('monitors the session and reports a sign-out in another tab', async ({ page, world, context }) => {
  await signIn(page, world)
  const console = await context.newPage()
  await console.goto(`${world.passport.url}/app/`)
  await console.getByRole('button', { name: 'Account menu' }).click()
  await console.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect.poll(() => page.evaluate(() => window.events), { timeout: 20_000 }).toContain('signed out')
})
