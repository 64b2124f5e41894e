import { createTestBrowser } from '@passport/world/browser'
import { decodeProtectedHeader } from 'jose'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { demoPassword } from '../test-service.ts'
import { redirectUri, shopSecret, startShop } from './test-shop.ts'

const nativeApp = {
  clientId: 'desktop',
  clientName: 'Desktop',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'com.example.desktop:/callback'],
}
/** An application of the configuration with an old library: without PKCE, and with RS256. */
const oldApp = {
  clientId: 'old',
  clientName: 'Old',
  clientSecret: shopSecret,
  redirectUris: ['https://old.example/callback'],
  pkce: 'optional',
  idTokenSigningAlg: 'RS256',
}
const otherClients = [nativeApp, oldApp]
const { service, shop, signIn, buildAuthorizationRequest, followAuthorization } = await startShop(
  {},
  { TRUSTED_PROXIES: '127.0.0.1' },
  otherClients,
)

describe('a pushed authorization request', () => {
  const push = async (extraParameters: Record<string, string> = {}) => {
    const codeVerifier = client.randomPKCECodeVerifier()
    const parameters = {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: 'the state',
      ...extraParameters,
    }
    const url = await client.buildAuthorizationUrlWithPAR(shop, parameters)
    return { url: url.href, checks: { pkceCodeVerifier: codeVerifier, expectedState: 'the state' } }
  }

  test('signs a user in', async () => {
    const { url, checks } = await push()
    const redirected = await followAuthorization(await signIn('ada'), url)
    const tokens = await client.authorizationCodeGrant(shop, redirected, checks)
    expect(tokens.claims()?.aud).toBe('shop')
  })

  test('is used once; a second use is rejected with `invalid_request_uri`', async () => {
    const { url } = await push()
    const browser = await signIn('ada')
    expect((await followAuthorization(browser, url)).searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    const again = await browser.open(url)
    expect([again.status, again.url]).toEqual([400, url])
    expect(again.text).toContain('invalid_request_uri')
  })

  test('is used by one of 16 concurrent requests; the others get `invalid_request_uri`', async () => {
    const browser = await signIn('ada')
    for (let round = 0; round < 5; round++) {
      const { url } = await push()
      const responses = await Promise.all(Array.from({ length: 16 }, () => browser.send(url)))
      const outcomes = await Promise.all(
        responses.map(async (response) => {
          const { searchParams } = new URL(response.headers.get('location') ?? url)
          if (searchParams.has('code')) return 'code'
          return searchParams.get('error') ?? /invalid_request_uri/.exec(await response.text())?.[0]
        }),
      )
      expect(outcomes.toSorted()).toEqual(['code', ...Array.from({ length: 15 }, () => 'invalid_request_uri')])
    }
  })

  test('that waits for two sign-ins is used by one of them, even after it has expired', async () => {
    const { url } = await push()
    const browsers = [createTestBrowser(service.url), createTestBrowser(service.url)]
    const pages = [await browsers[0]?.open(url), await browsers[1]?.open(url)]
    await service.sql`
      update provider_artifacts set expires_at = now() where kind = 'PushedAuthorizationRequest' and consumed_at is null`
    const outcomes: string[] = []
    for (const [index, browser] of browsers.entries()) {
      const page = pages[index]
      if (page) await browser.submit(page, { name: 'ada', password: demoPassword }).catch(() => undefined)
      const { searchParams } = new URL(browser.visitedUrls.at(-1) ?? '')
      outcomes.push(searchParams.has('code') ? 'code' : `${searchParams.get('error')}`)
    }
    expect(outcomes).toEqual(['code', 'invalid_request_uri'])
  })

  test('binds the code to the key of its proof', async () => {
    const pair = await client.randomDPoPKeyPair()
    const DPoP = client.getDPoPHandle(shop, pair)
    const codeVerifier = client.randomPKCECodeVerifier()
    const parameters = {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }
    const url = await client.buildAuthorizationUrlWithPAR(shop, parameters, { DPoP })
    const redirected = await followAuthorization(await signIn('ada'), url.href)
    const checks = { pkceCodeVerifier: codeVerifier }
    await expect(client.authorizationCodeGrant(shop, redirected, checks)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    const tokens = await client.authorizationCodeGrant(shop, redirected, checks, undefined, { DPoP })
    expect(tokens.token_type).toBe('dpop')
    const mismatch = client.buildAuthorizationUrlWithPAR(shop, { ...parameters, dpop_jkt: 'k'.repeat(43) }, { DPoP })
    await expect(mismatch).rejects.toMatchObject({ error: 'invalid_request' })
  })

  test('without a redirect URI, or with an unregistered one, is rejected', async () => {
    for (const parameters of [{ client_id: 'shop' }, { redirect_uri: 'https://evil.example/' }]) {
      const response = await fetch(`${service.url}/connect/par`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`shop:${encodeURIComponent(shopSecret)}`)}` },
        body: new URLSearchParams({
          response_type: 'code',
          scope: 'openid',
          code_challenge: 'c'.repeat(43),
          code_challenge_method: 'S256',
          ...parameters,
        }),
      })
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
    }
  })
})

describe('the 301st pushed authorization request of an address in a minute', () => {
  const pushAs = async (clientId: string, headers: Record<string, string>, parameters: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}/connect/par`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '192.0.2.7', ...headers },
      body: new URLSearchParams({ client_id: clientId, response_type: 'code', scope: 'openid', ...parameters }),
    })
    return response.status
  }

  test('gets 429 without a client secret', async () => {
    for (const points of [1, 299]) {
      await service.sql`update rate_limits set points = ${points} where key = 'connect-par:192.0.2.7/32'`
      expect(await pushAs('desktop', {})).toBe(400)
    }
    expect(await pushAs('desktop', {})).toBe(429)
    expect(await pushAs('desktop', {}, { client_secret: '' })).toBe(429)
    expect(await pushAs('', {})).toBe(429)
    expect(await pushAs('desktop', { authorization: 'Basic malformed' })).toBe(429)
    expect(await pushAs('desktop', { 'content-type': 'application/json' })).toBe(429)
    expect(await pushAs('shop', {}, { client_secret: 'wrong' })).toBe(429)
    expect(await pushAs('desktop', { 'x-forwarded-for': '192.0.2.8' })).toBe(400)
    // A server sends the requests of all its users.
    const authorization = `Basic ${btoa(`shop:${encodeURIComponent(shopSecret)}`)}`
    expect(await pushAs('shop', { authorization })).toBe(400)
  })
})

describe('POST /connect/authorize', () => {
  test('is answered as GET is (OpenID Connect Core, section 3.1.2.1)', async () => {
    const { url, checks } = await buildAuthorizationRequest()
    const browser = await signIn('ada')
    const { origin, pathname, searchParams } = new URL(url)
    const response = await browser.send(origin + pathname, { method: 'POST', body: searchParams })
    expect(response.status).toBe(303)
    const target = new URL(response.headers.get('location') ?? '', service.url)
    const redirected = await followAuthorization(browser, target.href)
    const tokens = await client.authorizationCodeGrant(shop, redirected, checks)
    expect(tokens.claims()?.aud).toBe('shop')
  })
})

describe('the redirect URI', () => {
  const authorize = async (clientId: string, uri: string) => {
    const { url } = await buildAuthorizationRequest({ redirect_uri: uri, client_id: clientId })
    const response = await createTestBrowser(service.url).send(url)
    return response.status
  }

  test.for([
    ['desktop', 'http://127.0.0.1/callback', 303],
    ['desktop', 'http://127.0.0.1:51423/callback', 303],
    ['desktop', 'http://[::1]:51423/callback', 303],
    ['desktop', 'com.example.desktop:/callback', 303],
    ['desktop', 'http://127.0.0.1:51423/other', 400],
    ['desktop', 'http://127.0.0.1:51423/callback?a=b', 400],
    ['desktop', 'http://127.0.0.2:51423/callback', 400],
    ['desktop', 'http://localhost:51423/callback', 400],
    ['desktop', 'https://127.0.0.1/callback', 400],
    ['shop', redirectUri, 303],
    ['shop', 'https://shop.example:8443/callback', 400],
    ['shop', 'https://shop.example/callback/', 400],
    ['shop', 'https://shop.example/callback?a=b', 400],
    ['shop', 'https://SHOP.example/callback', 400],
    ['shop', 'https://shop.example/callback#a', 400],
    ['shop', 'https://shop.example/x/../callback', 400],
  ] as const)('of %s may be %s: %i', async ([clientId, uri, status]) => {
    expect(await authorize(clientId, uri)).toBe(status)
  })
})

describe('a client of the configuration', () => {
  const discover = (metadata: Partial<client.ClientMetadata> = {}) =>
    client.discovery(new URL(service.url), 'old', metadata, client.ClientSecretPost(shopSecret), {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    })
  const request = { redirect_uri: 'https://old.example/callback', scope: 'openid' }

  test('signs users in without PKCE if it is optional, with ID tokens of its algorithm', async () => {
    const old = await discover({ id_token_signed_response_alg: 'RS256' })
    const redirected = await followAuthorization(await signIn('ada'), client.buildAuthorizationUrl(old, request).href)
    const tokens = await client.authorizationCodeGrant(old, redirected)
    expect(tokens.claims()?.aud).toBe('old')
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('RS256')
  })

  test('that begins with PKCE must finish with it', async () => {
    const old = await discover({ id_token_signed_response_alg: 'RS256' })
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const withPkce = client.buildAuthorizationUrl(old, {
      ...request,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const browser = await signIn('ada')
    const first = await followAuthorization(browser, withPkce.href)
    await expect(client.authorizationCodeGrant(old, first)).rejects.toMatchObject({ error: 'invalid_grant' })
    const second = await followAuthorization(browser, withPkce.href)
    expect((await client.authorizationCodeGrant(old, second, { pkceCodeVerifier })).claims()?.aud).toBe('old')
  })
})
