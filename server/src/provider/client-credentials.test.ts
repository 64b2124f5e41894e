import { endpoints } from '@passport/contract/api'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { startShop } from './test-shop.ts'

/** Applications that act on their own behalf (RFC 6749, section 4.4). */

const secret = 'the secret of an application that asks for itself'
const clients = [
  { clientId: 'guessed', clientName: 'Guessed', clientSecret: secret, scopes: ['permissions.read'] },
  { clientId: 'other', clientName: 'Other', clientSecret: secret, scopes: ['permissions.read'] },
  { clientId: 'billing', clientName: 'Billing', clientSecret: secret, scopes: ['permissions.read'] },
  {
    clientId: 'stage',
    clientName: 'Stage',
    clientSecret: secret,
    scopes: ['permissions.read', 'permissions.write'],
    redirectUris: ['https://stage.example/callback'],
  },
  { clientId: 'shop', clientName: 'Shop', clientSecret: secret, redirectUris: ['https://shop.example/callback'] },
]
const service = await startTestService({ CLIENTS: JSON.stringify(clients) })

const discoverClient = (id: string) =>
  client.discovery(new URL(service.url), id, {}, client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  })

async function requestToken(id: string, scope?: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${encodeURIComponent(secret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const status = endpoints.get('getPermissionStatus')?.path ?? ''
const asBearer = (token: string, path = status, method = 'GET') =>
  fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } })

describe('the token of a client', () => {
  test('is a JWT in the name of the client, without a user, their roles or their organisations', async () => {
    const tokens = await client.clientCredentialsGrant(await discoverClient('billing'), { scope: 'permissions.read' })
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: 'billing',
      client_id: 'billing',
      scope: 'permissions.read',
      aud: `${service.url}/passport`,
      roles: [],
      orgs: [],
    })
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(tokens.refresh_token).toBeUndefined()
    expect((await asBearer(tokens.access_token)).status).toBe(200)
  })

  test.for([
    ['billing', 'permissions.write'],
    ['billing', 'permissions.read permissions.write'],
    ['billing', 'api_vertex_core'],
    ['billing', 'openid'],
    ['billing', undefined],
  ] as const)('of %s is never for %s', async ([id, scope]) => {
    expect(await requestToken(id, scope)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  })

  test('is not issued to a client without a scope', async () => {
    // The library's response, where RFC 6749 has `unauthorized_client`.
    expect(await requestToken('shop', 'permissions.read')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  test('for reading cannot write, and the error names the missing scope', async () => {
    const { body } = await requestToken('billing', 'permissions.read')
    const rejected = await asBearer(
      String(body['access_token']),
      '/passport/admin/tools/permissions/relationships',
      'POST',
    )
    expect(await rejected.json()).toMatchObject({ status: 403, code: 'scope-missing' })
    expect(rejected.headers.get('www-authenticate')).toContain('insufficient_scope')
  })

  test('is requested if none was sent', async () => {
    const rejected = await fetch(`${service.url}/passport/admin/tools/permissions/schema`)
    expect(rejected.headers.get('www-authenticate')).toBe('Bearer')
    expect(await rejected.json()).toMatchObject({
      status: 401,
      code: 'not-signed-in',
      detail: expect.stringContaining('Authorization: Bearer'),
    })
  })

  test('is rejected by userinfo, and accepted by introspection and revocation', async () => {
    const billing = await discoverClient('billing')
    const { access_token: token } = await client.clientCredentialsGrant(billing, { scope: 'permissions.read' })
    expect((await asBearer(token, '/connect/userinfo')).status).toBe(401)
    expect(await client.tokenIntrospection(billing, token)).toMatchObject({ active: true, client_id: 'billing' })
    await client.tokenRevocation(billing, token)
    expect((await asBearer(token)).status).toBe(401)
  })

  test('is invalid once its client is deleted or loses the scope', async () => {
    const { body } = await requestToken('stage', 'permissions.write')
    await service.sql`update clients set scopes = '{permissions.read}' where client_id = 'stage'`
    await expect.poll(async () => (await service.services.clients.find('stage'))?.scopes).toEqual(['permissions.read'])
    expect((await asBearer(String(body['access_token']))).status).toBe(403)
    const { body: readOnly } = await requestToken('stage', 'permissions.read')
    await service.sql`delete from clients where client_id = 'stage'`
    await expect.poll(() => service.services.clients.find('stage')).toBeUndefined()
    expect((await asBearer(String(readOnly['access_token']))).status).toBe(401)
  })

  test('that is bound to a key is invalid without it', async () => {
    const billing = await discoverClient('billing')
    const DPoP = client.getDPoPHandle(billing, await client.randomDPoPKeyPair())
    const tokens = await client.clientCredentialsGrant(billing, { scope: 'permissions.read' }, { DPoP })
    expect((await asBearer(tokens.access_token)).status).toBe(401)
    const target = new URL(status, service.url)
    const response = await client.fetchProtectedResource(billing, tokens.access_token, target, 'GET', null, undefined, {
      DPoP,
    })
    expect(response.status).toBe(200)
  })
})

test('a user never gets such a scope through a client that has it', async () => {
  const { signedIn, signInToShop, asBearer } = await startShop()
  const scope = 'openid api_vertex_core permissions.read'
  const { access_token: token } = await signInToShop(await signedIn('ada'), { scope })
  expect(decodeJwt(token)['scope']).toBe('openid api_vertex_core')
  expect(await (await asBearer(token, status)).json()).toMatchObject({ status: 403, code: 'bearer-not-accepted' })
})

describe('wrong secrets', () => {
  const requestWithSecret = (id: string, presentedSecret: string, method: 'basic' | 'form' = 'basic') =>
    fetch(`${service.url}/connect/token`, {
      method: 'POST',
      ...(method === 'basic' && {
        headers: { authorization: `Basic ${btoa(`${id}:${encodeURIComponent(presentedSecret)}`)}` },
      }),
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'permissions.read',
        ...(method === 'form' && { client_id: id, client_secret: presentedSecret }),
      }),
    })

  test('are accepted thirty times a minute, and right ones without limit', async () => {
    for (let attempt = 0; attempt < 35; attempt++) expect((await requestWithSecret('guessed', secret)).status).toBe(200)
    for (let attempt = 0; attempt < 30; attempt++) {
      const { status } = await requestWithSecret('guessed', `wrong ${attempt}`, attempt % 2 === 0 ? 'basic' : 'form')
      expect(status).toBe(401)
    }
    const rejected = await requestWithSecret('guessed', secret)
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await rejected.json()).toMatchObject({ code: 'too-many-requests' })
    expect((await requestWithSecret('other', secret)).status).toBe(200)
  })

  test('of an unknown client are counted as well', async () => {
    for (let attempt = 0; attempt < 30; attempt++)
      expect((await requestWithSecret('nobody', 'a secret')).status).toBe(401)
    expect((await requestWithSecret('nobody', 'a secret')).status).toBe(429)
  })
})
