import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import { createEntitlement } from '@passport/contract/entitlements'
import { addOrgMembers, createOrg } from '@passport/contract/orgs'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword } from '../test-service.ts'
import { deliverLogoutNotices } from './back-channel.ts'
import { rotateKeys } from './keys.ts'
import { redirectUri, shopSecret, startShop } from './test-shop.ts'

// Reads the discovery document, and tries every value that it announces. A new member fails until it is tried.

const port = await findFreePort()
const strong = await startOidcProvider({
  clientId: 'passport',
  clientSecret: 'the client secret at the provider',
  redirectUri: `http://localhost:${port}/login/callback/strong`,
  authentication: { amr: ['hwk'], acr: 'urn:example:high' },
})
onFileEnd(strong.stop)
const logoutTokens: string[] = []
const listener = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  logoutTokens.push(new URLSearchParams(body).get('logout_token') ?? '')
  response.end()
})
await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
onFileEnd(() => listener.close())

const clientScopes = ['permissions.read', 'permissions.write', 'entitlements.write']
const adminScopes = ['passport.admin.read', 'passport.admin']
const confidential = { clientName: 'Client', clientSecret: shopSecret }
const clients = [
  { ...confidential, clientId: 'RS256', redirectUris: [redirectUri], idTokenSigningAlg: 'RS256' },
  { ...confidential, clientId: 'ES256', redirectUris: [redirectUri], idTokenSigningAlg: 'ES256' },
  { ...confidential, clientId: 'machine', scopes: [...clientScopes, ...adminScopes] },
  { clientId: 'public', clientName: 'Public', redirectUris: [redirectUri] },
  { clientId: 'tv', clientName: 'TV', deviceFlow: true },
  {
    clientId: 'notified',
    clientName: 'Notified',
    redirectUris: [redirectUri],
    backchannelLogoutUri: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/logout`,
  },
]
const identityProviders = [
  { id: 'local', kind: 'local' },
  {
    id: 'strong',
    name: 'Strong',
    kind: 'oidc',
    issuer: strong.issuer,
    clientId: 'passport',
    clientSecret: 'the client secret at the provider',
    signUp: 'open',
  },
]
const { service, shop, buildAuthorizationRequest, followAuthorization } = await startShop(
  {},
  { PORT: String(port), IDENTITY_PROVIDERS: JSON.stringify(identityProviders), LOCAL_DIRECTORY_ISSUER: 'on' },
  clients,
)
const metadata = (await (await fetch(`${service.url}/.well-known/openid-configuration`)).json()) as Record<
  string,
  string | boolean | string[]
>
const jwks = createRemoteJWKSet(new URL(String(metadata['jwks_uri'])), { cooldownDuration: 0 })

let browser: TestBrowser
let sub: string
beforeAll(async () => {
  browser = createTestBrowser(service.url)
  const form = await browser.open('/login?idp=strong')
  await browser.submit(form, { name: 'Discovering Person', fault: 'none' })
  sub = (await signInTo(shop)).claims()?.sub ?? ''
})

const discover = (
  id: string,
  authentication: client.ClientAuth = client.ClientSecretBasic(shopSecret),
  alg = 'ES256',
) =>
  client.discovery(new URL(service.url), id, { id_token_signed_response_alg: alg }, authentication, {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  })

/** Returns an authorization request of a client, and the checks of its response. */
async function requestOf(configuration: client.Configuration, parameters: Record<string, string> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { url: url.href, checks: { pkceCodeVerifier } }
}

async function signInTo(configuration: client.Configuration, parameters?: Record<string, string>) {
  const { url, checks } = await requestOf(configuration, parameters)
  return client.authorizationCodeGrant(configuration, await followAuthorization(browser, url), checks)
}

/** Signs in with a request that needs consent, which OpenID Connect Core, section 11, requires for `offline_access`. */
async function signInWithConsent(scope: string) {
  const { url, checks } = await requestOf(shop, { scope, prompt: 'consent' })
  const page = await browser.open(url)
  await expect(browser.submit(page, { answer: 'allow' })).rejects.toThrow()
  const response = browser.visitedUrls.findLast((visited) => visited.startsWith(redirectUri)) ?? ''
  return client.authorizationCodeGrant(shop, new URL(response), checks)
}

/** Sends a form to an endpoint as the shop. */
const post = (endpoint: string, form: Record<string, string>, id = 'shop') =>
  fetch(String(metadata[endpoint]), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${encodeURIComponent(shopSecret)}`)}` },
    body: new URLSearchParams(form),
  })

const grants: Record<string, () => Promise<client.TokenEndpointResponse>> = {
  authorization_code: () => signInTo(shop),
  refresh_token: async () => client.refreshTokenGrant(shop, (await signInTo(shop)).refresh_token ?? ''),
  client_credentials: async () =>
    client.clientCredentialsGrant(await discover('machine'), { scope: 'permissions.read' }),
  'urn:ietf:params:oauth:grant-type:device_code': async () => {
    const tv = await discover('tv', client.None())
    const request = await client.initiateDeviceAuthorization(tv, { scope: 'openid' })
    const body = { code: request.user_code, action: 'approve' as const }
    await createBrowserCall(service.url, browser)(decideDeviceAuthorization, { body })
    return client.pollDeviceAuthorizationGrant(tv, { ...request, interval: 0 })
  },
}

const responseModes: Record<string, (url: string) => Promise<string | null>> = {
  query: async (url) => (await followAuthorization(browser, url)).searchParams.get('code'),
  fragment: async (url) => new URLSearchParams((await followAuthorization(browser, url)).hash.slice(1)).get('code'),
  form_post: async (url) => {
    const page = await browser.open(url)
    expect(page.text).toContain(`action="${redirectUri}"`)
    return /name="code" value="([^"]+)"/.exec(page.text)?.[1] ?? null
  },
}

/** Returns every claim of the ID token and of user info, of a user who has all of them. */
async function listClaims(): Promise<Set<string>> {
  const ada = await service.as('ada')
  const { id: orgId } = await ada.call(createOrg, { body: { name: 'One' } })
  await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [sub] } })
  await service.sql`
    update users set email = 'discovering@stage.example', username = 'discovering' where id = ${sub}`
  await service.sql`
    insert into connections (id, user_id, connector, external_id, label) values ('c1', ${sub}, 'metahorizon', '5', 'Five')`
  const names = new Set<string>()
  const collect = async () => {
    const { url, checks } = await buildAuthorizationRequest({ scope: 'openid profile email connections entitlements' })
    const tokens = await client.authorizationCodeGrant(shop, await followAuthorization(browser, url), checks)
    const userInfo = await client.fetchUserInfo(shop, tokens.access_token, sub)
    for (const name of [...Object.keys(tokens.claims() ?? {}), ...Object.keys(userInfo)]) names.add(name)
  }
  const add = (key: string) =>
    ada.call(createEntitlement, {
      body: { key, name: key, kind: 'flag', grants: [{ orgId, quantity: null }] } as never,
    })
  await add('stage.vr')
  await collect()
  for (let index = 0; index < 50; index++) await add(`many.k${index}`)
  await collect()
  return names
}

const dpopKeys: Record<string, string> = { ES256: 'ES256', Ed25519: 'Ed25519', EdDSA: 'Ed25519' }

/** Requests user info with a token that is bound to a key of this algorithm, by proofs that it signs. */
async function tryDpop(alg: string) {
  const keys = await generateKeyPair(dpopKeys[alg] ?? '', { extractable: true })
  const jwk = await exportJWK(keys.publicKey)
  const prove = (htm: string, endpoint: string, token?: string) =>
    crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)).then((ath) =>
      new SignJWT({
        htm,
        htu: String(metadata[endpoint]),
        jti: crypto.randomUUID(),
        ...(token && { ath: Buffer.from(ath).toString('base64url') }),
      })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
        .setIssuedAt()
        .sign(keys.privateKey),
    )
  for (const scope of ['openid', 'openid api_vertex_core']) {
    const { url, checks } = await requestOf(shop, { scope })
    const code = (await followAuthorization(browser, url)).searchParams.get('code') ?? ''
    const response = await fetch(String(metadata['token_endpoint']), {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`shop:${encodeURIComponent(shopSecret)}`)}`,
        dpop: await prove('POST', 'token_endpoint'),
      },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: checks.pkceCodeVerifier,
      }),
    })
    const { access_token: token, token_type: type } = (await response.json()) as Record<string, string>
    expect(type).toBe('DPoP')
    if (scope !== 'openid') expect(decodeJwt(token ?? '')['cnf']).toEqual({ jkt: await calculateJwkThumbprint(jwk) })
    const userInfo = await fetch(String(metadata['userinfo_endpoint']), {
      headers: { authorization: `DPoP ${token}`, dpop: await prove('GET', 'userinfo_endpoint', token) },
    })
    expect([alg, scope, userInfo.status]).toEqual([alg, scope, 200])
  }
}

/** Discovers a client that authenticates by this method. */
async function discoverBy(method: string): Promise<client.Configuration> {
  const methods: Record<string, () => Promise<client.Configuration>> = {
    client_secret_basic: () => discover('ES256', client.ClientSecretBasic(shopSecret)),
    client_secret_post: () => discover('ES256', client.ClientSecretPost(shopSecret)),
    none: () => discover('public', client.None()),
  }
  const configuration = await methods[method]?.()
  if (!configuration) throw new Error(`${method} is not tried`)
  return configuration
}

/** What a user who is signed in meets by each value of `prompt`; undefined for a code at once. */
const prompts: Record<string, string | undefined> = {
  none: undefined,
  login: 'Sign in',
  consent: 'name="answer"',
  select_account: 'Sign in',
}

/** Tries a value of a member of the document; of a list, each of its values. */
const attempts: Record<string, (value: never) => unknown> = {
  issuer: async (value: string) => {
    expect(value).toBe(service.url)
    expect((await signInTo(shop)).claims()?.iss).toBe(value)
  },
  authorization_endpoint: async (value: string) => {
    const { url } = await requestOf(shop)
    expect(url.startsWith(`${value}?`)).toBe(true)
    const posted = await browser.send(value, { method: 'POST', body: new URL(url).searchParams })
    expect(posted.status).toBe(303)
  },
  token_endpoint: async () => {
    expect(await (await post('token_endpoint', { grant_type: 'password' })).json()).toMatchObject({
      error: 'unsupported_grant_type',
    })
  },
  userinfo_endpoint: async () => {
    expect((await client.fetchUserInfo(shop, (await signInTo(shop)).access_token, sub)).sub).toBe(sub)
  },
  jwks_uri: async (value: string) => {
    const { keys } = (await (await fetch(value)).json()) as { keys: { alg: string; d?: string }[] }
    expect(new Set(keys.map(({ alg }) => alg))).toEqual(
      new Set(metadata['id_token_signing_alg_values_supported'] as string[]),
    )
    for (const key of keys) expect(key).not.toHaveProperty('d')
  },
  revocation_endpoint: async () => {
    const { access_token: token } = await signInTo(shop)
    await client.tokenRevocation(shop, token)
    expect(await client.tokenIntrospection(shop, token)).toEqual({ active: false })
  },
  introspection_endpoint: async () => {
    expect(await client.tokenIntrospection(shop, (await signInTo(shop)).access_token)).toMatchObject({ active: true })
  },
  device_authorization_endpoint: grants['urn:ietf:params:oauth:grant-type:device_code'] as never,
  pushed_authorization_request_endpoint: async () => {
    const { url, checks } = await requestOf(shop)
    const pushed = await client.buildAuthorizationUrlWithPAR(shop, new URL(url).searchParams)
    const tokens = await client.authorizationCodeGrant(shop, await followAuthorization(browser, pushed.href), checks)
    expect(tokens.claims()?.sub).toBe(sub)
  },
  end_session_endpoint: async (value: string) => {
    const { id_token: hint = '' } = await signInTo(shop)
    const parameters = new URLSearchParams({
      id_token_hint: hint,
      post_logout_redirect_uri: 'https://shop.example/bye',
    })
    // In a browser that is signed out, so that this one stays signed in.
    const stranger = createTestBrowser(service.url)
    expect((await stranger.send(`${value}?${parameters}`)).headers.get('location')).toBe('https://shop.example/bye')
    const posted = await stranger.send(value, { method: 'POST', body: parameters })
    const target = new URL(posted.headers.get('location') ?? '', value)
    expect((await stranger.send(target.href)).headers.get('location')).toBe('https://shop.example/bye')
  },
  check_session_iframe: async (value: string) => {
    expect((await fetch(value)).headers.get('content-type')).toContain('text/html')
    const { url } = await requestOf(shop)
    expect((await followAuthorization(browser, url)).searchParams.get('session_state')).toMatch(/^[\w-]{43}\..+$/)
  },
  claims_parameter_supported: async (value: boolean) => {
    const tokens = await signInTo(shop, { claims: JSON.stringify({ id_token: { email: null } }) })
    expect([value, tokens.claims()]).toEqual([false, expect.not.objectContaining({ email: expect.anything() })])
  },
  request_uri_parameter_supported: async (value: boolean) => {
    const { url } = await requestOf(shop, { request_uri: 'https://shop.example/request' })
    const page = await browser.open(url).catch(() => undefined)
    const response = page?.text ?? browser.visitedUrls.at(-1)
    expect([value, response]).toEqual([false, expect.stringContaining('request_uri_not_supported')])
  },
  request_parameter_supported: async (value: boolean) => {
    const { url } = await requestOf(shop, { request: 'e30.e30.' })
    const error = (await followAuthorization(browser, url)).searchParams.get('error')
    expect([value, error]).toEqual([false, 'request_not_supported'])
  },
  service_documentation: async (value: string) => {
    expect((await fetch(value)).status).toBe(200)
  },
  prompt_values_supported: async (value: string) => {
    expect(Object.keys(prompts)).toContain(value)
    const { url } = await requestOf(shop, { prompt: value })
    const expected = prompts[value]
    if (expected === undefined) expect((await followAuthorization(browser, url)).searchParams.has('code')).toBe(true)
    else expect((await browser.open(url)).text).toContain(expected)
  },
  authorization_response_iss_parameter_supported: async () => {
    for (const parameters of [{}, { prompt: 'none', max_age: '0' }]) {
      const { url } = await requestOf(shop, parameters as Record<string, string>)
      expect((await followAuthorization(browser, url)).searchParams.get('iss')).toBe(service.url)
    }
  },
  backchannel_logout_supported: () => undefined,
  backchannel_logout_session_supported: async () => {
    const other = createTestBrowser(service.url)
    await other.submit(await other.open('/login?idp=local'), { name: 'eve', password: demoPassword })
    const notified = await discover('notified', client.None())
    const { url, checks } = await requestOf(notified)
    const tokens = await client.authorizationCodeGrant(notified, await followAuthorization(other, url), checks)
    const hint = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' })
    await other.open(`${metadata['end_session_endpoint']}?${hint}`)
    await deliverLogoutNotices(service.services)
    await vi.waitFor(() => expect(logoutTokens).toHaveLength(1))
    const { payload } = await jwtVerify(logoutTokens[0] ?? '', jwks, { issuer: service.url, audience: 'notified' })
    expect(payload['sid']).toBe(tokens.claims()?.['sid'])
  },
  claim_types_supported: (value: string) => expect(value).toBe('normal'),
  code_challenge_methods_supported: async (value: string) => {
    const { url } = await requestOf(shop, { code_challenge_method: value })
    expect((await followAuthorization(browser, url)).searchParams.get('code')).not.toBeNull()
    const { url: plain } = await requestOf(shop, { code_challenge_method: 'plain' })
    expect((await followAuthorization(browser, plain)).searchParams.get('error')).toBe('invalid_request')
  },
  grant_types_supported: async (value: string) => {
    expect((await grants[value]?.())?.access_token).toEqual(expect.any(String))
  },
  response_types_supported: async (value: string) => {
    const { url } = await requestOf(shop, { response_type: value })
    expect((await followAuthorization(browser, url)).searchParams.get('code')).not.toBeNull()
  },
  response_modes_supported: async (value: string) => {
    const { url } = await requestOf(shop, { response_mode: value })
    expect(await responseModes[value]?.(url)).toMatch(/^[\w-]{43}$/)
  },
  scopes_supported: async (scope: string) => {
    const request = async () => {
      if ([...clientScopes, ...adminScopes].includes(scope))
        return client.clientCredentialsGrant(await discover('machine'), { scope })
      if (scope === 'offline_access') return signInWithConsent('openid offline_access')
      return signInTo(shop, { scope: [...new Set(['openid', scope])].join(' ') })
    }
    const tokens = await request()
    expect(tokens.scope?.split(' ')).toContain(scope)
  },
  subject_types_supported: async (value: string) => {
    const other = await signInTo(await discover('public', client.None()))
    expect([value, other.claims()?.sub]).toEqual(['public', sub])
  },
  token_endpoint_auth_methods_supported: async (value: string) => {
    const configuration = await discoverBy(value)
    const tokens = await signInTo(configuration)
    expect((await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).access_token).toBeDefined()
  },
  introspection_endpoint_auth_methods_supported: async (value: string) => {
    const configuration = await discoverBy(value)
    const { access_token: token } = await signInTo(configuration)
    expect((await client.tokenIntrospection(configuration, token)).active).toBe(true)
  },
  revocation_endpoint_auth_methods_supported: async (value: string) => {
    const configuration = await discoverBy(value)
    const { access_token: token } = await signInTo(configuration)
    await client.tokenRevocation(configuration, token)
    expect((await client.tokenIntrospection(configuration, token)).active).toBe(false)
  },
  id_token_signing_alg_values_supported: async (alg: string) => {
    const { id_token: token = '' } = await signInTo(await discover(alg, undefined, alg))
    expect((await jwtVerify(token, jwks, { issuer: service.url, audience: alg })).protectedHeader.alg).toBe(alg)
  },
  dpop_signing_alg_values_supported: tryDpop,
}

describe('the discovery document announces', () => {
  const { claims_supported: _, ...others } = metadata
  test.for(Object.entries(others).flatMap(([name, value]) => [value].flat().map((item) => [name, item] as const)))(
    '%s %s, which works',
    async ([name, value]) => {
      expect(Object.keys(attempts)).toContain(name)
      await attempts[name]?.(value as never)
    },
  )

  test('claims, each of which an ID token or user info has', async () => {
    const claims = await listClaims()
    for (const name of metadata['claims_supported'] as string[]) expect([...claims]).toContain(name)
    // Those of the token itself need no announcement.
    const ofTokens = ['aud', 'exp', 'iat', 'nonce', 'at_hash']
    const announced = new Set<string>([...ofTokens, ...(metadata['claims_supported'] as string[])])
    expect([...claims].filter((name) => !announced.has(name))).toEqual([])
  })

  test('nothing that only the attempts know', () => {
    expect(Object.keys(attempts).filter((name) => !(name in metadata))).toEqual([])
  })
})

test('the keys of both algorithms rotate: ID tokens have the new ones, and earlier tokens stay valid', async () => {
  const { sql, services } = service
  const algorithms = metadata['id_token_signing_alg_values_supported'] as string[]
  const sign = async (alg: string) => (await signInTo(await discover(alg, undefined, alg))).id_token ?? ''
  const before = await Promise.all(algorithms.map(sign))
  try {
    // Keys are published a day ahead, and kept in memory for a minute.
    await rotateKeys(sql, services.vault, 'passport', Date.now() + 89 * 24 * 60 * 60 * 1000 + 1000)
    await sql`update signing_keys set signs_from = now() where issuer = 'passport' and signs_from > now()`
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const after = await Promise.all(algorithms.map(sign))
    await jwks.reload()
    const kids = new Set<string | undefined>()
    for (const token of [...before, ...after]) {
      const { protectedHeader } = await jwtVerify(token, jwks, { issuer: service.url })
      kids.add(protectedHeader.kid)
    }
    expect(kids.size).toBe(2 * algorithms.length)
  } finally {
    vi.useRealTimers()
  }
})

test('every endpoint that the document of the built-in directory announces exists', async () => {
  const document = (await (await fetch(`${service.url}/idp/.well-known/openid-configuration`)).json()) as object
  const endpoints = Object.entries(document).filter(([name]) => /_endpoint$|_uri$/.test(name))
  expect(endpoints.length).toBeGreaterThan(3)
  for (const [name, url] of endpoints) {
    const statuses = [(await fetch(url)).status, (await fetch(url, { method: 'POST' })).status]
    expect([name, statuses.every((status) => status === 404)]).toEqual([name, false])
  }
  expect(document).toMatchObject({ scopes_supported: ['openid', 'profile', 'email'] })
})
