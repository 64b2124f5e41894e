import * as api from '@passport/contract/clients'
import { createIdentityApi } from '@passport/contract/identity-apis'
import { listTrash } from '@passport/contract/trash'
import { createTestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { demoPassword, startTestService, type TestService, type Visitor } from '../test-service.ts'
import { purgeTrash } from '../trash/purge.ts'
import { deriveClientId } from './change.ts'
import { registerClients } from './registered.ts'

const callback = 'https://shop.example/callback'
const configured = { clientId: 'configured', clientName: 'Configured', redirectUris: [callback] }
let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService({ CLIENTS: JSON.stringify([configured]) })
  ada = await service.as('ada')
})

const shop = { clientName: 'Shop', redirectUris: [callback], consent: 'skip' as const }
const create = (body: Partial<Parameters<typeof createWith>[0]> = {}) => createWith({ ...shop, ...body })
const createWith = (body: Record<string, unknown> & typeof shop) => ada.call(api.createClient, { body: body as never })
const paramsOf = ({ client: { clientId } }: api.CreatedClient) => ({ clientId })

const discover = (clientId: string, secret: string | null) =>
  client.discovery(
    new URL(service.url),
    clientId,
    {},
    secret === null ? client.None() : client.ClientSecretBasic(secret),
    { execute: [client.allowInsecureRequests] },
  )

/** Signs eve in to a client; returns the tokens. */
async function signIn(clientId: string, secret: string | null) {
  const configuration = await discover(clientId, secret)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const request = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    scope: 'openid api_vertex_core',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  return client.authorizationCodeGrant(configuration, await authorize(request), { pkceCodeVerifier })
}

/** Sends an authorization request as eve; returns the response's URL at the client. */
async function authorize(request: URL): Promise<URL> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name: 'eve', password: demoPassword })
  let url = request.href
  while (url.startsWith(service.url)) {
    const location = (await browser.send(url)).headers.get('location')
    if (!location) throw new Error(`No redirect at ${url}`)
    url = new URL(location, url).href
  }
  return new URL(url)
}

describe('a client', () => {
  test('signs users in as soon as it is created, and has the time of its last use', async () => {
    const created = await create()
    expect(created.client).toMatchObject({ clientId: 'shop', source: 'console', confidential: true, lastUsedAt: null })
    const tokens = await signIn('shop', created.secret)
    expect(tokens.claims()?.aud).toBe('shop')
    await expect
      .poll(async () => {
        const { lastUsedAt, secrets } = await ada.call(api.getClient, { params: { clientId: 'shop' } })
        return [lastUsedAt, secrets[0]?.lastUsedAt].every((at) => typeof at === 'string')
      })
      .toBe(true)
  })

  test('has a derived id with a number if that is taken; a given id that is taken is rejected with 409', async () => {
    const [first, second] = [await create({ clientName: 'Twin' }), await create({ clientName: 'Twin' })]
    expect([first.client.clientId, second.client.clientId]).toEqual(['twin', 'twin-2'])
    const taken = create({ clientId: 'twin' } as never)
    await expect(taken).rejects.toMatchObject({ status: 409, body: { code: 'client-id-taken' } })
  })

  test('that is public uses PKCE, and cannot have secrets or scopes', async () => {
    const created = await create({ clientName: 'Browser app', confidential: false } as never)
    expect(created).toMatchObject({ secret: null, client: { confidential: false, secrets: [] } })
    expect((await signIn('browser-app', null)).access_token).toBeTruthy()
    const params = paramsOf(created)
    const calls = [
      () => ada.call(api.createClientSecret, { params }),
      () => ada.call(api.putClient, { params, body: { ...created.client, scopes: ['permissions.read'] } }),
    ]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ status: 409, body: { code: 'client-public' } })
    const scopes = create({ confidential: false, scopes: ['permissions.read'] } as never)
    await expect(scopes).rejects.toMatchObject({ status: 400, body: { errors: [{ field: 'scopes' }] } })
  })

  test('signs users in without PKCE only if it has a secret and PKCE is optional', async () => {
    const signInWithout = async (clientId: string, secret: string | null) => {
      const configuration = await discover(clientId, secret)
      const request = client.buildAuthorizationUrl(configuration, { redirect_uri: callback, scope: 'openid' })
      return client.authorizationCodeGrant(configuration, await authorize(request))
    }
    const created = await create({ clientName: 'Old library', pkce: 'optional' } as never)
    expect((await signInWithout('old-library', created.secret)).claims()?.aud).toBe('old-library')
    expect((await signIn('old-library', created.secret)).claims()?.aud).toBe('old-library')
    const params = paramsOf(created)
    await ada.call(api.putClient, { params, body: { ...created.client, pkce: 'required' } })
    await expect.poll(async () => (await service.services.clients.find('old-library'))?.pkce).toBe('required')
    await expect(signInWithout('old-library', created.secret)).rejects.toMatchObject({ error: 'invalid_request' })

    const browserApp = await create({ clientName: 'Public', confidential: false } as never)
    const optional = { ...browserApp.client, pkce: 'optional' as const }
    const changed = ada.call(api.putClient, { params: paramsOf(browserApp), body: optional })
    await expect(changed).rejects.toMatchObject({ status: 409, body: { code: 'client-public' } })
    const another = create({ confidential: false, pkce: 'optional' } as never)
    await expect(another).rejects.toMatchObject({ status: 400, body: { errors: [{ field: 'pkce' }] } })
  })

  test('gets ID tokens signed with its algorithm', async () => {
    const created = await create({ clientName: 'Legacy', idTokenSigningAlg: 'RS256' } as never)
    const { id_token = '' } = await signIn('legacy', created.secret)
    expect(JSON.parse(Buffer.from(id_token.split('.')[0] ?? '', 'base64url').toString()).alg).toBe('RS256')
  })

  test('is rejected after it was disabled or deleted', async () => {
    const created = await create({ clientName: 'Leaving' })
    const { access_token } = await signIn('leaving', created.secret)
    const params = paramsOf(created)
    const requestUser = () =>
      fetch(`${service.url}/passport/apphelper/user`, { headers: { authorization: `Bearer ${access_token}` } })

    await ada.call(api.putClient, { params, body: { ...created.client, enabled: false } })
    await expect.poll(() => service.services.clients.find('leaving')).toBeUndefined()
    await expect(signIn('leaving', created.secret)).rejects.toThrow()
    expect((await requestUser()).status).toBe(401)

    await ada.call(api.deleteClient, { params })
    expect((await requestUser()).status).toBe(401)
    const gone = ada.call(api.getClient, { params })
    await expect(gone).rejects.toMatchObject({ status: 404, body: { code: 'client-not-found' } })
  })

  test('that was deleted is in the trash, and works again with its secret once it is restored', async () => {
    const created = await create({ clientName: 'Returning', clientId: 'returning' } as never)
    const { access_token } = await signIn('returning', created.secret)
    const params = paramsOf(created)
    await ada.call(api.deleteClient, { params })
    const [entry] = (await ada.call(listTrash, { query: { kind: 'client', query: 'returning' } })).items
    expect(entry).toMatchObject({ id: 'returning', name: 'Returning', deletedBy: { id: ada.id } })
    expect((await ada.call(api.listClients, { query: { query: 'returning' } })).items).toEqual([])
    await expect(create({ clientId: 'returning' } as never)).rejects.toMatchObject({
      body: { code: 'client-id-taken' },
    })
    await expect(signIn('returning', created.secret)).rejects.toThrow()

    const restored = await ada.call(api.restoreClient, { params })
    const { clientName, redirectUris, version } = created.client
    expect(restored).toMatchObject({ clientName, redirectUris, version: version + 2 })
    await expect.poll(() => service.services.clients.find('returning')).toBeDefined()
    expect((await signIn('returning', created.secret)).claims()?.aud).toBe('returning')
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${service.url}/passport/apphelper/user`, { headers })).status).toBe(401)
    await expect(ada.call(api.restoreClient, { params })).rejects.toMatchObject({ status: 404 })
  })

  test('is purged after 30 days in the trash, and then its id is free', async () => {
    const params = paramsOf(await create({ clientName: 'Purged', clientId: 'purged' } as never))
    await ada.call(api.deleteClient, { params })
    await service.sql`update clients set deleted_at = now() - interval '31 days' where client_id = 'purged'`
    await expect(ada.call(api.restoreClient, { params })).rejects.toMatchObject({ status: 404 })
    await purgeTrash(service.sql)
    expect((await create({ clientId: 'purged' } as never)).client.version).toBeGreaterThan(0)
  })

  test('of the configuration, or built in, is read-only', async () => {
    const all = (await ada.call(api.listClients, { query: { limit: 200 } as never })).items
    expect(all.find(({ clientId }) => clientId === 'configured')?.source).toBe('configuration')
    for (const clientId of ['configured', 'passport-dev-tokens']) {
      const params = { clientId }
      const calls = [
        async () => ada.call(api.putClient, { params, body: await ada.call(api.getClient, { params }) }),
        () => ada.call(api.deleteClient, { params }),
        () => ada.call(api.createClientSecret, { params }),
        () => ada.call(api.deleteClientSecret, { params: { ...params, secretId: 'x' } }),
      ]
      for (const call of calls)
        await expect(call()).rejects.toMatchObject({ status: 409, body: { code: 'client-read-only' } })
    }
  })

  test('that the configuration takes over loses its access to APIs, which the configuration cannot give', async () => {
    const scopes = [{ name: 'orders.read', description: 'Read orders' }]
    await ada.call(createIdentityApi, {
      body: { name: 'orders', displayName: 'Orders', audience: 'https://orders.example', scopes },
    } as never)
    const apis = [{ name: 'orders', scopes: ['orders.read'] }]
    const created = await create({ clientId: 'adopted', clientName: 'Adopted', apis } as never)
    expect(created.client.apis).toEqual(apis)
    const adopted = { ...configured, clientId: 'adopted', clientSecret: 's'.repeat(32) }
    await registerClients(service.sql, loadConfig({ CLIENTS: JSON.stringify([configured, adopted]) }))
    expect(await ada.call(api.getClient, { params: paramsOf(created) })).toMatchObject({
      source: 'configuration',
      apis: [],
    })
  })

  test('that was disabled or deleted in the console works again once the configuration takes it over', async () => {
    const taken = ['disabled', 'deleted'].map((clientId) => ({ ...configured, clientId }))
    for (const { clientId } of taken) {
      const created = await create({ clientId, clientName: 'Taken', enabled: false } as never)
      if (clientId === 'deleted') await ada.call(api.deleteClient, { params: paramsOf(created) })
    }
    await registerClients(service.sql, loadConfig({ CLIENTS: JSON.stringify([configured, ...taken]) }))
    for (const { clientId } of taken) {
      expect(await ada.call(api.getClient, { params: { clientId } })).toMatchObject({
        source: 'configuration',
        enabled: true,
      })
      const url = new URL('/connect/authorize', service.url)
      const query = { client_id: clientId, response_type: 'code', redirect_uri: callback, scope: 'openid' }
      url.search = new URLSearchParams({
        ...query,
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      }).toString()
      const response = await fetch(url, { redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([
        303,
        expect.stringContaining('/connect/interaction/'),
      ])
    }
  })

  test('that is disabled stays so if a PUT leaves fields out, which is rejected', async () => {
    const created = await create({ clientName: 'Paused', consent: 'always', enabled: false } as never)
    const params = paramsOf(created)
    const renamed = { clientName: 'Resumed', redirectUris: [callback] }
    await expect(ada.call(api.putClient, { params, body: renamed as never })).rejects.toMatchObject({ status: 400 })
    expect(await ada.call(api.getClient, { params })).toEqual(created.client)
  })

  test('is changed only from its current version, and each change is recorded in the audit log', async () => {
    const created = await create({ clientName: 'Versioned' })
    const params = paramsOf(created)
    const headers = { 'if-match': `"${created.client.version}"`, 'content-type': 'application/json' }
    const put = (clientName: string) =>
      ada.fetch(`/passport/admin/identity/clients/${params.clientId}`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ ...created.client, clientName }),
      })
    expect((await put('Renamed')).status).toBe(200)
    expect((await put('Renamed again')).status).toBe(412)
    const [event] = await service.sql`
      select actor_id, before, after from audit_events where action = 'client.changed' and target_id = 'versioned'`
    expect(event).toMatchObject({
      actorId: ada.id,
      before: { clientName: 'Versioned' },
      after: { clientName: 'Renamed' },
    })
  })
})

describe('secrets', () => {
  test('are replaced without an interruption, because the old one is valid until it is deleted', async () => {
    const created = await create({ clientName: 'Rotating' })
    const params = paramsOf(created)
    const { secretId, secret } = await ada.call(api.createClientSecret, { params })
    await expect.poll(async () => (await service.services.clients.find('rotating'))?.secretHashes.length).toBe(2)
    for (const valid of [created.secret, secret]) expect((await signIn('rotating', valid)).access_token).toBeTruthy()

    const third = ada.call(api.createClientSecret, { params })
    await expect(third).rejects.toMatchObject({ status: 409, body: { code: 'too-many-secrets' } })

    const { secrets } = await ada.call(api.getClient, { params })
    const old = secrets.find(({ id }) => id !== secretId)?.id ?? ''
    await ada.call(api.deleteClientSecret, { params: { ...params, secretId: old } })
    await expect.poll(async () => (await service.services.clients.find('rotating'))?.secretHashes.length).toBe(1)
    await expect(signIn('rotating', created.secret)).rejects.toMatchObject({ status: 401 })
    expect((await signIn('rotating', secret)).access_token).toBeTruthy()

    await ada.call(api.deleteClientSecret, { params: { ...params, secretId } })
    await expect.poll(async () => (await service.services.clients.find('rotating'))?.secretHashes.length).toBe(0)
    for (const invalidSecret of [secret, 'none'])
      await expect(signIn('rotating', invalidSecret)).rejects.toMatchObject({ status: 401 })
    const again = ada.call(api.deleteClientSecret, { params: { ...params, secretId } })
    await expect(again).rejects.toMatchObject({ status: 404, body: { code: 'client-secret-not-found' } })
  })

  test('are stored as hashes only', async () => {
    const { secret } = await create({ clientName: 'Hashed' })
    const rows = await service.sql`select to_jsonb(s) as row from client_secrets s`
    expect(JSON.stringify(rows)).not.toContain(secret)
    const events = await service.sql`select to_jsonb(e) as row from audit_events e where action like 'client.%'`
    expect(JSON.stringify(events)).not.toContain(secret)
  })
})

describe('the list', () => {
  test('finds clients by a part of the name or the id, and has pages in both orders', async () => {
    for (const clientName of ['List café', 'List beta', 'List alpha']) await create({ clientName })
    const list = (query: object) => ada.call(api.listClients, { query: { limit: 2, ...query } as never })
    const first = await list({ query: 'list' })
    expect([first.total, first.items.map(({ clientName }) => clientName)]).toEqual([3, ['List alpha', 'List beta']])
    const after = new URL(first.next ?? '', service.url).searchParams.get('after')
    expect((await list({ query: 'list', after })).items.map(({ clientName }) => clientName)).toEqual(['List café'])
    expect((await list({ query: 'CAFE' })).items.map(({ clientId }) => clientId)).toEqual(['list-cafe'])
    const newest = await list({ query: 'list', sort: 'updated', direction: 'desc' })
    expect(newest.items.map(({ clientName }) => clientName)).toEqual(['List alpha', 'List beta'])
  })
})

describe('a request', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`)
  const apis = (count: number) => names(count).map((name) => ({ name, scopes: [name] }))
  const uris = (count: number) => Array.from({ length: count }, (_, index) => `https://shop.example/${index}`)

  test.for<[string, Record<string, unknown>]>([
    ['a name of 100 characters', { clientName: 'x'.repeat(100) }],
    ['50 redirect URIs', { redirectUris: uris(50) }],
    ['an app scheme', { redirectUris: ['com.example.app:/callback'] }],
    ['http on localhost', { redirectUris: ['http://localhost:5173/callback', 'http://127.0.0.1/x', 'http://[::1]/x'] }],
    ['a URI of 2,000 characters', { redirectUris: [`https://shop.example/${'x'.repeat(1979)}`] }],
    ['50 post-logout redirect URIs', { postLogoutRedirectUris: uris(50) }],
    ['a client id of 64 characters', { clientId: 'x'.repeat(64) }],
    ['only the device flow', { redirectUris: [], deviceFlow: 'pin' }],
  ])('with %s is accepted', async ([, body]) => {
    expect((await create(body as never)).client).toMatchObject(body)
  })

  test.for<[string, Record<string, unknown>, string]>([
    ['a name of 101 characters', { clientName: 'x'.repeat(101) }, 'clientName'],
    ['an empty name', { clientName: ' ' }, 'clientName'],
    ['51 redirect URIs', { redirectUris: uris(51) }, 'redirectUris'],
    ['51 post-logout redirect URIs', { postLogoutRedirectUris: uris(51) }, 'postLogoutRedirectUris'],
    ['51 APIs', { apis: apis(51) }, 'apis'],
    ['50 unknown APIs', { apis: apis(50) }, 'apis[0].name'],
    ['201 scopes of an API', { apis: [{ name: 'x', scopes: names(201) }] }, 'apis[0].scopes'],
    ['200 scopes of an unknown API', { apis: [{ name: 'x', scopes: names(200) }] }, 'apis[0].name'],
    ['plain http', { redirectUris: ['http://shop.example/'] }, 'redirectUris[0]'],
    ['userinfo', { redirectUris: ['https://a:b@shop.example/'] }, 'redirectUris[0]'],
    ['a fragment', { redirectUris: ['https://shop.example/#a'] }, 'redirectUris[0]'],
    ['a scheme without a dot', { redirectUris: ['app:/callback'] }, 'redirectUris[0]'],
    ['a relative URI', { redirectUris: ['/callback'] }, 'redirectUris[0]'],
    ['a URI of 2,001 characters', { redirectUris: [`https://shop.example/${'x'.repeat(1980)}`] }, 'redirectUris[0]'],
    ['an app scheme for the logout notice', { backchannelLogoutUri: 'com.example.app:/x' }, 'backchannelLogoutUri'],
    ['no flow', { redirectUris: [] }, 'redirectUris'],
    ['an invalid client id', { clientId: 'Shop!' }, 'clientId'],
    ['a client id of 65 characters', { clientId: 'x'.repeat(65) }, 'clientId'],
  ])('with %s is rejected at its field', async ([, body, field]) => {
    const errors = expect.arrayContaining([expect.objectContaining({ field })])
    await expect(create(body as never)).rejects.toMatchObject({ status: 400, body: { errors } })
  })

  test('without a client id gets a valid one derived from any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
        expect(deriveClientId(name)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/)
      }),
    )
  })
})
