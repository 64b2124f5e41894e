import { createTestBrowser } from '@passport/world/browser'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { castPassword } from '../test-service.ts'
import { callback, startShop } from './test-shop.ts'

const { service, shop, signedIn, authorizationRequest, answerTo, signInToShop } = await startShop()

describe('the discovery document', () => {
  test('offers no way for a client to prove itself that none can use, and every scope that it can ask for', async () => {
    const told = (await (await fetch(`${service.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      string[]
    >
    expect(told['token_endpoint_auth_methods_supported']).toEqual(['client_secret_basic', 'client_secret_post', 'none'])
    expect(told['scopes_supported']).toEqual([
      'openid',
      'profile',
      'email',
      'offline_access',
      'api_vertex_core',
      'permissions.read',
      'permissions.write',
    ])
  })

  test.for([
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/connect/jwks',
    '/idp/jwks',
  ])('and the keys need not be sent to whoever has them: %s', async (path) => {
    const first = await fetch(service.url + path)
    const etag = first.headers.get('etag') ?? ''
    expect([etag, first.headers.get('cache-control')]).toEqual([
      expect.stringMatching(/^"[\w-]{22}"$/),
      'public, no-cache',
    ])
    const again = await fetch(service.url + path, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    const other = await fetch(service.url + path, { headers: { 'if-none-match': '"another"' } })
    expect([other.status, await other.text()]).toEqual([200, await first.text()])
  })

  test('names what there is, at the public URL whatever a forwarded host says', async () => {
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
    const lured = await fetch(`${url}/.well-known/openid-configuration`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    const text = await lured.text()
    expect([lured.status, JSON.parse(text).token_endpoint]).toEqual([200, `${url}/connect/token`])
    expect(text).not.toContain('evil.example')
  })

  test('leads to public keys, of which none tells its private part', async () => {
    const { keys } = (await (await fetch(`${service.url}/connect/jwks`)).json()) as { keys: { alg: string }[] }
    expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256'])
    for (const key of keys) expect(Object.keys(key)).not.toContain('d')
  })
})

describe('openid-client', () => {
  test('signs someone in who is signed in to Passport already, without asking', async () => {
    const tokens = await signInToShop(await signedIn('ada'))
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

  test('signs someone in who has to sign in to Passport first', async () => {
    const browser = createTestBrowser(service.url)
    const { address, checks } = await authorizationRequest()
    const page = await browser.open(address)
    const form = { name: 'dev', password: castPassword }
    await expect(browser.submit(page, form)).rejects.toThrow()
    const answer = browser.visited.findLast((at) => at.startsWith(callback))
    const tokens = await client.authorizationCodeGrant(shop, new URL(answer ?? ''), checks)
    expect(tokens.claims()?.sub).toBe((await service.as('dev')).id)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;")
  })

  test('refreshes, and each refresh token counts once', async () => {
    const first = await signInToShop(await signedIn('ada'))
    const second = await client.refreshTokenGrant(shop, first.refresh_token ?? '')
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.claims()?.sub).toBe(first.claims()?.sub)
    await expect(client.refreshTokenGrant(shop, first.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await client.refreshTokenGrant(shop, second.refresh_token ?? '')
  })

  test('revokes, and what was revoked is inactive', async () => {
    const tokens = await signInToShop(await signedIn('ada'))
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
  const address = new URL(server.authorization_endpoint ?? '')
  const redirectUri = 'https://game.example/callback'
  const parameters = {
    client_id: 'game',
    redirect_uri: redirectUri,
    response_type: 'code',
    response_mode: 'fragment',
    scope: 'openid',
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state: 'the state',
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  const answer = await answerTo(await signedIn('eve'), address.href)
  const code = oauth.validateAuthResponse(server, game, new URLSearchParams(answer.hash.slice(1)), 'the state')
  const none = oauth.None()
  const granted = await oauth.authorizationCodeGrantRequest(
    server,
    game,
    none,
    code,
    redirectUri,
    codeVerifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, game, granted, { requireIdToken: true })
  const refreshed = await oauth.refreshTokenGrantRequest(server, game, none, tokens.refresh_token ?? '', insecure)
  const renewed = await oauth.processRefreshTokenResponse(server, game, refreshed)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, game, none, renewed.refresh_token ?? '', insecure),
  )
  const dead = await oauth.refreshTokenGrantRequest(server, game, none, renewed.refresh_token ?? '', insecure)
  await expect(oauth.processRefreshTokenResponse(server, game, dead)).rejects.toMatchObject({ error: 'invalid_grant' })
})

describe('what is refused', () => {
  test.for([
    ['a request without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE in plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an implicit flow', { response_type: 'id_token', response_mode: 'fragment' }, 'unsupported_response_type'],
  ] as const)('%s', async ([, parameters, error]) => {
    const { address } = await authorizationRequest()
    const url = new URL(address)
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    const answer = await answerTo(await signedIn('ada'), url.href)
    const told = new URLSearchParams(answer.search || answer.hash.slice(1))
    expect(told.get('error')).toBe(error)
  })

  test('an address that the client did not register, on a page of ours', async () => {
    const { address } = await authorizationRequest({ redirect_uri: 'https://evil.example/' })
    const page = await createTestBrowser(service.url).open(address)
    expect(page.status).toBe(400)
    expect(page.url).toBe(address)
    expect(page.text).toContain('The application asked for something that cannot be')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('a code with another verifier', async () => {
    const { address, checks } = await authorizationRequest()
    const answer = await answerTo(await signedIn('ada'), address)
    const other = { ...checks, pkceCodeVerifier: client.randomPKCECodeVerifier() }
    await expect(client.authorizationCodeGrant(shop, answer, other)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('silently, with the word that the standard has, one who is not signed in', async () => {
    const { address } = await authorizationRequest({ prompt: 'none' })
    const answer = await answerTo(createTestBrowser(service.url), address)
    expect(answer.searchParams.get('error')).toBe('login_required')
  })
})

describe('spending something twice', () => {
  const rounds = 50
  const rivals = 16

  test('16 at once redeem one code: one wins, the others hear invalid_grant, 50 times', async () => {
    const browser = await signedIn('ada')
    for (let round = 0; round < rounds; round++) {
      const { address, checks } = await authorizationRequest()
      const answer = await answerTo(browser, address)
      const results = await Promise.allSettled(
        Array.from({ length: rivals }, () => client.authorizationCodeGrant(shop, answer, checks)),
      )
      expectOneWinner(results)
    }
  }, 120_000)

  test('16 at once redeem one refresh token: one wins and keeps its tokens, 50 times', async () => {
    let { refresh_token: token = '' } = await signInToShop(await signedIn('ada'))
    for (let round = 0; round < rounds; round++) {
      const results = await Promise.allSettled(
        Array.from({ length: rivals }, () => client.refreshTokenGrant(shop, token)),
      )
      token = expectOneWinner(results).refresh_token ?? ''
    }
  }, 120_000)

  test('a refresh token that is used again later ends the whole family', async () => {
    const first = await signInToShop(await signedIn('ada'))
    const second = await client.refreshTokenGrant(shop, first.refresh_token ?? '')
    await service.sql`update provider_artifacts set consumed_at = consumed_at - interval '4 seconds' where consumed_at is not null`
    await expect(client.refreshTokenGrant(shop, first.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(client.refreshTokenGrant(shop, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})

function expectOneWinner<T>(results: PromiseSettledResult<T>[]): T {
  const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const losers = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason.error ?? result.reason] : [],
  )
  expect(winners).toHaveLength(1)
  expect(new Set(losers)).toEqual(new Set(['invalid_grant']))
  return winners[0] as T
}

test('nothing at rest in the tables of the issuer can be used by whoever reads them', async () => {
  const tokens = await signInToShop(await signedIn('ada'), { scope: 'openid api_vertex_core' })
  const rows = await service.sql`select * from provider_artifacts`
  const stored = JSON.stringify(rows) + JSON.stringify(await service.sql`select * from signing_keys`)
  for (const value of [tokens.refresh_token, tokens.access_token, decodeJwt(tokens.access_token).jti]) {
    expect(stored).not.toContain(value)
  }
  expect(stored).not.toContain('"d"')
})
