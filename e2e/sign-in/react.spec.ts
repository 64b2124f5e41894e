import type { BrowserContext } from '@playwright/test'
import { expect, type Page, type PlainSettings, test } from './app.ts'

/** Serves the application of react-app.ts to every page of the browser. */
async function serveReactApp(context: BrowserContext, settings: PlainSettings, origin: string) {
  const text = JSON.stringify({
    ...settings,
    redirect_uri: `${origin}/react/callback`,
    post_logout_redirect_uri: `${origin}/silence`,
  })
  await context.addInitScript((value) => {
    if (location.hostname === 'localhost') localStorage.setItem('settings', value)
  }, text)
}

const secret = (page: Page) => page.getByText('The secret of Ada Quist')

test('a page opened without a user redirects, and is shown after the sign-in', async ({ app, context, op }) => {
  await serveReactApp(context, app.settings, app.url)
  await app.page.goto(`${app.url}/react/orders?page=2#top`)
  await expect(app.page.getByText('The secret of Ada Quist at /react/orders?page=2')).toBeVisible()
  expect(app.page.url()).toBe(`${app.url}/react/orders?page=2#top`)
  await app.page.reload()
  await expect(secret(app.page)).toBeVisible()
  expect([op.requests('/token').length, await app.page.locator('output').textContent()]).toEqual([1, 'ada'])
})

/** Opens the application. The provider's 204 leaves the browser on the page. */
async function openWithoutNavigation(page: Page, url: string) {
  await page.route('**/authorize?**', (route) => route.fulfill({ status: 204 }))
  const redirected = page.waitForRequest('**/authorize?**')
  await page.goto(url)
  await redirected
}

test('the fallback is shown during the redirect', async ({ app, context }) => {
  await serveReactApp(context, app.settings, app.url)
  await openWithoutNavigation(app.page, `${app.url}/react/orders`)
  await expect(app.page.getByText('One moment')).toBeVisible()
  await expect(app.page.locator('output')).toHaveText('loading')
})

test('an error response shows a button that signs in and returns to the same page', async ({ app, context, op }) => {
  op.script.authorization = { error: 'access_denied' }
  await serveReactApp(context, app.settings, app.url)
  await app.page.goto(`${app.url}/react/orders`)
  await expect(app.page.getByText('access_denied')).toBeVisible()
  op.script.authorization = 'respond'
  await app.page.getByRole('button', { name: 'Sign in' }).click()
  await expect(app.page.getByText('The secret of Ada Quist at /react/orders')).toBeVisible()
})

test('a failed redirect shows a button that tries again', async ({ app, context, op }) => {
  op.script.discovery = 'close'
  await serveReactApp(context, app.settings, app.url)
  await app.page.goto(`${app.url}/react/orders`)
  await expect(app.page.getByText('network_error')).toBeVisible()
  op.script.discovery = 'respond'
  await app.page.getByRole('button', { name: 'Sign in' }).click()
  await expect(secret(app.page)).toBeVisible()
})

test('signing out redirects to the provider, and no open page starts a new sign-in', async ({ app, context, op }) => {
  await serveReactApp(context, app.settings, app.url)
  await app.page.goto(`${app.url}/react/orders`)
  await expect(secret(app.page)).toBeVisible()
  const otherTab = await context.newPage()
  await otherTab.goto(`${app.url}/react/orders`)
  await expect(secret(otherTab)).toBeVisible()
  const requestCount = op.requests('/authorize').length
  await app.page.getByRole('button', { name: 'Sign out' }).click()
  await app.page.waitForURL((url) => url.pathname === '/silence')
  await expect(otherTab.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect(otherTab.locator('output')).toHaveText('nobody')
  expect([op.requests('/endsession').length, op.requests('/authorize').length]).toEqual([1, requestCount])
  await otherTab.getByRole('button', { name: 'Sign in' }).click()
  await expect(secret(otherTab)).toBeVisible()
})

test('popups and hidden frames with the same redirect URL only forward', async ({ app, context, op }) => {
  await serveReactApp(context, app.settings, app.url)
  await app.page.goto(`${app.url}/react/orders`)
  await expect(secret(app.page)).toBeVisible()
  const outcome = await app.page.evaluate(async () => {
    const before = await window.client.getUser()
    const renewed = await window.client.signinSilent()
    const popup = await window.client.signinPopup()
    return [renewed?.access_token !== before?.access_token, popup.profile.sub]
  })
  expect(outcome).toEqual([true, 'ada'])
  // One for the page, one for the frame, one for the popup.
  expect(op.requests('/authorize')).toHaveLength(3)
})

test('a page that forwards a response shows nothing else', async ({ app, context, op }) => {
  await serveReactApp(context, app.settings, app.url)
  const otherPage = await context.newPage()
  for (const page of [app.page, otherPage]) {
    await page.goto(`${app.url}/react/orders`)
    await expect(secret(page)).toBeVisible()
  }
  op.script.authorization = 'ask'
  const popupOpened = app.page.waitForEvent('popup')
  const outcome = app.page.evaluate(() =>
    window.client.signinPopup().then(
      () => 'signed in',
      ({ code }) => code,
    ),
  )
  const popup = await popupOpened
  await popup.waitForURL((url) => url.pathname === '/authorize')
  const state = new URL(popup.url()).searchParams.get('state')
  await otherPage.goto(`${app.url}/react/callback?code=unknown&state=${state}`)
  expect(await outcome).not.toBe('signed in')
  await expect(otherPage.locator('output')).toHaveText('loading')
  await expect(secret(otherPage)).toHaveCount(0)
})

test('a page restored by the Back button offers to sign in', async ({ app, context }) => {
  await serveReactApp(context, app.settings, app.url)
  await openWithoutNavigation(app.page, `${app.url}/react/orders`)
  // The test browser keeps no pages for Back.
  await app.page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await expect(app.page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})
