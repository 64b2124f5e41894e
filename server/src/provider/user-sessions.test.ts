import { signOut } from '@passport/contract/accounts'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { sweepSessions } from '../accounts/end-sessions.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { demoPassword } from '../test-service.ts'
import { redirectUri, startShop } from './test-shop.ts'

const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop, fetchWithToken } =
  await startShop()

const createCall = (browser: TestBrowser) => createBrowserCall(service.url, browser)

describe('a user', () => {
  test('who is signed in to Passport is signed in to a client without a page', async () => {
    const tokens = await signInToShop(await signIn('ada'), { prompt: 'none' })
    expect(tokens.claims()?.sub).toBe((await service.as('ada')).id)
  })

  test('signs in again if the client requires it, but not within its `max_age`', async () => {
    const browser = await signIn('ada')
    const before = Math.floor(Date.now() / 1000)
    const { url: authorizationUrl, checks } = await buildAuthorizationRequest({ prompt: 'login', max_age: '0' })
    const page = await browser.open(authorizationUrl)
    expect(page.text).toContain('type="password"')
    await expect(browser.submit(page, { name: 'ada', password: demoPassword })).rejects.toThrow()
    const redirected = new URL(browser.visitedUrls.findLast((url) => url.startsWith(redirectUri)) ?? '')
    const tokens = await client.authorizationCodeGrant(shop, redirected, checks)
    expect(tokens.claims()?.auth_time).toBeGreaterThanOrEqual(before)

    await service.sql`update sessions set auth_time = now() - interval '10 minutes' where user_id = ${tokens.claims()?.sub ?? ''}`
    const recent = await signInToShop(browser, { max_age: '3600', prompt: 'none' })
    expect(recent.claims()?.sub).toBe(tokens.claims()?.sub)
  })

  test('in the `login_hint` of the client is prefilled on the sign-in page', async () => {
    const { url: authorizationUrl } = await buildAuthorizationRequest({ login_hint: 'ada & <b>' })
    const form = await createTestBrowser(service.url).open(authorizationUrl)
    expect(form.text).toContain('value="ada &amp; &lt;b&gt;"')
  })

  test('can sign in as another one if the client requests account selection', async () => {
    const browser = await signIn('ada')
    await signInToShop(browser)
    const { url: authorizationUrl, checks } = await buildAuthorizationRequest({ prompt: 'select_account' })
    const page = await browser.open(authorizationUrl)
    await expect(browser.submit(page, { name: 'eve', password: demoPassword })).rejects.toThrow()
    const redirected = new URL(browser.visitedUrls.findLast((url) => url.startsWith(redirectUri)) ?? '')
    const tokens = await client.authorizationCodeGrant(shop, redirected, checks)
    expect(tokens.claims()?.sub).toBe((await service.as('eve')).id)
    expect((await signInToShop(browser, { prompt: 'none' })).claims()?.sub).toBe((await service.as('eve')).id)
  })

  test('whose sign-in could not be saved leaves the pending request unchanged', async () => {
    const browser = await signIn('ada')
    await signInToShop(browser)
    const { url: authorizationUrl } = await buildAuthorizationRequest({ prompt: 'select_account' })
    const page = await browser.open(authorizationUrl)
    const uid = /\/connect\/interaction\/([\w-]+)/.exec(browser.visitedUrls.join(' '))?.[1] ?? ''
    const findPending = () => service.services.requests.findPending(uid)
    const before = await findPending()
    await service.sql`alter table sessions add constraint none_for_now check (idp <> 'local') not valid`
    expect((await browser.submit(page, { name: 'eve', password: demoPassword })).status).toBe(500)
    await service.sql`alter table sessions drop constraint none_for_now`
    expect(before).toBeDefined()
    expect(await findPending()).toEqual(before)
    await expect(browser.submit(page, { name: 'eve', password: demoPassword })).rejects.toThrow()
    expect(browser.visitedUrls.some((url) => url.startsWith(`${redirectUri}?code=`))).toBe(true)
  })

  test('who signs out of Passport revokes the tokens of their clients', async () => {
    const browser = await signIn('ada')
    const tokens = await signInToShop(browser)
    await createCall(browser)(signOut, { body: {} })
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(await client.tokenIntrospection(shop, tokens.access_token)).toEqual({ active: false })
    const { url: authorizationUrl } = await buildAuthorizationRequest({ prompt: 'none' })
    expect((await followAuthorization(browser, authorizationUrl)).searchParams.get('error')).toBe('login_required')
  })

  test('who was inactive for 12 hours loses the tokens of their clients, as by signing out', async () => {
    const tokens = await signInToShop(await signIn('eve'))
    const session = await signInToShop(await signIn('dev'))
    await service.sql`update sessions set last_seen_at = now() - interval '12 hours 1 minute' where user_id = ${tokens.claims()?.sub ?? ''}`
    expect(await sweepSessions(service.sql, 1000)).toBeGreaterThan(0)
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(await client.tokenIntrospection(shop, tokens.access_token)).toEqual({ active: false })
    await client.refreshTokenGrant(shop, session.refresh_token ?? '')
  })

  test('who signs in again in the same browser keeps the tokens of their clients', async () => {
    const browser = await signIn('ada')
    const tokens = await signInToShop(browser)
    await browser.submit(await browser.open('/login?prompt=login'), { name: 'ada', password: demoPassword })
    await client.refreshTokenGrant(shop, tokens.refresh_token ?? '')
  })

  test('who signs in after the session of another user ended can use the same client', async () => {
    const browser = await signIn('ada')
    await signInToShop(browser)
    await service.sql`delete from sessions`
    await browser.submit(await browser.open('/login?prompt=login'), { name: 'eve', password: demoPassword })
    const tokens = await signInToShop(browser)
    expect(tokens.claims()?.sub).toBe((await service.as('eve')).id)
  })

  test('who signs out everywhere must enter the password again in other browsers', async () => {
    const [browser, otherBrowser] = [await signIn('dev'), await signIn('dev')]
    await createCall(browser)(signOut, { body: { everywhere: true } })
    expect((await otherBrowser.send('/passport/apphelper/user')).status).toBe(401)
    expect((await otherBrowser.open('/login?idp=local')).text).toContain('Password')
  })

  test('who is disabled has no valid tokens', async () => {
    const browser = await signIn('max')
    const max = await service.as('max')
    const tokens = await signInToShop(browser, { scope: 'openid api_vertex_core' })
    await service.sql`update users set disabled_at = now() where id = ${max.id}`
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await fetchWithToken(tokens.access_token)).status).toBe(401)
    await service.sql`update users set disabled_at = null where id = ${max.id}`
  })
})

describe('an end-session request', () => {
  const endSessionUrl = (parameters: Record<string, string>) =>
    `${service.url}/connect/endsession?${new URLSearchParams(parameters)}`
  const confirm = (browser: TestBrowser, page: ShownPage) =>
    browser.submit(page, { return: /name="return" value="([^"]*)"/.exec(page.text)?.[1] ?? '' })
  const logoutParameters = { post_logout_redirect_uri: 'https://shop.example/bye', state: 'the state' }

  test('with an ID token hint signs the user out without confirmation', async () => {
    const browser = await signIn('ada')
    const tokens = await signInToShop(browser)
    const response = await browser.send(endSessionUrl({ ...logoutParameters, id_token_hint: tokens.id_token ?? '' }))
    expect(response.headers.get('location')).toBe('https://shop.example/bye?state=the+state')
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test('by form puts neither the ID token nor the redirect URI into a URL', async () => {
    const browser = await signIn('ada')
    const tokens = await signInToShop(browser)
    const form = new URLSearchParams({ ...logoutParameters, id_token_hint: tokens.id_token ?? '' })
    const postResponse = await fetch(`${service.url}/connect/endsession`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    })
    const location = postResponse.headers.get('location') ?? ''
    expect(location).not.toContain(tokens.id_token)
    expect(location).not.toContain('shop.example')
    const response = await browser.send(new URL(location, service.url).href)
    expect(response.headers.get('location')).toBe('https://shop.example/bye?state=the+state')
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test('by form is rejected on a page if it is over 6,000 bytes; a shorter one fits into a URL', async () => {
    const send = async (state: string) =>
      fetch(`${service.url}/connect/endsession`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
        body: `client_id=shop&state=${state}`,
        redirect: 'manual',
      })
    for (const state of ['x'.repeat(6000), 'é'.repeat(1001)]) {
      const rejected = await send(state)
      expect([rejected.status, rejected.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8'])
      expect(await rejected.text()).toContain('at most 6,000 bytes')
    }
    const accepted = await send('x'.repeat(5900))
    expect(accepted.status).toBe(303)
    expect(accepted.headers.get('location')?.length).toBeLessThan(8192 - 'GET  HTTP/1.1'.length)
  })

  test('without a hint requires a confirmation', async () => {
    const browser = await signIn('ada')
    const page = await browser.open(endSessionUrl({ ...logoutParameters, client_id: 'shop' }))
    expect(page.text).toContain('Shop requests to sign you out.')
    expect((await createCall(browser)(getCurrentUser, {})).claims.preferred_username).toBe('ada')
    await expect(confirm(browser, page)).rejects.toThrow()
    expect(browser.visitedUrls.at(-1)).toBe('https://shop.example/bye?state=the+state')
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test.for([
    ['the client was disabled', false, logoutParameters.post_logout_redirect_uri],
    ['the client lost the URI', true, 'https://shop.example/other'],
  ] as const)('that is confirmed after %s signs out, and does not return there', async ([, isEnabled, uri]) => {
    const browser = await signIn('ada')
    const page = await browser.open(endSessionUrl({ ...logoutParameters, client_id: 'shop' }))
    const change = (enabled: boolean, registered: string) => service.sql`
      update clients set enabled = ${enabled}, post_logout_redirect_uris = ${[registered]} where client_id = 'shop'`
    await change(isEnabled, uri)
    const shown = await confirm(browser, page).catch((error) => error)
    await change(true, logoutParameters.post_logout_redirect_uri)
    expect(shown.text).toContain('You are signed out')
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test.for([
    ['an unregistered URI', { client_id: 'shop', post_logout_redirect_uri: 'https://evil.example/' }],
    ['a foreign ID token', { id_token_hint: 'nonsense' }],
    ['an unknown client', { client_id: 'nobody' }],
  ] as const)('with %s is rejected on a page', async ([, parameters]) => {
    const browser = await signIn('ada')
    const page = await browser.open(endSessionUrl(parameters))
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('You were not signed out')])
    await createCall(browser)(getCurrentUser, {})
  })
})
