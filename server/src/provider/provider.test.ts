import { createTestBrowser } from '@passport/world/browser'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { demoPassword } from '../test-service.ts'
import { redirectUri, startShop } from './test-shop.ts'

const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop } = await startShop(
  {},
  { LOCAL_DIRECTORY_ISSUER: 'on' },
)

describe('the discovery document', () => {
  test('lists the supported client authentication methods, and the scopes of users and of clients', async () => {
    const metadata = (await (await fetch(`${service.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      string[]
    >
    expect(metadata['token_endpoint_auth_methods_supported']).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'none',
    ])
    expect(metadata['scopes_supported']).toEqual([
      'openid',
      'profile',
      'email',
      'connections',
      'entitlements',
      'offline_access',
      'api_vertex_core',
      'permissions.read',
      'permissions.write',
      'entitlements.write',
      'passport.admin.read',
      'passport.admin',
    ])
  })

  test.for([
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/connect/jwks',
    '/idp/jwks',
  ])('and the keys have an ETag at %s', async (path) => {
    const first = await fetch(service.url + path)
    const etag = first.headers.get('etag') ?? ''
    expect([etag, first.headers.get('cache-control')]).toEqual([
      expect.stringMatching(/^"[\w-]{22}"$/),
      'public, no-cache',
    ])
    const again = await fetch(service.url + path, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    const modified = await fetch(service.url + path, { headers: { 'if-none-match': '"another"' } })
    expect([modified.status, await modified.text()]).toEqual([200, await first.text()])
  })

  test('lists the endpoints at the public URL regardless of a forwarded host', async () => {
    const response = await fetch(`${service.url}/.well-known/openid-configuration`)
    const { url } = service
    expect(await response.json()).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/connect/authorize`,
      token_endpoint: `${url}/connect/token`,
      userinfo_endpoint: `${url}/connect/userinfo`,
      revocation_endpoint: `${url}/connect/revocation`,
      introspection_endpoint: `${url}/connect/introspect`,
      end_session_endpoint: `${url}/connect/endsession`,
      jwks_uri: `${url}/connect/jwks`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: expect.arrayContaining([
        'authorization_code',
        'client_credentials',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]),
      device_authorization_endpoint: `${url}/connect/deviceauthorization`,
      check_session_iframe: `${url}/connect/checksession`,
      backchannel_logout_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    const spoofed = await fetch(`${url}/.well-known/openid-configuration`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    const text = await spoofed.text()
    expect([spoofed.status, JSON.parse(text).token_endpoint]).toEqual([200, `${url}/connect/token`])
    expect(text).not.toContain('evil.example')
  })

  test('links to public keys without private parts', async () => {
    const { keys } = (await (await fetch(`${service.url}/connect/jwks`)).json()) as { keys: { alg: string }[] }
    expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256'])
    for (const key of keys) expect(Object.keys(key)).not.toContain('d')
  })
})

describe('openid-client', () => {
  test('signs in a user with a Passport session, without a page', async () => {
    const tokens = await signInToShop(await signIn('ada'))
    const ada = await service.as('ada')
    expect(tokens.claims()).toMatchObject({ sub: ada.id, aud: 'shop', iss: service.url })
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('ES256')
    expect(await client.fetchUserInfo(shop, tokens.access_token, ada.id)).toEqual({
      sub: ada.id,
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      email: 'ada@passport.example',
      email_verified: true,
    })
  })

  test('signs in a user who must sign in to Passport first', async () => {
    const browser = createTestBrowser(service.url)
    const { url: authorizationUrl, checks } = await buildAuthorizationRequest()
    const page = await browser.open(authorizationUrl)
    const form = { name: 'dev', password: demoPassword }
    await expect(browser.submit(page, form)).rejects.toThrow()
    const redirected = browser.visitedUrls.findLast((url) => url.startsWith(redirectUri))
    const tokens = await client.authorizationCodeGrant(shop, new URL(redirected ?? ''), checks)
    expect(tokens.claims()?.sub).toBe((await service.as('dev')).id)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;")
  })

  test('refreshes, each time with a new refresh token', async () => {
    const first = await signInToShop(await signIn('ada'))
    const second = await client.refreshTokenGrant(shop, first.refresh_token ?? '')
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.claims()?.sub).toBe(first.claims()?.sub)
    await client.refreshTokenGrant(shop, second.refresh_token ?? '')
  })

  test('revokes a token, which is then inactive', async () => {
    const tokens = await signInToShop(await signIn('ada'))
    expect(await client.tokenIntrospection(shop, tokens.access_token)).toMatchObject({
      active: true,
      client_id: 'shop',
    })
    await client.tokenRevocation(shop, tokens.refresh_token ?? '')
    expect(await client.tokenIntrospection(shop, tokens.access_token)).toEqual({ active: false })
    await expect(client.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})

test('oauth4webapi completes a sign-in with PKCE as a public client, a refresh and a revocation', async () => {
  const issuer = new URL(service.url)
  const insecure = { [oauth.allowInsecureRequests]: true }
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const game = { client_id: 'game' }
  const codeVerifier = oauth.generateRandomCodeVerifier()
  const authorizationUrl = new URL(server.authorization_endpoint ?? '')
  const gameRedirectUri = 'https://game.example/callback'
  const parameters = {
    client_id: 'game',
    redirect_uri: gameRedirectUri,
    response_type: 'code',
    response_mode: 'fragment',
    scope: 'openid',
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state: 'the state',
  }
  for (const [name, value] of Object.entries(parameters)) authorizationUrl.searchParams.set(name, value)
  const redirected = await followAuthorization(await signIn('eve'), authorizationUrl.href)
  const code = oauth.validateAuthResponse(server, game, new URLSearchParams(redirected.hash.slice(1)), 'the state')
  const none = oauth.None()
  const tokenResponse = await oauth.authorizationCodeGrantRequest(
    server,
    game,
    none,
    code,
    gameRedirectUri,
    codeVerifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, game, tokenResponse, { requireIdToken: true })
  const refreshResponse = await oauth.refreshTokenGrantRequest(server, game, none, tokens.refresh_token ?? '', insecure)
  const rotated = await oauth.processRefreshTokenResponse(server, game, refreshResponse)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, game, none, rotated.refresh_token ?? '', insecure),
  )
  const reused = await oauth.refreshTokenGrantRequest(server, game, none, rotated.refresh_token ?? '', insecure)
  await expect(oauth.processRefreshTokenResponse(server, game, reused)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})

describe('the authorization server rejects', () => {
  test.for([
    ['a request without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['the PKCE method `plain`', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an implicit flow', { response_type: 'id_token', response_mode: 'fragment' }, 'unsupported_response_type'],
  ] as const)('%s', async ([, parameters, error]) => {
    const { url: authorizationUrl } = await buildAuthorizationRequest()
    const url = new URL(authorizationUrl)
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    const redirected = await followAuthorization(await signIn('ada'), url.href)
    const response = new URLSearchParams(redirected.search || redirected.hash.slice(1))
    expect(response.get('error')).toBe(error)
  })

  test('an unregistered redirect URI, on a page of ours', async () => {
    const { url: authorizationUrl } = await buildAuthorizationRequest({ redirect_uri: 'https://evil.example/' })
    const page = await createTestBrowser(service.url).open(authorizationUrl)
    expect(page.status).toBe(400)
    expect(page.url).toBe(authorizationUrl)
    expect(page.text).toContain('The application sent an invalid request')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('a request without a redirect URI, even if the client registered only one', async () => {
    const { url: authorizationUrl } = await buildAuthorizationRequest()
    const url = new URL(authorizationUrl)
    url.searchParams.delete('redirect_uri')
    const page = await (await signIn('ada')).open(url.href)
    expect([page.status, page.url]).toEqual([400, url.href])
    expect(page.text).toContain('redirect_uri')
  })

  test('a code with another verifier', async () => {
    const { url: authorizationUrl, checks } = await buildAuthorizationRequest()
    const redirected = await followAuthorization(await signIn('ada'), authorizationUrl)
    const otherChecks = { ...checks, pkceCodeVerifier: client.randomPKCECodeVerifier() }
    await expect(client.authorizationCodeGrant(shop, redirected, otherChecks)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('a silent request without a session, with `login_required`', async () => {
    const { url: authorizationUrl } = await buildAuthorizationRequest({ prompt: 'none' })
    const redirected = await followAuthorization(createTestBrowser(service.url), authorizationUrl)
    expect(redirected.searchParams.get('error')).toBe('login_required')
  })
})

describe('of 16 concurrent requests', () => {
  const concurrency = 16

  test('for one code, one succeeds and the others get `invalid_grant`', async () => {
    const browser = await signIn('ada')
    for (let round = 0; round < 50; round++) {
      const { url: authorizationUrl, checks } = await buildAuthorizationRequest()
      const redirected = await followAuthorization(browser, authorizationUrl)
      const results = await Promise.allSettled(
        Array.from({ length: concurrency }, () => client.authorizationCodeGrant(shop, redirected, checks)),
      )
      expectOneSuccess(results)
    }
  }, 120_000)

  test('for one refresh token, all get the same successor', async () => {
    let { refresh_token: token = '' } = await signInToShop(await signIn('ada'))
    for (let round = 0; round < 10; round++) {
      const responses = await Promise.all(
        Array.from({ length: concurrency }, () => client.refreshTokenGrant(shop, token)),
      )
      const successors = [...new Set(responses.map(({ refresh_token }) => refresh_token))]
      expect(successors).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
      token = successors[0] ?? ''
    }
  }, 120_000)
})

function expectOneSuccess(results: PromiseSettledResult<unknown>[]) {
  const errors = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason.error ?? result.reason] : [],
  )
  expect(errors).toHaveLength(results.length - 1)
  expect(new Set(errors)).toEqual(new Set(['invalid_grant']))
}

test('the tables of the issuer have neither tokens, token ids nor private keys in plain text', async () => {
  const tokens = await signInToShop(await signIn('ada'), { scope: 'openid api_vertex_core' })
  const rows = await service.sql`select * from provider_artifacts`
  const stored = JSON.stringify(rows) + JSON.stringify(await service.sql`select * from signing_keys`)
  for (const value of [tokens.refresh_token, tokens.access_token, decodeJwt(tokens.access_token).jti]) {
    expect(stored).not.toContain(value)
  }
  expect(stored).not.toContain('"d"')
})
