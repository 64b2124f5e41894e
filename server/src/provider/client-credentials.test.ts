import { Agent, request } from 'node:http'
import { endpoints } from '@passport/contract/api'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { startShop } from './test-shop.ts'

const secret = 'the secret of a client with the client credentials grant'
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
  { clientId: 'gateway', clientName: 'Gateway', clientSecret: secret, scopes: ['permissions.read'] },
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

const statusPath = endpoints.get('getPermissionStatus')?.path ?? ''
const fetchWithToken = (token: string, path = statusPath, method = 'GET') =>
  fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } })

describe('the token of a client', () => {
  test('is a JWT with the client as its subject, without roles and organisations', async () => {
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
    expect((await fetchWithToken(tokens.access_token)).status).toBe(200)
  })

  test.for([
    ['billing', 'permissions.write'],
    ['billing', 'permissions.read permissions.write'],
    ['billing', 'api_vertex_core'],
    ['billing', 'openid'],
    ['billing', undefined],
  ] as const)('of %s is not issued for the scope %s', async ([id, scope]) => {
    expect(await requestToken(id, scope)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  })

  test('is not issued to a client without scopes', async () => {
    expect(await requestToken('shop', 'permissions.read')).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    })
  })

  test('with the scope for reading cannot write, with `insufficient_scope`', async () => {
    const { body } = await requestToken('billing', 'permissions.read')
    const rejected = await fetchWithToken(
      String(body['access_token']),
      '/passport/admin/tools/permissions/relationships',
      'POST',
    )
    expect(await rejected.json()).toMatchObject({ status: 403, code: 'scope-missing' })
    expect(rejected.headers.get('www-authenticate')).toContain('insufficient_scope')
  })

  test('is requested by the 401 for a request without one', async () => {
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
    expect((await fetchWithToken(token, '/connect/userinfo')).status).toBe(401)
    expect(await client.tokenIntrospection(billing, token)).toMatchObject({ active: true, client_id: 'billing' })
    await client.tokenRevocation(billing, token)
    expect((await fetchWithToken(token)).status).toBe(401)
  })

  test('is refused from the next request on once it is revoked, on every server', async () => {
    const settings = { CLIENTS: JSON.stringify(clients), PUBLIC_URL: service.url }
    const second = await startTestService(settings, { sharedWith: service })
    const gateway = await discoverClient('gateway')
    const { port } = new URL(second.url)
    const sendToSecond = (token: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host: new URL(service.url).host, authorization: `Bearer ${token}` }
        request({ port, path: statusPath, headers }, (response) => resolve(response.resume().statusCode ?? 0))
          .on('error', reject)
          .end()
      })
    for (let round = 0; round < 5; round++) {
      const { access_token: token } = await client.clientCredentialsGrant(gateway, { scope: 'permissions.read' })
      // Both servers have the client of the token in memory.
      expect([(await fetchWithToken(token)).status, await sendToSecond(token)]).toEqual([200, 200])
      await client.tokenRevocation(gateway, token)
      expect((await fetchWithToken(token)).status).toBe(401)
      // The notification of the database may take a moment; the memory lasts 5 s without one.
      await expect.poll(() => sendToSecond(token), { interval: 10, timeout: 3000 }).toBe(401)
    }
  })

  test('is invalid once its client is deleted or loses the scope', async () => {
    const { body } = await requestToken('stage', 'permissions.write')
    await service.sql`update clients set scopes = '{permissions.read}' where client_id = 'stage'`
    await expect.poll(async () => (await service.services.clients.find('stage'))?.scopes).toEqual(['permissions.read'])
    expect((await fetchWithToken(String(body['access_token']))).status).toBe(403)
    const { body: readOnly } = await requestToken('stage', 'permissions.read')
    await service.sql`delete from clients where client_id = 'stage'`
    await expect.poll(() => service.services.clients.find('stage')).toBeUndefined()
    expect((await fetchWithToken(String(readOnly['access_token']))).status).toBe(401)
  })

  test('that is bound to a key is rejected without a proof', async () => {
    const billing = await discoverClient('billing')
    const DPoP = client.getDPoPHandle(billing, await client.randomDPoPKeyPair())
    const tokens = await client.clientCredentialsGrant(billing, { scope: 'permissions.read' }, { DPoP })
    expect((await fetchWithToken(tokens.access_token)).status).toBe(401)
    const target = new URL(statusPath, service.url)
    const response = await client.fetchProtectedResource(billing, tokens.access_token, target, 'GET', null, undefined, {
      DPoP,
    })
    expect(response.status).toBe(200)
  })
})

test('a user gets no scope of the client credentials grant, even through a client that has it', async () => {
  const { signIn, signInToShop, fetchWithToken } = await startShop()
  const scope = 'openid api_vertex_core permissions.read'
  const { access_token: token } = await signInToShop(await signIn('ada'), { scope })
  expect(decodeJwt(token)['scope']).toBe('openid api_vertex_core')
  const response = await fetchWithToken(token, statusPath)
  expect(await response.json()).toMatchObject({ status: 403, code: 'bearer-not-accepted' })
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

  test('are limited to 30 in a minute for one network; the correct secret is always accepted', async () => {
    for (let attempt = 0; attempt < 35; attempt++) expect((await requestWithSecret('guessed', secret)).status).toBe(200)
    for (let attempt = 0; attempt < 30; attempt++) {
      const { status } = await requestWithSecret('guessed', `wrong ${attempt}`, attempt % 2 === 0 ? 'basic' : 'form')
      expect(status).toBe(401)
    }
    const rejected = await requestWithSecret('guessed', 'another wrong one')
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await rejected.json()).toMatchObject({ code: 'too-many-requests' })
    for (const method of ['basic', 'form'] as const)
      expect((await requestWithSecret('guessed', secret, method)).status).toBe(200)
    expect((await requestWithSecret('other', 'a wrong one')).status).toBe(401)
  })

  test('sent concurrently are limited too', async () => {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, attempt) => requestWithSecret('billing', `wrong ${attempt}`)),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(30)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(30)
  })

  test('do not count what 48 connections of a client do with the correct one', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 48 })
    const send = (path: string, form: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          authorization: `Basic ${btoa(`gateway:${encodeURIComponent(secret)}`)}`,
          'content-type': 'application/x-www-form-urlencoded',
        }
        const sent = request(service.url + path, { method: 'POST', agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
        })
        sent.on('error', reject).end(new URLSearchParams(form).toString())
      })
    // A busy machine may respond 503 to some of them, which has nothing to do with secrets.
    const sendUntilServed = async (path: string, form: Record<string, string>): Promise<number> => {
      const status = await send(path, form)
      return status === 503 ? sendUntilServed(path, form) : status
    }
    const tokenForm = { grant_type: 'client_credentials', scope: 'permissions.read' }
    const calls: [path: string, form: Record<string, string>, status: number][] = [
      ['/connect/token', tokenForm, 200],
      ['/connect/introspect', { token: 'unknown' }, 200],
      ['/connect/revocation', { token: 'unknown' }, 200],
      ['/connect/par', { client_id: 'gateway' }, 400],
    ]
    for (const [path, form, status] of calls) {
      const statements: string[] = []
      const { debug } = service.sql.options
      service.sql.options.debug = (_connection, text) => statements.push(text)
      const statuses = await Promise.all(Array.from({ length: 48 }, () => sendUntilServed(path, form)))
      service.sql.options.debug = debug
      expect([path, statuses]).toEqual([path, Array.from({ length: 48 }, () => status)])
      expect(statements.filter((text) => text.includes('rate_limits'))).toEqual([])
    }
    agent.destroy()
  })

  test('of an unknown client are limited in the same way', async () => {
    for (let attempt = 0; attempt < 30; attempt++)
      expect((await requestWithSecret('nobody', 'a secret')).status).toBe(401)
    expect((await requestWithSecret('nobody', 'a secret')).status).toBe(429)
  })
})
