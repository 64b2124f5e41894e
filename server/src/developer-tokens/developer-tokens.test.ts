import * as api from '@passport/contract/developer-tokens'
import { createTestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

/** Generates a token as the page does, with a sign-in and a consent. */
async function generateToken(name: 'ada' | 'dev'): Promise<string> {
  const page = `${service.url}/app/developer/tokens`
  const execute = [client.allowInsecureRequests]
  const tokensPage = await client.discovery(new URL(service.url), 'passport-dev-tokens', {}, client.None(), { execute })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const request = client.buildAuthorizationUrl(tokensPage, {
    redirect_uri: page,
    scope: 'openid profile email api_vertex_core',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: demoPassword })
  const { url } = await browser.submit(await browser.open(request.href), { answer: 'allow' })
  const { access_token } = await client.authorizationCodeGrant(tokensPage, new URL(url), { pkceCodeVerifier })
  return access_token
}

async function statusWith(token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${service.url}/passport/apphelper/user`, { headers })).status
}

test('a token is listed to its owner alone, without its value, until it is revoked', async () => {
  const [dev, ada] = [await service.as('dev'), await service.as('ada')]
  expect(await dev.call(api.listDeveloperTokens, {})).toEqual([])
  const [first, second] = [await generateToken('dev'), await generateToken('dev')]

  const listed = await dev.call(api.listDeveloperTokens, {})
  expect(listed).toHaveLength(2)
  for (const token of listed) {
    expect(token.scopes).toEqual(['openid', 'profile', 'email', 'api_vertex_core'])
    expect(Date.parse(token.expiresAt) - Date.parse(token.issuedAt)).toBeCloseTo(3_600_000, -4)
    for (const value of [first, second]) expect(value).not.toContain(token.id)
  }
  expect(await ada.call(api.listDeveloperTokens, {})).toEqual([])

  const [{ id } = { id: '' }] = listed
  const asAda = ada.call(api.revokeDeveloperToken, { params: { id } })
  await expect(asAda).rejects.toMatchObject({ status: 404, body: { code: 'developer-token-not-found' } })
  expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200])
  await dev.call(api.revokeDeveloperToken, { params: { id } })
  expect([await statusWith(first), await statusWith(second)].sort()).toEqual([200, 401])
  expect(await dev.call(api.listDeveloperTokens, {})).toEqual(listed.slice(1))
  const again = dev.call(api.revokeDeveloperToken, { params: { id } })
  await expect(again).rejects.toMatchObject({ status: 404 })

  const [event] = await service.sql`select actor_id, before from audit_events where action = 'developer-token.revoked'`
  expect(event).toMatchObject({ actorId: dev.id, before: { scopes: 'openid profile email api_vertex_core' } })
})

test('an expired token is not listed and cannot be revoked', async () => {
  await generateToken('ada')
  const ada = await service.as('ada')
  const [token] = await ada.call(api.listDeveloperTokens, {})
  await service.sql`update provider_artifacts set expires_at = now() where account_id = ${ada.id} and kind = 'AccessToken'`
  expect(await ada.call(api.listDeveloperTokens, {})).toEqual([])
  const revocation = ada.call(api.revokeDeveloperToken, { params: { id: token?.id ?? '' } })
  await expect(revocation).rejects.toMatchObject({ status: 404 })
})
