import { createHash } from 'node:crypto'
import { signOut } from '@passport/contract/accounts'
import { caller } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { decodeJwt, decodeProtectedHeader, exportJWK, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { sweepSessions } from '../sessions/end.ts'
import { castPassword, startTestService, type TestService } from '../test-service.ts'

const secret = 'the secret of the confidential client'
const callback = 'https://shop.example/callback'
const clients = [
  {
    clientId: 'shop',
    clientName: 'Shop',
    clientSecret: secret,
    redirectUris: [callback],
    postLogoutRedirectUris: ['https://shop.example/bye'],
  },
  { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] },
]

let service: TestService
let shop: client.Configuration

beforeAll(async () => {
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  shop = await client.discovery(new URL(service.url), 'shop', {}, client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  })
  client.enableNonRepudiationChecks(shop)
})

/** A browser in which someone is signed in to Passport. */
async function signedIn(name: string): Promise<TestBrowser> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: castPassword })
  return browser
}

interface Request {
  scope?: string
  [parameter: string]: string | undefined
}

async function authorizationRequest({ scope = 'openid profile email', ...more }: Request = {}) {
  const codeVerifier = client.randomPKCECodeVerifier()
  const [state, nonce] = [client.randomState(), client.randomNonce()]
  const parameters = {
    redirect_uri: callback,
    scope,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...(more as Record<string, string>),
  }
  const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
  return { address: client.buildAuthorizationUrl(shop, parameters).href, checks }
}

/** Follows an authorization request to the address at the client, which is not asked. */
async function answerTo(browser: TestBrowser, address: string): Promise<URL> {
  let at = address
  for (let hops = 0; hops < 12; hops++) {
    const response = await browser.send(at)
    const location = response.headers.get('location')
    if (!location) throw new Error(`${response.status} at ${at}: ${(await response.text()).slice(0, 600)}`)
    at = new URL(location, at).href
    if (!at.startsWith(service.url)) return new URL(at)
  }
  throw new Error('no end')
}

async function signInToShop(browser: TestBrowser, request: Request = {}) {
  const { address, checks } = await authorizationRequest(request)
  return client.authorizationCodeGrant(shop, await answerTo(browser, address), checks)
}

describe('the discovery document', () => {
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
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
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

const callWith = (browser: TestBrowser) =>
  caller(service.url, async (request) =>
    browser.send(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.method !== 'GET' && { body: await request.text() }),
    }),
  )

const asBearer = (token: string, path = '/passport/apphelper/user', method = 'GET') =>
  fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } })

describe('an access token for the API', () => {
  test('is a JWT that says who, which roles, for what and for how long', async () => {
    const { access_token: token } = await signInToShop(await signedIn('ada'), {
      scope: 'openid profile email api_vertex_core',
    })
    const ada = await service.as('ada')
    const claims = decodeJwt(token)
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(claims).toMatchObject({
      sub: ada.id,
      iss: service.url,
      aud: `${service.url}/passport`,
      client_id: 'shop',
      scope: 'openid profile email api_vertex_core',
      roles: ['Passport.Admin', 'Passport.Developer'],
      orgs: [],
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600)
  })

  test('opens the calls that take one, with the roles of now', async () => {
    const { access_token: token } = await signInToShop(await signedIn('dev'), { scope: 'openid api_vertex_core' })
    const response = await asBearer(token, getCurrentUser.path)
    expect(await response.json()).toMatchObject({
      claims: { preferred_username: 'dev' },
      roles: ['Passport.Developer'],
    })
    const preference = await fetch(`${service.url}/passport/preferences/me/by.Token`, {
      method: 'PUT',
      body: 'yes',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    })
    expect(preference.status).toBe(204)
  })

  test('does not make an administrator of who holds it', async () => {
    const { access_token: token } = await signInToShop(await signedIn('ada'), { scope: 'openid api_vertex_core' })
    const { id } = await service.as('eve')
    const refused = await asBearer(token, `/passport/preferences/${id}`)
    expect(await refused.json()).toMatchObject({ status: 403, code: 'bearer-not-accepted' })
  })

  test('ends with the grant that it came of', async () => {
    const { access_token: token } = await signInToShop(await signedIn('dev'), { scope: 'openid api_vertex_core' })
    expect((await asBearer(token)).status).toBe(200)
    const { id } = await service.as('dev')
    await service.sql`delete from provider_artifacts where kind = 'Grant' and account_id = ${id}`
    expect((await asBearer(token)).status).toBe(401)
  })

  test('that is bound to a key is worth nothing without it, and each proof counts once', async () => {
    const keys = await client.randomDPoPKeyPair()
    const DPoP = client.getDPoPHandle(shop, keys)
    const { address, checks } = await authorizationRequest({ scope: 'openid api_vertex_core' })
    const answer = await answerTo(await signedIn('dev'), address)
    const tokens = await client.authorizationCodeGrant(shop, answer, checks, undefined, { DPoP })
    const { access_token: token } = tokens
    expect(decodeJwt(token)['cnf']).toEqual({ jkt: await DPoP.calculateThumbprint() })

    const target = new URL(getCurrentUser.path, service.url)
    const asked = await client.fetchProtectedResource(shop, token, target, 'GET', undefined, undefined, { DPoP })
    expect(asked.status).toBe(200)
    expect(await client.fetchUserInfo(shop, token, tokens.claims()?.sub ?? '', { DPoP })).toMatchObject({
      sub: tokens.claims()?.sub,
    })
    expect((await asBearer(token)).status).toBe(401)
    expect((await asBearer(token, '/connect/userinfo')).status).toBe(401)

    const statusWith = async (proof: Record<string, unknown>) => {
      const ath = createHash('sha256').update(token).digest('base64url')
      const claims = { jti: crypto.randomUUID(), htm: 'GET', htu: target.href, ath, ...proof }
      const dpop = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(keys.publicKey) })
        .setIssuedAt(typeof proof['iat'] === 'number' ? proof['iat'] : undefined)
        .sign(keys.privateKey)
      return (await fetch(target, { headers: { authorization: `DPoP ${token}`, dpop } })).status
    }
    const jti = crypto.randomUUID()
    expect(await statusWith({ jti })).toBe(200)
    expect(await statusWith({ jti })).toBe(401)
    expect(await statusWith({ htm: 'POST' })).toBe(401)
    expect(await statusWith({ htu: `${service.url}/passport/discovery` })).toBe(401)
    expect(await statusWith({ ath: 'another' })).toBe(401)
    expect(await statusWith({ iat: Math.floor(Date.now() / 1000) - 301 })).toBe(401)
  })

  test('never opens the account', async () => {
    const { access_token: token } = await signInToShop(await signedIn('ada'), { scope: 'openid api_vertex_core' })
    for (const path of ['/passport/account/sessions', '/passport/account/logins', '/passport/account/activity']) {
      expect(await (await asBearer(token, path)).json()).toMatchObject({ status: 403, code: 'bearer-not-accepted' })
    }
  })

  test('is known to userinfo, introspection and revocation', async () => {
    const tokens = await signInToShop(await signedIn('eve'), { scope: 'openid email api_vertex_core' })
    const { access_token: token } = tokens
    const sub = tokens.claims()?.sub ?? ''
    expect(await client.fetchUserInfo(shop, token, sub)).toEqual({
      sub,
      email: 'eve@passport.example',
      email_verified: true,
    })
    expect(await client.tokenIntrospection(shop, token)).toMatchObject({
      active: true,
      sub,
      scope: 'openid email api_vertex_core',
    })
    await client.tokenRevocation(shop, token)
    expect(await client.tokenIntrospection(shop, token)).toEqual({ active: false })
    expect((await asBearer(token, '/connect/userinfo')).status).toBe(401)
    const refused = await asBearer(token)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
  })

  test('is known to introspection and revocation however the form is sent', async () => {
    const { access_token: token } = await signInToShop(await signedIn('eve'), { scope: 'openid api_vertex_core' })
    const send = async (path: string) => {
      const form = Buffer.from(new URLSearchParams({ token }).toString())
      const body = new ReadableStream({
        async start(controller) {
          for (const byte of [form.subarray(0, 7), form.subarray(7)]) {
            controller.enqueue(byte)
            await new Promise(setImmediate)
          }
          controller.close()
        },
      })
      const authorization = `Basic ${Buffer.from(`shop:${encodeURIComponent(secret)}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
      return fetch(service.url + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    }
    expect(await (await send('/connect/introspect')).json()).toMatchObject({ active: true, client_id: 'shop' })
    expect((await send('/connect/revocation')).status).toBe(200)
    expect(await (await send('/connect/introspect')).json()).toEqual({ active: false })
  })

  test.for([
    'that is no token',
    'of someone who made it up',
    'without the scope of the API',
    'that is an ID token',
  ] as const)('%s is refused', async (which) => {
    const { access_token, id_token = '' } = await signInToShop(await signedIn('eve'))
    const tokens = {
      'that is no token': 'nonsense',
      'of someone who made it up': await forged(),
      'without the scope of the API': access_token,
      'that is an ID token': id_token,
    }
    expect((await asBearer(tokens[which])).status).toBe(401)
  })
})

async function forged(): Promise<string> {
  const { SignJWT, generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('ES256')
  const jwt = new SignJWT({ scope: 'api_vertex_core', jti: 'x', sub: (await service.as('ada')).id })
  return jwt
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
    .setIssuer(service.url)
    .setAudience(`${service.url}/passport`)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
}

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
