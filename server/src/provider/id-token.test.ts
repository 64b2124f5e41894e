import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { decodeJwt, type JWTPayload } from 'jose'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword } from '../test-service.ts'
import { startShop } from './test-shop.ts'

const port = await findFreePort()
const startProvider = async (id: string, options: Partial<Parameters<typeof startOidcProvider>[0]>) => {
  const identity = { clientId: 'passport', clientSecret: 'the client secret at both providers' }
  const redirectUri = `http://localhost:${port}/login/callback/${id}`
  const provider = await startOidcProvider({ ...identity, redirectUri, ...options })
  onFileEnd(provider.stop)
  return { ...identity, id, name: id, kind: 'oidc', issuer: provider.issuer, signUp: 'open' }
}
const identityProviders = [
  { id: 'local', kind: 'local' },
  await startProvider('strong', { authentication: { amr: ['hwk', 'pin'], acr: 'urn:example:high' } }),
  await startProvider('silent', { omitsAuthTime: true }),
]
const devices = { clientId: 'tv', clientName: 'TV', deviceFlow: true }
const { service, shop, signInToShop } = await startShop(
  {},
  { PORT: String(port), IDENTITY_PROVIDERS: JSON.stringify(identityProviders) },
  [devices],
)

const claimsOf = (tokens: { id_token?: string }): JWTPayload => decodeJwt(tokens.id_token ?? '')

async function signInAt(idp: string, fields: Record<string, string>): Promise<TestBrowser> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open(`/login?idp=${idp}`), fields)
  return browser
}

/** Reports whether a time is within the last minute. */
const isRecent = (seconds: unknown) => Math.abs(Date.now() / 1000 - Number(seconds)) < 60

test('an ID token has the client as `azp`, and how and when the user authenticated; a refresh keeps them', async () => {
  const tokens = await signInToShop(await signInAt('local', { name: 'ada', password: demoPassword }))
  const claims = claimsOf(tokens)
  expect(claims).toMatchObject({ azp: 'shop', aud: 'shop', amr: ['pwd'], auth_time: expect.toSatisfy(isRecent) })
  expect(claims).not.toHaveProperty('acr')
  const { azp, amr, auth_time } = claims
  const refreshed = await client.refreshTokenGrant(shop, tokens.refresh_token ?? '')
  expect(claimsOf(refreshed)).toMatchObject({ azp, amr, auth_time })
})

test('an ID token has the methods and the context class that the identity provider stated', async () => {
  const browser = await signInAt('strong', { name: 'Strong Person', fault: 'none' })
  const stated = { azp: 'shop', amr: ['hwk', 'pin'], acr: 'urn:example:high', auth_time: expect.toSatisfy(isRecent) }
  const tokens = await signInToShop(browser)
  expect(claimsOf(tokens)).toMatchObject(stated)
  expect(claimsOf(await client.refreshTokenGrant(shop, tokens.refresh_token ?? ''))).toMatchObject(stated)
  // The library has another path for a request with `acr_values`.
  expect(claimsOf(await signInToShop(browser, { acr_values: 'urn:example:higher', max_age: '600' }))).toMatchObject(
    stated,
  )
})

test('an ID token does not claim a time or methods that the identity provider did not state', async () => {
  const claims = claimsOf(await signInToShop(await signInAt('silent', { name: 'Silent Person', fault: 'none' })))
  expect(claims['azp']).toBe('shop')
  for (const claim of ['auth_time', 'amr', 'acr']) expect(claims).not.toHaveProperty(claim)
})

test('the ID token of a device has the authentication of the user who approved it', async () => {
  const browser = await signInAt('strong', { name: 'Device Owner', fault: 'none' })
  const tv = await client.discovery(new URL(service.url), 'tv', {}, client.None(), {
    execute: [client.allowInsecureRequests],
  })
  const request = await client.initiateDeviceAuthorization(tv, { scope: 'openid' })
  const body = { code: request.user_code, action: 'approve' as const }
  await createBrowserCall(service.url, browser)(decideDeviceAuthorization, { body })
  const tokens = await client.pollDeviceAuthorizationGrant(tv, { ...request, interval: 0 })
  expect(claimsOf(tokens)).toMatchObject({ azp: 'tv', amr: ['hwk', 'pin'], acr: 'urn:example:high' })
  expect(claimsOf(tokens)['auth_time']).toSatisfy(isRecent)
})
