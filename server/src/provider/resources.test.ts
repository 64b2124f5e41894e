import { request } from 'node:http'
import { createClient } from '@passport/contract/clients'
import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import * as api from '@passport/contract/identity-apis'
import { createPersonalToken } from '@passport/contract/personal-tokens'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type Visitor } from '../test-service.ts'
import { redirectUri, shopSecret, shopSettings, startShop } from './test-shop.ts'

const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop, fetchWithToken } =
  await startShop()

let ada: Visitor
let orders: api.IdentityApi
let stock: api.IdentityApi
let worker: { clientId: string; secret: string }

beforeAll(async () => {
  ada = await service.as('ada')
  orders = await createApi({ name: 'orders', claims: ['email', 'name'], tokenLifetimeSec: 600 })
  stock = await createApi({ name: 'stock' })
  const apis = [
    { name: 'orders', scopes: ['orders.read'] },
    { name: 'stock', scopes: ['stock', 'stock.read'] },
  ]
  const { client: created, secret } = await ada.call(createClient, { body: { clientName: 'Worker', apis } as never })
  worker = { clientId: created.clientId, secret: secret ?? '' }
})

function createApi({ name, ...fields }: Partial<api.ApiFields> & { name: string }) {
  const scopes = [
    { name: `${name}.read`, description: `Read ${name}` },
    { name: `${name}.write`, description: `Change ${name}`, emphasize: true },
  ]
  const body = { name, displayName: name, audience: `https://${name}.example`, scopes, ...fields }
  return ada.call(api.createIdentityApi, { body: body as never })
}

/** Changes fields of an API for the duration of a check. */
async function withChange<T>({ id }: api.IdentityApi, fields: Partial<api.ApiFields>, check: () => Promise<T>) {
  const params = { apiId: id }
  const before = api.toApiFields(await ada.call(api.getIdentityApi, { params }))
  await ada.call(api.putIdentityApi, { params, body: { ...before, ...fields } })
  try {
    return await check()
  } finally {
    await ada.call(api.putIdentityApi, { params, body: before })
  }
}

type Body = Record<string, unknown>
const basic = ({ clientId, secret }: typeof worker) => `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}`

async function post(path: string, parameters: Record<string, string>, authorization: string): Promise<Body> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams(parameters),
  })
  return (await response.json()) as Body
}
const requestOwnToken = (parameters: Record<string, string>) =>
  post('/connect/token', { grant_type: 'client_credentials', ...parameters }, basic(worker))
const introspect = (token: string, clientId: string) =>
  post('/connect/introspect', { token }, basic({ clientId, secret: shopSecret }))

describe("a client's own token", () => {
  test('is for the API of its scopes, with the lifetime of the API', async () => {
    const { access_token, expires_in, scope } = await requestOwnToken({ scope: 'orders.read' })
    expect([expires_in, scope]).toEqual([600, 'orders.read'])
    const claims = decodeJwt(String(access_token))
    expect(claims).toMatchObject({
      aud: 'https://orders.example',
      sub: worker.clientId,
      client_id: worker.clientId,
      scope: 'orders.read',
      roles: [],
      orgs: [],
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600)
    const other = await requestOwnToken({ scope: 'stock stock.read', resource: 'https://stock.example' })
    expect(decodeJwt(String(other['access_token']))).toMatchObject({
      aud: 'https://stock.example',
      scope: 'stock stock.read',
    })
  })

  test.for([
    ['a scope that it lacks', { scope: 'orders.write' }, 'invalid_scope'],
    ['the scope of users', { scope: 'api_vertex_core' }, 'invalid_scope'],
    ['no scope', { resource: 'https://orders.example' }, 'invalid_scope'],
    ['a scope of another resource', { scope: 'stock.read', resource: 'https://orders.example' }, 'invalid_scope'],
    ['an unknown resource', { scope: 'orders.read', resource: 'https://nowhere.example' }, 'invalid_target'],
    ['scopes of two APIs', { scope: 'orders.read stock.read' }, 'invalid_scope'],
  ] as const)('is not issued for %s', async ([, parameters, error]) => {
    expect(await requestOwnToken(parameters)).toMatchObject({ error })
  })

  test('is issued only while the API is enabled and allows the client, from the next request on', async () => {
    const requestError = async () => (await requestOwnToken({ scope: 'orders.read' }))['error']
    expect(await withChange(orders, { enabled: false }, requestError)).toBe('invalid_target')
    expect(await withChange(orders, { allowedClients: [] }, requestError)).toBe('invalid_target')
    expect(await withChange(orders, { allowedClients: ['shop'] }, requestError)).toBe('invalid_target')
    expect(await withChange(orders, { allowedClients: ['shop', worker.clientId] }, requestError)).toBeUndefined()
    expect(await requestError()).toBeUndefined()
  })

  test('has the new settings on another server within a minute, without a restart', async () => {
    const other = await startTestService({ ...shopSettings, PUBLIC_URL: service.url }, { sharedWith: service })
    // The public address is that of the first server.
    const requestFromOther = () =>
      new Promise<Body>((resolve, reject) => {
        const headers = {
          host: new URL(service.url).host,
          authorization: basic(worker),
          'content-type': 'application/x-www-form-urlencoded',
        }
        const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'stock.read' }).toString()
        const sent = request(`${other.url}/connect/token`, { method: 'POST', headers }, async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve(JSON.parse(text) as Body)
        })
        sent.on('error', reject)
        sent.end(body)
      })
    expect(await requestFromOther()).toMatchObject({ expires_in: 3600 })
    await withChange(stock, { tokenLifetimeSec: 120 }, async () => {
      expect(await requestOwnToken({ scope: 'stock.read' })).toMatchObject({ expires_in: 120 })
      await expect.poll(requestFromOther).toMatchObject({ expires_in: 120 })
    })
    await withChange(stock, { enabled: false }, () =>
      expect.poll(requestFromOther).toMatchObject({ error: 'invalid_target' }),
    )
  })
})

describe("a user's token", () => {
  test('is for the API of the requested scope, with the claims that the API has and the user allowed', async () => {
    const tokens = await signInToShop(await signIn('eve'), { scope: 'openid email orders orders.read' })
    const eve = await service.as('eve')
    const claims = decodeJwt(tokens.access_token)
    expect(claims).toMatchObject({ aud: 'https://orders.example', sub: eve.id, scope: 'orders orders.read', roles: [] })
    expect(claims['email']).toBe('eve@passport.example')
    expect(claims).not.toHaveProperty('name')
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600)
    expect(tokens.claims()?.['email']).toBe('eve@passport.example')
  })

  test('for another API opens neither this API nor userinfo', async () => {
    const { access_token: token } = await signInToShop(await signIn('eve'), { scope: 'openid orders.read' })
    expect((await fetchWithToken(token)).status).toBe(401)
    expect((await fetchWithToken(token, '/connect/userinfo')).status).toBe(401)
  })

  test('can be introspected by its client and by the resource servers of the API only, and revoked', async () => {
    const { access_token: token } = await signInToShop(await signIn('eve'), { scope: 'openid orders.read' })
    expect(await introspect(token, 'shop')).toMatchObject({ active: true, scope: 'orders.read' })
    expect(await introspect(token, 'market')).toEqual({ active: false })
    await withChange(orders, { resourceServers: ['market'], enabled: false }, async () => {
      expect(await introspect(token, 'market')).toMatchObject({ active: true, aud: 'https://orders.example' })
    })
    await client.tokenRevocation(shop, token)
    expect(await introspect(token, 'shop')).toEqual({ active: false })
  })

  test('is refreshed only while the API is enabled and has one of the scopes', async () => {
    const { refresh_token = '' } = await signInToShop(await signIn('eve'), { scope: 'openid orders.read' })
    const refresh = (token: string) => client.refreshTokenGrant(shop, token)
    const failure = (error: string) => expect.objectContaining({ error })
    await withChange(orders, { enabled: false }, () =>
      expect(refresh(refresh_token)).rejects.toEqual(failure('invalid_target')),
    )
    await service.sql`update identity_api_scopes set name = 'orders.other' where name = 'orders.read'`
    service.services.apis.clear()
    await expect(refresh(refresh_token)).rejects.toEqual(failure('invalid_scope'))
    await service.sql`update identity_api_scopes set name = 'orders.read' where name = 'orders.other'`
    service.services.apis.clear()
    // A failed request spends nothing.
    const { access_token } = await refresh(refresh_token)
    expect(decodeJwt(access_token)).toMatchObject({ aud: 'https://orders.example', scope: 'orders.read' })
  })

  test('is for one of several granted APIs: the first, or the one that the request names', async () => {
    const tokens = await signInToShop(await signIn('eve'), { scope: 'openid stock.read orders.read' })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: 'https://stock.example', scope: 'stock.read' })
    const forOrders = await client.refreshTokenGrant(shop, tokens.refresh_token ?? '', {
      resource: 'https://orders.example',
    })
    expect(decodeJwt(forOrders.access_token)).toMatchObject({ aud: 'https://orders.example', scope: 'orders.read' })
  })

  test.for([
    ['a disabled API', { scope: 'openid orders.read' }, { enabled: false }, 'invalid_target'],
    [
      'an API that allows other clients',
      { scope: 'openid orders.read' },
      { allowedClients: ['market'] },
      'invalid_target',
    ],
    ['an API without one of its scopes', { resource: 'https://orders.example' }, {}, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://nowhere.example' }, {}, 'invalid_target'],
  ] as const)('is not authorized for %s', async ([, parameters, change, error]) => {
    const { url } = await buildAuthorizationRequest(parameters)
    const browser = await signIn('eve')
    const response = await withChange(orders, change as never, () => followAuthorization(browser, url))
    expect(response.href).toContain(redirectUri)
    expect(response.searchParams.get('error')).toBe(error)
  })

  test('is issued to a device for the API that the user approved', async () => {
    const { client: device } = await ada.call(createClient, {
      body: { clientName: 'Scanner', deviceFlow: true, confidential: false } as never,
    })
    const scanner = await client.discovery(new URL(service.url), device.clientId, {}, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    const started = await client.initiateDeviceAuthorization(scanner, { scope: 'openid orders.read stock.read' })
    const body = { code: started.user_code, action: 'approve' as const }
    await (await service.as('eve')).call(decideDeviceAuthorization, { body })
    const tokens = await client.pollDeviceAuthorizationGrant(scanner, { ...started, interval: 0 })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: 'https://orders.example', scope: 'orders.read' })
  })
})

describe('a personal token', () => {
  const create = async (scopes: string[]) => {
    const body = { name: 'CI', scopes, expiresInDays: 1 }
    return (await (await service.as('eve')).call(createPersonalToken, { body })).value
  }

  test('has scopes of an API that allows every client, for the resource servers of that API', async () => {
    const token = await create(['orders.read'])
    expect(await introspect(token, 'market')).toEqual({ active: false })
    await withChange(orders, { resourceServers: ['market'] }, async () => {
      const expected = { active: true, token_use: 'personal', aud: 'https://orders.example', scope: 'orders.read' }
      expect(await introspect(token, 'market')).toMatchObject(expected)
      const forTwo = await create(['orders.read', 'api_vertex_core'])
      expect(await introspect(forTwo, 'market')).toMatchObject({
        aud: expect.arrayContaining(['https://orders.example', `${service.url}/passport`]),
      })
      expect(await introspect(forTwo, 'shop')).toMatchObject({
        aud: `${service.url}/passport`,
        scope: 'api_vertex_core',
      })
    })
  })

  test('has no scope of an API that allows certain clients', async () => {
    await withChange(orders, { allowedClients: ['shop'] }, async () => {
      await expect(create(['orders.read'])).rejects.toMatchObject({ status: 400, body: { code: 'scope-unavailable' } })
    })
  })

  test('has a scope that another API takes over only if it was created since', async () => {
    const lent = { name: 'lent.read', description: '', emphasize: false }
    const market = { resourceServers: ['market'] }
    const former = await withChange(orders, { ...market, scopes: [...orders.scopes, lent] }, async () => {
      const token = await create(['lent.read', 'stock.read'])
      expect(await introspect(token, 'market')).toMatchObject({ scope: 'lent.read' })
      return token
    })
    await withChange(stock, { ...market, scopes: [...stock.scopes, lent] }, async () => {
      expect(await introspect(former, 'market')).toMatchObject({ scope: 'stock.read' })
      const token = await create(['lent.read'])
      expect(await introspect(token, 'market')).toMatchObject({ aud: 'https://stock.example', scope: 'lent.read' })
    })
  })
})

describe('consent', () => {
  test('describes the scopes of an API, and highlights those that the API emphasizes', async () => {
    const redirectUris = ['https://partner.example/callback']
    const { client: partner } = await ada.call(createClient, {
      body: { clientName: 'Partner', redirectUris, confidential: false } as never,
    })
    const open = async (scope: string) => {
      const challenge = await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier())
      const parameters = {
        client_id: partner.clientId,
        redirect_uri: redirectUris[0] ?? '',
        scope,
        response_type: 'code',
      }
      const query = new URLSearchParams({ ...parameters, code_challenge: challenge, code_challenge_method: 'S256' })
      return browser.open(`/connect/authorize?${query}`)
    }
    const browser = await signIn('dev')
    const page = await open('openid orders orders.write')
    expect(page.text).toMatch(/<li><svg[^>]*>.*?<\/svg><span>Use orders as you<\/span><\/li>/)
    expect(page.text).toContain('<span><strong>Change orders</strong></span></li>')
    expect(page.text).not.toContain('Read orders')
  })
})

describe('a preview', () => {
  const preview = (query: { clientId: string; userId?: string; scope: string }, { id } = orders) =>
    ada.call(api.previewApiToken, { params: { apiId: id }, query })
  const withoutTimes = ({ jti: _, iat: _iat, exp: _exp, auth_time: _auth, sid: _sid, ...claims }: Body) => claims

  test('has what the issued token has', async () => {
    const { access_token: token } = await signInToShop(await signIn('ada'), { scope: 'openid email orders.read' })
    const forUser = await preview({ clientId: 'shop', userId: ada.id, scope: 'openid email orders.read' })
    expect(withoutTimes(forUser.claims ?? {})).toEqual(withoutTimes(decodeJwt(token)))
    expect(forUser).toMatchObject({ header: { alg: 'ES256', typ: 'at+jwt' }, refusal: null })
    const own = await requestOwnToken({ scope: 'orders.read' })
    const forClient = await preview({ clientId: worker.clientId, scope: 'orders.read' })
    expect(withoutTimes(forClient.claims ?? {})).toEqual(withoutTimes(decodeJwt(String(own['access_token']))))
  })

  test('has the error with which the request would fail', async () => {
    const noClaims = { header: null, claims: null }
    expect(await preview({ clientId: worker.clientId, scope: 'orders.write' })).toMatchObject({
      ...noClaims,
      refusal: { error: 'invalid_scope' },
    })
    await withChange(orders, { allowedClients: [] }, async () => {
      const refused = await preview({ clientId: 'shop', userId: ada.id, scope: 'orders.read' })
      expect(refused).toMatchObject({
        ...noClaims,
        refusal: { error: 'invalid_target', description: 'the API does not allow this client' },
      })
    })
    const unknown = preview({ clientId: 'nobody', scope: 'orders.read' })
    await expect(unknown).rejects.toMatchObject({ status: 404, body: { code: 'client-not-found' } })
  })
})
