import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signOut } from '@passport/contract/accounts'
import { caller } from '@passport/contract/call'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { atTheEnd } from '../test-endings.ts'
import { castPassword, startTestService, type TestService } from '../test-service.ts'
import { deliverLogoutNotices } from './back-channel.ts'
import { sessionStateOf } from './check-session.ts'

const callback = 'https://shop.example/callback'
let service: TestService
let shop: client.Configuration
let listener: Server
/** What the client's back channel heard, and how it answers. */
const heard: string[] = []
let status = 200

beforeAll(async () => {
  listener = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    heard.push(new URLSearchParams(body).get('logout_token') ?? '')
    listener.emit('heard')
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  atTheEnd(() => listener.close())
  const backchannelLogoutUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/logout`
  const clients = [{ clientId: 'shop', clientName: 'Shop', redirectUris: [callback], backchannelLogoutUri }]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  shop = await client.discovery(new URL(service.url), 'shop', {}, client.None(), {
    execute: [client.allowInsecureRequests],
  })
})

async function signedIn(name: string): Promise<TestBrowser> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: castPassword })
  return browser
}

async function signInToShop(browser: TestBrowser) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  let at = client.buildAuthorizationUrl(shop, {
    redirect_uri: callback,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }).href
  while (at.startsWith(service.url)) at = new URL((await browser.send(at)).headers.get('location') ?? '', at).href
  const sessionState = new URL(at).searchParams.get('session_state') ?? ''
  const tokens = await client.authorizationCodeGrant(shop, new URL(at), { pkceCodeVerifier })
  return { sessionState, tokens }
}

const stateOf = (browser: TestBrowser) => browser.cookies().find(({ name }) => name === 'passport-state')?.value ?? ''

async function signOutOf(browser: TestBrowser) {
  const call = caller(service.url, async (request) =>
    browser.send(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    }),
  )
  await call(signOut, { body: {} })
}

describe('session management', () => {
  test('gives each client a state that is good for its origin, until the session is another', async () => {
    const browser = await signedIn('ada')
    const { sessionState } = await signInToShop(browser)
    const [digest, salt] = sessionState.split('.')
    expect(salt?.length).toBeGreaterThan(10)
    const expected = (state: string, origin = 'https://shop.example') => digestOf('shop', origin, state, salt ?? '')
    expect(digest).toBe(await expected(stateOf(browser)))
    expect(digest).not.toBe(await expected(stateOf(browser), 'https://evil.example'))
    await browser.submit(await browser.open('/login?prompt=login'), { name: 'ada', password: castPassword })
    expect(digest).not.toBe(await expected(stateOf(browser)))
    await signOutOf(browser)
    expect(stateOf(browser)).toBe('')
    expect(sessionStateOf('shop', 'x', 'y')).not.toBe(sessionStateOf('shop', 'x', 'y'))
  })

  test('has a frame that the applications may embed, and nobody else', async () => {
    const found = await fetch(`${service.url}/.well-known/openid-configuration`)
    const { check_session_iframe: frame } = (await found.json()) as { check_session_iframe: string }
    const response = await fetch(frame)
    expect(response.headers.get('content-security-policy')).toContain(
      `frame-ancestors ${service.url} https://shop.example`,
    )
    expect(response.headers.get('x-frame-options')).toBeNull()
    const src = /script src="([^"]+)"/.exec(await response.text())?.[1] ?? ''
    expect((await fetch(service.url + src)).headers.get('content-type')).toContain('text/javascript')
  })
})

async function digestOf(...parts: string[]) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(parts.join(' ')))
  return Buffer.from(digest).toString('base64url')
}

describe('the back channel', () => {
  test('tells an application at once that a session of theirs ended, with a token that proves it', async () => {
    const browser = await signedIn('dev')
    const { tokens } = await signInToShop(browser)
    const told = once(listener, 'heard')
    await signOutOf(browser)
    await told
    const keys = createRemoteJWKSet(new URL(`${service.url}/connect/jwks`))
    const { payload, protectedHeader } = await jwtVerify(heard.at(-1) ?? '', keys, {
      issuer: service.url,
      audience: 'shop',
    })
    expect(protectedHeader.typ).toBe('logout+jwt')
    expect(payload).toMatchObject({
      sid: tokens.claims()?.['sid'],
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(payload['nonce']).toBeUndefined()
  })

  test('tries again later where the application does not answer, and gives up in the end', async () => {
    status = 503
    const browser = await signedIn('eve')
    await signInToShop(browser)
    const told = once(listener, 'heard')
    await signOutOf(browser)
    await told
    const waiting = () => service.sql`select attempts, due_at > now() as is_later from logout_notices`
    await expect.poll(waiting).toEqual([{ attempts: 1, isLater: true }])
    const before = heard.length
    const { sql, issuer, log } = service.services
    await deliverLogoutNotices(sql, issuer, log)
    expect(heard).toHaveLength(before)
    await service.sql`update logout_notices set due_at = now(), attempts = 5`
    // The service's own delivery may hold the row for a moment, and then this one skips it.
    const deliverAndCount = async () => {
      await deliverLogoutNotices(sql, issuer, log)
      return waiting()
    }
    await expect.poll(deliverAndCount).toEqual([])
    expect(heard).toHaveLength(before + 1)
  })
})
