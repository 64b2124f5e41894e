import { createApiCall } from '@passport/contract/call'
import { testClientSignIn } from '@passport/contract/client-sign-in-test'
import { createClient, getClient, putClient } from '@passport/contract/clients'
import { createIdentityApi } from '@passport/contract/identity-apis'
import { createTestBrowser } from '@passport/world/browser'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import { demoPassword, startTestService, type TestService, type Visitor } from '../test-service.ts'

const redirectUri = 'https://shop.example/callback'
let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  const body = { name: 'orders', displayName: 'Orders', audience: 'https://orders.example', claims: ['email'] }
  await ada.call(createIdentityApi, { body: body as never })
})

async function create(clientName: string, fields: object = {}) {
  const body = { clientName, redirectUris: [redirectUri], consent: 'skip' as const, ...fields }
  const { client, secret } = await ada.call(createClient, { body: body as never })
  return { clientId: client.clientId, secret: secret ?? '' }
}
const testSignIn = (clientId: string, body: { redirectUri?: string; scope?: string; pkce?: boolean } = {}) =>
  ada.call(testClientSignIn, { params: { clientId }, body: { redirectUri, ...body } })

/** Signs ada in to the client; returns the tokens. */
async function signIn(clientId: string, secret: string, scope: string) {
  const configuration = await client.discovery(new URL(service.url), clientId, secret, undefined, {
    execute: [client.allowInsecureRequests],
  })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  let url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }).href
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password: demoPassword })
  while (url.startsWith(service.url)) url = new URL((await browser.send(url)).headers.get('location') ?? '', url).href
  const tokens = await client.authorizationCodeGrant(configuration, new URL(url), { pkceCodeVerifier })
  return {
    ...tokens,
    userInfo: await client.fetchUserInfo(configuration, tokens.access_token, ada.id).catch(() => null),
  }
}

/** Removes the values of a single sign-in. */
function omitVolatile(claims: Record<string, unknown> | null) {
  const {
    iat: _,
    exp: __,
    jti: ___,
    nonce: ____,
    at_hash: _____,
    sid: ______,
    auth_time: _______,
    amr: ________,
    ...rest
  } = claims ?? {}
  return rest
}

test.for([
  'openid',
  'openid profile',
  'openid profile email offline_access',
  'openid profile api_vertex_core',
  'openid email orders',
  'api_vertex_core',
])('a test sign-in with the scopes %s has the claims of a real one', async (scope) => {
  const { clientId, secret } = await create(`Real ${scope.replaceAll('_', ' ')}`)
  const tested = await testSignIn(clientId, { scope })
  const { id_token, access_token, refresh_token, userInfo } = await signIn(clientId, secret, scope)
  expect(tested.userInfo).toEqual(userInfo)
  expect(tested).toMatchObject({ refusal: null, consent: 'never', hasRefreshToken: refresh_token !== undefined })
  expect(tested.idToken?.alg).toBe(id_token && decodeProtectedHeader(id_token).alg)
  expect(omitVolatile(tested.idToken?.claims ?? null)).toEqual(id_token ? omitVolatile(decodeJwt(id_token)) : {})
  const isOpaque = access_token.split('.').length !== 3
  expect(omitVolatile(tested.accessToken?.claims ?? null)).toEqual(
    isOpaque ? {} : omitVolatile(decodeJwt(access_token)),
  )
})

test.for<[string, object, object, object]>([
  [
    'another redirect URI',
    {},
    { redirectUri: 'https://evil.example/' },
    { error: 'invalid_redirect_uri', isReturned: false },
  ],
  ['no code challenge', {}, { pkce: false }, { error: 'invalid_request', isReturned: true }],
  ['only a device flow', { redirectUris: [], deviceFlow: true }, {}, { isReturned: false }],
  ['a disabled application', { enabled: false }, {}, { error: 'invalid_client', isReturned: false }],
])('%s is refused with the error of the provider', async ([name, fields, request, refusal]) => {
  const { clientId } = await create(`Refused ${name}`, fields)
  const tested = await testSignIn(clientId, request)
  expect(tested).toMatchObject({ refusal, idToken: null, accessToken: null, userInfo: null, consent: null })
})

test('a test sign-in asks for nothing, signs nobody in, and stores nothing', async () => {
  const { clientId, secret } = await create('Silent', { consent: 'once', pkce: 'optional' })
  const readState = async () => [
    ...(await service.sql`select id_hash from provider_artifacts order by id_hash`),
    ...(await service.sql`select id from sessions order by id`),
    ...(await service.sql`select id from consents order by id`),
    ...(await service.sql`select id from audit_events order by id`),
  ]
  const before = await readState()
  expect(await testSignIn(clientId, { pkce: false })).toMatchObject({ refusal: null, consent: 'asked' })
  expect(await readState()).toEqual(before)
  const params = { clientId }
  await ada.call(putClient, { params, body: { ...(await ada.call(getClient, { params })), consent: 'skip' } })
  await expect.poll(async () => (await testSignIn(clientId)).consent).toBe('never')
  expect(secret).not.toBe('')
})

test('a test sign-in has a user: an application cannot run one', async () => {
  const body = { clientName: 'Script', scopes: ['passport.admin' as const] }
  const { client, secret } = await ada.call(createClient, { body })
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'passport.admin' }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  const call = createApiCall(service.url, (request) => {
    request.headers.set('authorization', `Bearer ${access_token}`)
    return fetch(request)
  })
  const tested = call(testClientSignIn, { params: { clientId: client.clientId }, body: { redirectUri } })
  await expect(tested).rejects.toMatchObject({ status: 403, body: { code: 'session-required' } })
})
