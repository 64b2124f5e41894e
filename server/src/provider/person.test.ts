import { signOut } from '@passport/contract/accounts'
import { caller } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { sweepSessions } from '../sessions/end.ts'
import { castPassword } from '../test-service.ts'
import { callback, startShop } from './test-shop.ts'

/** The person between Passport and the applications: known, asked again, somebody else, gone. */

const { service, shop, signedIn, authorizationRequest, answerTo, signInToShop, asBearer } = await startShop()

const callWith = (browser: TestBrowser) =>
  caller(service.url, async (request) =>
    browser.send(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.method !== 'GET' && { body: await request.text() }),
    }),
  )

describe('the person', () => {
  test('is known silently in the browser in which they are signed in to Passport', async () => {
    const tokens = await signInToShop(await signedIn('ada'), { prompt: 'none' })
    expect(tokens.claims()?.sub).toBe((await service.as('ada')).id)
  })

  test('must sign in afresh where the client asks for it, and only then', async () => {
    const browser = await signedIn('ada')
    const before = Math.floor(Date.now() / 1000)
    const { address, checks } = await authorizationRequest({ prompt: 'login', max_age: '0' })
    const page = await browser.open(address)
    expect(page.text).toContain('type="password"')
    await expect(browser.submit(page, { name: 'ada', password: castPassword })).rejects.toThrow()
    const answer = new URL(browser.visited.findLast((at) => at.startsWith(callback)) ?? '')
    const tokens = await client.authorizationCodeGrant(shop, answer, checks)
    expect(tokens.claims()?.auth_time).toBeGreaterThanOrEqual(before)

    await service.sql`update sessions set auth_time = now() - interval '10 minutes' where user_id = ${tokens.claims()?.sub ?? ''}`
    const recent = await signInToShop(browser, { max_age: '3600', prompt: 'none' })
    expect(recent.claims()?.sub).toBe(tokens.claims()?.sub)
  })

  test('whom the client expects is named already where they sign in', async () => {
    const { address } = await authorizationRequest({ login_hint: 'ada & <b>' })
    const form = await createTestBrowser(service.url).open(address)
    expect(form.text).toContain('value="ada &amp; &lt;b&gt;"')
  })

  test('may be another one than was signed in, where the client lets them choose', async () => {
    const browser = await signedIn('ada')
    await signInToShop(browser)
    const { address, checks } = await authorizationRequest({ prompt: 'select_account' })
    const page = await browser.open(address)
    await expect(browser.submit(page, { name: 'eve', password: castPassword })).rejects.toThrow()
    const answer = new URL(browser.visited.findLast((at) => at.startsWith(callback)) ?? '')
    const tokens = await client.authorizationCodeGrant(shop, answer, checks)
    expect(tokens.claims()?.sub).toBe((await service.as('eve')).id)
    expect((await signInToShop(browser, { prompt: 'none' })).claims()?.sub).toBe((await service.as('eve')).id)
  })

  test('whose sign-in could not be kept leaves the request that waits for it as it was', async () => {
    const browser = await signedIn('ada')
    await signInToShop(browser)
    const { address } = await authorizationRequest({ prompt: 'select_account' })
    const page = await browser.open(address)
    const uid = /\/connect\/interaction\/([\w-]+)/.exec(browser.visited.join(' '))?.[1] ?? ''
    const sessionOf = async () => (await (await service.services.issuer.provider()).Interaction.find(uid))?.session
    const before = await sessionOf()
    await service.sql`alter table sessions add constraint none_for_now check (idp <> 'local') not valid`
    expect((await browser.submit(page, { name: 'eve', password: castPassword })).status).toBe(500)
    await service.sql`alter table sessions drop constraint none_for_now`
    expect(before).toBeDefined()
    expect(await sessionOf()).toEqual(before)
  })

  test('who signs out of Passport ends what their applications were given', async () => {
    const browser = await signedIn('ada')
    const tokens = await signInToShop(browser)
    await callWith(browser)(signOut, { body: {} })
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(await client.tokenIntrospection(shop, tokens.access_token)).toEqual({ active: false })
    const { address } = await authorizationRequest({ prompt: 'none' })
    expect((await answerTo(browser, address)).searchParams.get('error')).toBe('login_required')
  })

  test('who was not here for 12 hours ends what their applications were given, as if they had signed out', async () => {
    const tokens = await signInToShop(await signedIn('eve'))
    const lasting = await signInToShop(await signedIn('dev'))
    await service.sql`update sessions set last_seen_at = now() - interval '12 hours' where user_id = ${tokens.claims()?.sub ?? ''}`
    expect(await sweepSessions(service.sql, 1000)).toBeGreaterThan(0)
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(await client.tokenIntrospection(shop, tokens.access_token)).toEqual({ active: false })
    await client.refreshTokenGrant(shop, lasting.refresh_token ?? '')
  })

  test('who signs in again in the same browser keeps it', async () => {
    const browser = await signedIn('ada')
    const tokens = await signInToShop(browser)
    await browser.submit(await browser.open('/login?prompt=login'), { name: 'ada', password: castPassword })
    await client.refreshTokenGrant(shop, tokens.refresh_token ?? '')
  })

  test('who comes after somebody whose session ended by itself is let in to the same applications', async () => {
    const browser = await signedIn('ada')
    await signInToShop(browser)
    await service.sql`delete from sessions`
    await browser.submit(await browser.open('/login?prompt=login'), { name: 'eve', password: castPassword })
    const tokens = await signInToShop(browser)
    expect(tokens.claims()?.sub).toBe((await service.as('eve')).id)
  })

  test('who signs out everywhere is asked for the password, at the built-in directory too', async () => {
    const [here, there] = [await signedIn('dev'), await signedIn('dev')]
    // With its session gone, Passport asks the directory, which remembers the browser.
    there.setCookie('passport', 'gone')
    expect((await there.open('/login?idp=local')).url).toContain('/app/')
    there.setCookie('passport', 'gone')
    await callWith(here)(signOut, { body: { everywhere: true } })
    expect((await there.open('/login?idp=local')).text).toContain('Password')
  })

  test('who is disabled has no tokens that work', async () => {
    const browser = await signedIn('max')
    const max = await service.as('max')
    const tokens = await signInToShop(browser, { scope: 'openid api_vertex_core' })
    await service.sql`update users set disabled_at = now() where id = ${max.id}`
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await asBearer(tokens.access_token)).status).toBe(401)
    await service.sql`update users set disabled_at = null where id = ${max.id}`
  })
})

describe('signing out from an application', () => {
  const address = (parameters: Record<string, string>) =>
    `${service.url}/connect/endsession?${new URLSearchParams(parameters)}`
  const back = { post_logout_redirect_uri: 'https://shop.example/bye', state: 'the state' }

  test('that shows whose ID token it has is done at once', async () => {
    const browser = await signedIn('ada')
    const tokens = await signInToShop(browser)
    const response = await browser.send(address({ ...back, id_token_hint: tokens.id_token ?? '' }))
    expect(response.headers.get('location')).toBe('https://shop.example/bye?state=the+state')
    await expect(callWith(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test('by a form of its own page brings the ID token into no address', async () => {
    const browser = await signedIn('ada')
    const tokens = await signInToShop(browser)
    const form = new URLSearchParams({ ...back, id_token_hint: tokens.id_token ?? '' })
    const sent = await fetch(`${service.url}/connect/endsession`, { method: 'POST', body: form, redirect: 'manual' })
    const address = sent.headers.get('location') ?? ''
    expect(address).not.toContain(tokens.id_token)
    expect(address).not.toContain('shop.example')
    const response = await browser.send(new URL(address, service.url).href)
    expect(response.headers.get('location')).toBe('https://shop.example/bye?state=the+state')
    await expect(callWith(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test('that shows nothing is asked about', async () => {
    const browser = await signedIn('ada')
    const page = await browser.open(address({ ...back, client_id: 'shop' }))
    expect(page.text).toContain('Shop asks to sign you out.')
    expect((await callWith(browser)(getCurrentUser, {})).claims.preferred_username).toBe('ada')
    await expect(
      browser.submit(page, { wish: /name="wish" value="([^"]*)"/.exec(page.text)?.[1] ?? '' }),
    ).rejects.toThrow()
    expect(browser.visited.at(-1)).toBe('https://shop.example/bye?state=the+state')
    await expect(callWith(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test.for([
    ['an address that is not registered', { client_id: 'shop', post_logout_redirect_uri: 'https://evil.example/' }],
    ['an ID token that is not ours', { id_token_hint: 'nonsense' }],
    ['an unknown client', { client_id: 'nobody' }],
  ] as const)('with %s is refused on a page', async ([, parameters]) => {
    const browser = await signedIn('ada')
    const page = await browser.open(address(parameters))
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('You were not signed out')])
    await callWith(browser)(getCurrentUser, {})
  })
})
