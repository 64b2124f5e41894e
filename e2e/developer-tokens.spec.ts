import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'
import type { Passport } from './passport.ts'

const path = '/app/developer/tokens'
const findTokenField = (page: Page) => page.getByLabel('Access Token')
const findTokenCard = (page: Page) => page.getByRole('region', { name: 'Your Token' })

/** Requests a token and signs in again, up to the consent page. */
async function requestToken(page: Page, passport: Passport) {
  await page.getByRole('button', { name: 'Generate Token' }).click()
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByLabel('Name').fill('dev')
  await page.getByLabel('Password').fill(passport.passwordOf('dev'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Allow Developer Tokens?' })).toBeVisible()
}

/** Opens a page with a token. Uses its own sign-in, because a new one ends the session shared by other tests. */
async function openWithToken(page: Page, passport: Passport) {
  await openAs(page, passport, 'dev', path)
  await requestToken(page, passport)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(findTokenCard(page)).toBeVisible()
}

/** Checks accessibility and overflow in a wide and a small window, and overflow in the narrowest one. */
async function expectAccessibleAndFits(page: Page) {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
  await page.setViewportSize({ width: 320, height: 900 })
  await expectNoSidewaysScroll(page)
}

const readSessionStorage = (page: Page) => page.evaluate(() => Object.entries({ ...sessionStorage }))

test('shows only a message if dev tokens are not available', async ({ as, consoleErrors }) => {
  const page = await as('dev')
  await page.route('**/passport/developer/tokens/client', (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(path)
  await expect(page.getByRole('main')).toHaveText('Dev tokens not available on this stack')
  await expect(page.getByRole('button', { name: 'Generate Token' })).toHaveCount(0)
  await expectAccessible(page)
  expect(consoleErrors.splice(0).every((text) => text.includes('404 (Not Found)'))).toBe(true)
})

test('generates a token after a new sign-in and consent, and uses each response once', async ({ as, passport }) => {
  const page = await as('stranger')
  await openAs(page, passport, 'dev', path)
  await expect(page.getByText('This page generates temporary API tokens for development.')).toBeVisible()
  await expect(page.getByRole('note')).toContainText('A token grants access to your account and other services.')
  await expect(findTokenCard(page)).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Generate a Token' })).toContainText(
    'The token is generated with scopes openid, profile, email and api_vertex_core.',
  )

  const request = page.waitForRequest((candidate) => new URL(candidate.url()).searchParams.has('code_challenge'))
  await requestToken(page, passport)
  const parameters = new URL((await request).url()).searchParams
  expect(parameters.get('prompt')).toBe('login')
  expect(parameters.get('response_mode')).toBe('fragment')
  expect(parameters.get('response_type')).toBe('code')
  expect(parameters.get('code_challenge_method')).toBe('S256')
  expect(parameters.get('scope')).toBe('openid profile email api_vertex_core')
  expect(parameters.get('redirect_uri')).toBe(passport.url + path)

  let isShownTooSoon = false
  await page.route('**/connect/token', async (route) => {
    await page.locator('#main [aria-busy=true]').waitFor({ state: 'attached' })
    isShownTooSoon = (await page.getByRole('button', { name: 'Generate Token' }).count()) > 0
    await route.continue()
  })
  const callbackResponse = page.waitForResponse(
    (response) => response.headers()['location']?.includes('#code=') ?? false,
  )
  await page.getByRole('button', { name: 'Allow' }).click()
  const callback = (await callbackResponse).headers()['location'] ?? ''
  expect(callback.startsWith(`${passport.url}${path}#code=`)).toBe(true)
  await expect(findTokenCard(page)).toBeVisible()
  await expect(page).toHaveURL(passport.url + path)
  expect(isShownTooSoon).toBe(false)

  const exchanges: string[] = []
  page.on('request', (request) => request.method() === 'POST' && exchanges.push(request.url()))
  const token = await findTokenField(page).inputValue()
  await page.reload()
  await expect(findTokenField(page)).toHaveValue(token)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.goto('/app/')
  await page.goto(callback)
  await expect(findTokenField(page)).toHaveValue(token)
  await expect(page).toHaveURL(passport.url + path)
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(exchanges).toEqual([])
})

test('shows, reveals, hides, copies and clears the token', async ({ as, passport }) => {
  const page = await as('stranger', { permissions: ['clipboard-read', 'clipboard-write'] })
  await openWithToken(page, passport)
  const [[key, text] = [], ...otherEntries] = (await readSessionStorage(page)).filter(([name]) =>
    name.startsWith('oidc.user:'),
  )
  expect(otherEntries).toEqual([])
  expect(key).toBe(`oidc.user:${passport.url}:passport-dev-tokens`)
  const { access_token: token, expires_at: expiresAt, profile, session_state } = JSON.parse(text ?? '')
  expect(profile).toMatchObject({
    sub: expect.any(String),
    name: 'Dev Patel',
    preferred_username: 'dev',
    auth_time: expect.any(Number),
    azp: 'passport-dev-tokens',
    sid: expect.any(String),
  })
  expect(session_state).toEqual(expect.any(String))

  await expect(findTokenField(page)).toHaveAttribute('type', 'password')
  await expect(findTokenField(page)).toHaveValue(token)
  await expect(page.getByLabel('Expires At')).toHaveValue(String(expiresAt))
  await expect(
    findTokenCard(page).getByText(/^in (?:\d+ minutes|1 hour), (?:\d+ \w+ \d{4}, )?\d\d:\d\d$/),
  ).toBeVisible()
  await expect(page.getByLabel('Display Name')).toHaveValue(profile.name)
  await expect(page.getByLabel('Username')).toHaveValue('dev')

  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
  await page.getByRole('button', { name: 'Copy cURL' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`Bearer ${token}`)
  await expect(page.getByRole('main')).not.toContainText(token)

  await page.getByRole('button', { name: 'Reveal' }).click()
  await expect(findTokenField(page)).toHaveAttribute('type', 'text')
  await expect(page.getByRole('button', { name: 'Hide' })).toHaveAttribute('aria-pressed', 'true')
  await page.evaluate(() => dispatchEvent(new Event('blur')))
  await expect(findTokenField(page)).toHaveAttribute('type', 'password')

  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(findTokenCard(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Generate Token' })).toBeFocused()
  expect((await readSessionStorage(page)).filter(([name]) => name.startsWith('oidc.user:'))).toEqual([])
  await page.reload()
  await expect(page.getByRole('button', { name: 'Generate Token' })).toBeVisible()
  await expect(findTokenCard(page)).toHaveCount(0)
})

test('hides the token from the next user of the same tab', async ({ as, passport }) => {
  const page = await as('stranger')
  await openWithToken(page, passport)
  await page.context().clearCookies()
  await openAs(page, passport, 'ada', path)
  await expect(page.getByRole('button', { name: 'Generate Token' })).toBeVisible()
  await expect(findTokenCard(page)).toHaveCount(0)
  expect((await readSessionStorage(page)).filter(([name]) => name.startsWith('oidc.user:'))).toEqual([])
})

test('signing out of the console removes the token from the tab', async ({ as, passport }) => {
  const page = await as('stranger')
  await openWithToken(page, passport)
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL((url) => url.pathname !== path)
  expect(new URL(page.url()).origin).toBe(passport.url)
  expect((await readSessionStorage(page)).filter(([name]) => name.startsWith('oidc.user:'))).toEqual([])
})

test('reports a denied consent and allows a retry', async ({ as, passport }) => {
  const page = await as('stranger')
  await openAs(page, passport, 'dev', path)
  await requestToken(page, passport)
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(page.getByRole('alert')).toContainText('You denied access on the consent page.')
  await expect(page).toHaveURL(passport.url + path)
  await expect(findTokenCard(page)).toHaveCount(0)
  await expectAccessibleAndFits(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('link', { name: 'Continue with Passport' })).toBeVisible()
})

test('rejects a response without a request, and removes it from the URL', async ({ as, passport }) => {
  const page = await as('dev')
  await page.goto(`${path}?x=1#code=unknown&state=unknown`)
  await expect(page.getByRole('alert')).toContainText("The response doesn't match a request from this browser")
  await expect(page).toHaveURL(`${passport.url}${path}?x=1`)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Generate Token' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('completes a response that arrives while the page is open, and reports a wrong one', async ({ as, passport }) => {
  const page = await as('stranger')
  await openAs(page, passport, 'dev', path)
  const setHash = (hash: string) =>
    page.evaluate((value) => {
      location.hash = value
    }, hash)
  await expect(page.getByRole('button', { name: 'Generate Token' })).toBeVisible()
  await setHash('#code=unknown&state=unknown')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page).toHaveURL(passport.url + path)

  await requestToken(page, passport)
  // The response to the consent form is held back, and set in the fragment of the open page.
  let response = ''
  await page.route('**/connect/interaction/*/consent', async (route) => {
    const { location: authorization = '' } = (await route.fetch({ maxRedirects: 0 })).headers()
    response = (await page.request.get(authorization, { maxRedirects: 0 })).headers()['location'] ?? ''
    await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Held back</title>' })
  })
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveTitle('Held back')
  await page.goto(path)
  await expect(page.getByRole('button', { name: 'Generate Token' })).toBeVisible()
  await expect(findTokenCard(page)).toHaveCount(0)
  await setHash(new URL(response).hash)
  await expect(findTokenCard(page)).toBeVisible()
  await expect(page).toHaveURL(passport.url + path)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('the guard of the page keeps a response in the return URL of the sign-in', async ({ as }) => {
  const page = await as('stranger')
  await page.goto(`${path}#code=a&state=b`)
  await expect(page.getByRole('link', { name: 'sign in', exact: true })).toHaveAttribute(
    'href',
    `/login?returnUrl=${encodeURIComponent(`${path}#code=a&state=b`)}`,
  )
})

test('shows the claims of the token, calls the API with it, and explains why another API would reject it', async ({
  as,
  passport,
}) => {
  const page = await as('stranger')
  await openWithToken(page, passport)
  const verdict = page.getByRole('region', { name: 'Validate token' })
  await expect(verdict).toContainText('Looks valid')
  await page.getByLabel('API audience').fill('https://shop.example')
  await page.getByLabel('Required scopes').fill('openid shop')
  await expect(verdict).toContainText('Would be rejected')
  await expect(verdict).toContainText(`The audience is ${passport.url}/passport, not https://shop.example.`)
  await expect(verdict).toContainText('The scope shop is missing.')
  await verdict.getByText('Header and payload').click()
  await expect(verdict).toContainText('at+jwt')

  const call = page.getByRole('region', { name: 'Try it' })
  const apiRequest = page.waitForRequest((request) => request.headers()['authorization'] !== undefined)
  await call.getByRole('button', { name: 'Send request' }).click()
  await expect(call.getByText('200 OK')).toBeVisible()
  await expect(call).toContainText('"preferred_username": "dev"')
  expect((await (await apiRequest).allHeaders())['cookie']).toBeUndefined()

  await expectAccessibleAndFits(page)
})

test('the consent is listed on the account page, where it can be revoked', async ({ as, passport }) => {
  const page = await as('stranger')
  await openAs(page, passport, 'dev', path)
  await requestToken(page, passport)
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(findTokenCard(page)).toBeVisible()
  await page.goto('/app/account/logins')
  await expect(page.getByText('Know who you are')).toBeVisible()
  await page.getByRole('button', { name: 'Revoke access for Developer Tokens' }).click()
  await page.getByRole('button', { name: 'Revoke access', exact: true }).click()
  await expect(page.getByText('Access revoked')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Connected apps' })).toBeHidden()
  await page.goto(path)
  await page.getByRole('button', { name: 'Send request' }).click()
  await expect(page.getByText('401 Unauthorized')).toBeVisible()
})

test('a valid token is listed on the developer home page and can be revoked there', async ({ as, passport }) => {
  const page = await as('stranger')
  await openWithToken(page, passport)
  const token = await findTokenField(page).inputValue()
  const requestUser = () =>
    fetch(`${passport.url}/passport/apphelper/user`, { headers: { authorization: `Bearer ${token}` } })
  expect((await requestUser()).status).toBe(200)
  await page.goto('/app/developer/')
  const card = page.getByRole('region', { name: 'Valid tokens' })
  await expect(card).toContainText('Expires in')
  await expectAccessibleAndFits(page)
  const rows = card.getByRole('listitem')
  const count = await rows.count()
  await rows.first().getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('Token revoked')).toBeVisible()
  await expect(rows).toHaveCount(count - 1)
  expect((await requestUser()).status).toBe(401)
})
