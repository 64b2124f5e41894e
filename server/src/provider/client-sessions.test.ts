import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signOut } from '@passport/contract/accounts'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { registerClients } from '../clients/registered.ts'
import { loadConfig } from '../config.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'
import { deliverLogoutNotices, sweepLogoutNotices } from './back-channel.ts'

const redirectUri = 'https://shop.example/callback'
let service: TestService
let shop: client.Configuration
let listener: Server
let clients: { clientId: string; clientName: string; redirectUris: string[]; backchannelLogoutUri?: string }[]
/** The logout tokens that the client received. */
const logoutTokens: string[] = []
/** The status of the client's responses. */
let status = 200

beforeAll(async () => {
  listener = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    logoutTokens.push(new URLSearchParams(body).get('logout_token') ?? '')
    listener.emit('notified')
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => listener.close())
  const backchannelLogoutUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/logout`
  clients = [
    { clientId: 'shop', clientName: 'Shop', redirectUris: [redirectUri], backchannelLogoutUri },
    { clientId: 'market', clientName: 'Market', redirectUris: ['https://market.example/callback', 'com.market:/back'] },
  ]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  shop = await client.discovery(new URL(service.url), 'shop', {}, client.None(), {
    execute: [client.allowInsecureRequests],
  })
})

async function signIn(name: string): Promise<TestBrowser> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: demoPassword })
  return browser
}

async function signInToShop(browser: TestBrowser) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  let url = client.buildAuthorizationUrl(shop, {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }).href
  while (url.startsWith(service.url)) url = new URL((await browser.send(url)).headers.get('location') ?? '', url).href
  const sessionState = new URL(url).searchParams.get('session_state') ?? ''
  const tokens = await client.authorizationCodeGrant(shop, new URL(url), { pkceCodeVerifier })
  return { sessionState, tokens }
}

const readStateCookie = (browser: TestBrowser) =>
  browser.cookies().find(({ name }) => name === 'passport-state')?.value ?? ''

async function signOutBrowser(browser: TestBrowser) {
  await createBrowserCall(service.url, browser)(signOut, { body: {} })
}

describe('session management', () => {
  test('a session state is valid for the client and its origin until the session changes', async () => {
    const browser = await signIn('ada')
    const { sessionState } = await signInToShop(browser)
    const [digest, salt] = sessionState.split('.')
    expect(salt?.length).toBeGreaterThan(10)
    const expected = (state: string, origin = 'https://shop.example') =>
      computeDigest('shop', origin, state, salt ?? '')
    expect(digest).toBe(await expected(readStateCookie(browser)))
    expect(digest).not.toBe(await expected(readStateCookie(browser), 'https://evil.example'))
    await browser.submit(await browser.open('/login?prompt=login'), { name: 'ada', password: demoPassword })
    expect(digest).not.toBe(await expected(readStateCookie(browser)))
    await signOutBrowser(browser)
    expect(readStateCookie(browser)).toBe('')
  })

  test('only pages of clients and of this server may embed the check_session_iframe, which lists no others', async () => {
    const metadataResponse = await fetch(`${service.url}/.well-known/openid-configuration`)
    const { check_session_iframe: frame } = (await metadataResponse.json()) as { check_session_iframe: string }
    const embed = (referer?: string) => fetch(frame, { headers: referer === undefined ? {} : { referer } })
    const readAncestors = async (referer?: string) =>
      (await embed(referer)).headers.get('content-security-policy')?.split('frame-ancestors ')[1]
    for (const referer of ['https://shop.example/', 'https://shop.example/cart?a=b'])
      expect(await readAncestors(referer)).toBe(`${service.url} https://shop.example`)
    expect(await readAncestors('https://market.example/')).toBe(`${service.url} https://market.example`)
    const others = [
      'https://evil.example/',
      'http://shop.example/',
      'https://shop.example.evil.example/',
      'about:blank',
    ]
    for (const referer of [undefined, '', 'x', 'https://shop.example:8443/', 'shop.example', service.url, ...others])
      expect([referer, await readAncestors(referer)]).toEqual([referer, service.url])
    const response = await embed()
    expect(response.headers.get('x-frame-options')).toBeNull()
    const src = /script src="([^"]+)"/.exec(await response.text())?.[1] ?? ''
    expect((await fetch(service.url + src)).headers.get('content-type')).toContain('text/javascript')
  })
})

async function computeDigest(...parts: string[]) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(parts.join(' ')))
  return Buffer.from(digest).toString('base64url')
}

describe('back-channel logout', () => {
  const listNotices = () => service.sql`select attempts, due_at > now() as is_later from logout_notices`
  // The notices of earlier tests are delivered in the background.
  beforeEach(() => expect.poll(listNotices).toEqual([]))

  test('notifies a client of an ended session at once, with a verifiable logout token', async () => {
    const browser = await signIn('dev')
    const { tokens } = await signInToShop(browser)
    const notified = once(listener, 'notified')
    await signOutBrowser(browser)
    await notified
    const keys = createRemoteJWKSet(new URL(`${service.url}/connect/jwks`))
    const { payload, protectedHeader } = await jwtVerify(logoutTokens.at(-1) ?? '', keys, {
      issuer: service.url,
      audience: 'shop',
    })
    expect(protectedHeader.typ).toBe('logout+jwt')
    // Without a nonce, so that nobody takes it for an ID token.
    expect(payload).toEqual({
      iss: service.url,
      aud: 'shop',
      sub: tokens.claims()?.sub,
      sid: tokens.claims()?.['sid'],
      jti: expect.stringMatching(/^[\w-]{43}$/),
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 120,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
  })

  test('retries later if the client responds with an error, and drops the notice after the sixth attempt', async () => {
    status = 503
    const browser = await signIn('eve')
    await signInToShop(browser)
    const notified = once(listener, 'notified')
    await signOutBrowser(browser)
    await notified
    await expect.poll(listNotices).toEqual([{ attempts: 1, isLater: true }])
    const before = logoutTokens.length
    await deliverLogoutNotices(service.services)
    expect(logoutTokens).toHaveLength(before)
    await service.sql`update logout_notices set due_at = now(), attempts = 5`
    // The service's own delivery may lock the row for a moment, and then this one skips it.
    const deliverAndList = async () => {
      await deliverLogoutNotices(service.services)
      return listNotices()
    }
    await expect.poll(deliverAndList).toEqual([])
    expect(logoutTokens).toHaveLength(before + 1)
  })

  test('waits while the client is disabled, and follows when it is enabled, for at most 14 days', async () => {
    status = 200
    const { sql } = service.services
    const setEnabled = (enabled: boolean) => sql`update clients set enabled = ${enabled} where client_id = 'shop'`
    const deliver = () => deliverLogoutNotices(service.services)
    const [first, second] = [await signIn('dev'), await signIn('dev')]
    for (const browser of [first, second]) await signInToShop(browser)
    await setEnabled(false)
    const before = logoutTokens.length
    await signOutBrowser(first)
    await deliver()
    await expect.poll(listNotices).toEqual([{ attempts: 0, isLater: false }])
    expect(logoutTokens).toHaveLength(before)
    await setEnabled(true)
    // The service's own delivery may lock the row for a moment, and then this one skips it.
    await expect.poll(async () => [await deliver(), await listNotices()]).toEqual([undefined, []])
    await expect.poll(() => logoutTokens.length).toBe(before + 1)
    await setEnabled(false)
    await signOutBrowser(second)
    await sql`update logout_notices set created_at = now() - interval '13 days'`
    expect(await sweepLogoutNotices(sql, 10)).toBe(0)
    await sql`update logout_notices set created_at = now() - interval '15 days'`
    expect(await sweepLogoutNotices(sql, 10)).toBe(1)
    await setEnabled(true)
  })

  test('of an application that was removed is for no later one with the same client id', async () => {
    const { sql, services } = service
    const register = (all: typeof clients) =>
      registerClients(sql, loadConfig({ CLIENTS: JSON.stringify(all), PUBLIC_URL: service.url }))
    const [signedOut, signedIn] = [await signIn('dev'), await signIn('eve')]
    for (const browser of [signedOut, signedIn]) await signInToShop(browser)
    status = 500
    const notified = once(listener, 'notified')
    await signOutBrowser(signedOut)
    await notified
    await expect.poll(listNotices).toEqual([{ attempts: 1, isLater: true }])
    await register(clients.filter(({ clientId }) => clientId !== 'shop'))
    await register(clients)
    status = 200
    await expect.poll(() => services.clients.find('shop')).toBeDefined()
    const before = logoutTokens.length
    await sql`update logout_notices set due_at = now()`
    await signOutBrowser(signedIn)
    await expect.poll(async () => [await deliverLogoutNotices(services), await listNotices()]).toEqual([undefined, []])
    expect(logoutTokens).toHaveLength(before)

    // The new application gets the notices about its own users.
    const browser = await signIn('eve')
    await signInToShop(browser)
    const ofItsOwn = once(listener, 'notified')
    await signOutBrowser(browser)
    await ofItsOwn
  })

  test('is dropped for a client that does not exist', async () => {
    const { sql } = service.services
    await sql`insert into logout_notices (client_id, account_id, sid) values ('none', 'eve', 's')`
    await expect
      .poll(async () => [await deliverLogoutNotices(service.services), await listNotices()])
      .toEqual([undefined, []])
  })
})
