import { createClient, deleteClient, getClient, putClient, restoreClient } from '@passport/contract/clients'
import { decideDeviceAuthorization, getDeviceAuthorization } from '@passport/contract/device-authorization'
import type { TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import { startTestService, type Visitor } from '../test-service.ts'
import { basic, post, redirectUri, shopSecret, startShop } from './test-shop.ts'

// What is issued to an application ends with it: disabled, deleted, or removed from the configuration.

const former = { clientId: 'former', clientName: 'Former', clientSecret: shopSecret, redirectUris: [redirectUri] }
const fields = { redirectUris: [redirectUri], consent: 'skip' as const, deviceFlow: true }
const settings = { ...former, ...fields, scopes: ['permissions.read'] }
const { service, signIn, followAuthorization } = await startShop({}, {}, [settings])
const { sql, url } = service
const statusPath = '/passport/admin/tools/permissions/status'

let ada: Visitor
let eve: Visitor
let browser: TestBrowser

beforeAll(async () => {
  ;[ada, eve, browser] = [await service.as('ada'), await service.as('eve'), await signIn('eve')]
})

interface App {
  clientId: string
  secret: string
}

async function createApp(clientName: string): Promise<App> {
  const body = { clientName, ...fields, scopes: ['permissions.read' as const] }
  const created = await ada.call(createClient, { body })
  return { clientId: created.client.clientId, secret: created.secret ?? '' }
}

async function change({ clientId }: App, enabled: boolean) {
  const params = { clientId }
  const read = await ada.call(getClient, { params })
  return ada.call(putClient, { params, body: { ...read, enabled } })
}

const discover = ({ clientId, secret }: App) =>
  client.discovery(new URL(url), clientId, {}, client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  })

/** Authorizes an application for eve; returns the function that exchanges the code. */
async function authorize(configuration: client.Configuration, scope: string) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const parameters = {
    redirect_uri: redirectUri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  const response = await followAuthorization(browser, client.buildAuthorizationUrl(configuration, parameters).href)
  return (options?: client.DPoPOptions) =>
    client.authorizationCodeGrant(configuration, response, { pkceCodeVerifier }, undefined, options)
}

async function sendForm(path: string, form: Record<string, string>, { clientId, secret }: App) {
  const response = await fetch(url + path, post(form, basic(clientId, secret)))
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function startDevice(app: App) {
  const { body } = await sendForm('/connect/deviceauthorization', { scope: 'openid api_vertex_core' }, app)
  return { deviceCode: String(body['device_code']), userCode: String(body['user_code']) }
}
const approve = (code: string) => eve.call(decideDeviceAuthorization, { body: { code, action: 'approve' } })
const poll = (device_code: string, app: App) =>
  sendForm('/connect/token', { grant_type: deviceCodeGrant, device_code }, app)

type Uses = Record<string, () => Promise<unknown>>

/** Gets one of everything for an application; returns its uses, which may be repeated while they succeed. */
async function obtain(app: App): Promise<Uses> {
  const configuration = await discover(app)
  const get = async (scope: string, options?: client.DPoPOptions) => (await authorize(configuration, scope))(options)
  const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair())
  const forApi = await get('openid profile api_vertex_core')
  const forUserInfo = await get('openid profile')
  const boundForApi = await get('openid profile api_vertex_core', { DPoP })
  const boundForUserInfo = await get('openid profile', { DPoP })
  const approved = await startDevice(app)
  await approve(approved.userCode)
  const ofDevice = String((await poll(approved.deviceCode, app)).body['access_token'])
  const own = String(
    (await sendForm('/connect/token', { grant_type: 'client_credentials', scope: 'permissions.read' }, app)).body[
      'access_token'
    ],
  )

  const send = async (token: string, path: string, init: RequestInit = {}) =>
    (await fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })).status
  const text = { method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } }
  const introspect = async (token: string | undefined, as: App, path = '/connect/introspect') => {
    const { status, body } = await sendForm(path, { token: token ?? '' }, as)
    return body['active'] ?? status
  }
  const market = { clientId: 'market', secret: shopSecret }
  const withKey = async (work: () => Promise<unknown>) => {
    try {
      await work()
      return 200
    } catch (error) {
      return (error as { status?: number; cause?: { status?: number } }).status ?? (error as Error).message
    }
  }
  const ofUser = (name: string, token: string): Uses => ({
    [`${name} reads the API`]: () => send(token, '/passport/apphelper/user'),
    [`${name} writes to the API`]: () => send(token, '/passport/preferences/me/App.Theme', text),
    [`${name} at user info`]: () => send(token, '/connect/userinfo'),
    [`${name} at user info, by the library`]: () => send(token, '/connect/userinfo?library'),
    [`${name}, introspected by itself`]: () => introspect(token, app),
    [`${name}, introspected by another`]: () => introspect(token, market),
    [`${name}, introspected by another, by the library`]: () =>
      introspect(token, market, '/connect/introspect?library'),
  })
  return {
    ...ofUser('a JWT', forApi.access_token),
    ...ofUser('a JWT of a device', ofDevice),
    'an opaque token at user info': () => send(forUserInfo.access_token, '/connect/userinfo'),
    'an opaque token at user info, by the library': () => send(forUserInfo.access_token, '/connect/userinfo?library'),
    'an opaque token, introspected by itself': () => introspect(forUserInfo.access_token, app),
    'an opaque token, introspected by another': () => introspect(forUserInfo.access_token, market),
    'a refresh token, introspected by itself': () => introspect(forApi.refresh_token, app),
    'a bound JWT reads the API': () =>
      withKey(async () => {
        const target = new URL('/passport/apphelper/user', url)
        const options = ['GET', undefined, undefined, { DPoP }] as const
        const { status } = await client.fetchProtectedResource(
          configuration,
          boundForApi.access_token,
          target,
          ...options,
        )
        if (status !== 200) throw Object.assign(new Error(), { status })
      }),
    'a bound JWT at user info': () =>
      withKey(() => client.fetchUserInfo(configuration, boundForApi.access_token, eve.id, { DPoP })),
    'a bound JWT, introspected by another': () => introspect(boundForApi.access_token, market),
    'a bound opaque token at user info': () =>
      withKey(() => client.fetchUserInfo(configuration, boundForUserInfo.access_token, eve.id, { DPoP })),
    'its own token reads the API': () => send(own, statusPath),
    'its own token, introspected by another': () => introspect(own, market),
  }
}

/** Gets what is spent by its use. */
async function obtainSpendable(app: App): Promise<Uses> {
  const configuration = await discover(app)
  const exchange = await authorize(configuration, 'openid api_vertex_core')
  const { refresh_token = '', id_token = '' } = await (await authorize(configuration, 'openid api_vertex_core'))()
  const [pending, approved] = [await startDevice(app), await startDevice(app)]
  await approve(approved.userCode)
  const endSession = `/connect/endsession?${new URLSearchParams({ id_token_hint: id_token })}`
  const reject = (work: Promise<unknown>) =>
    work.then(
      () => 'issued',
      ({ error, status }: { error?: string; status?: number }) => error ?? status,
    )
  return {
    'a refresh token': () => reject(client.refreshTokenGrant(configuration, refresh_token)),
    'an authorization code': () => reject(exchange()),
    'an approved device': async () => (await poll(approved.deviceCode, app)).body['error'] ?? 'issued',
    'a waiting device': async () => (await poll(pending.deviceCode, app)).body['error'],
    'the code that it shows': () =>
      eve.call(getDeviceAuthorization, { params: { code: pending.userCode } }).then(
        () => 'shown',
        ({ status }) => status,
      ),
    'an ID token that a sign-out names': async () =>
      (await service.as(undefined)).fetch(endSession).then((r) => r.status),
  }
}

const useAll = async (uses: Uses) =>
  Object.fromEntries(await Promise.all(Object.entries(uses).map(async ([name, use]) => [name, await use()])))

const introspected = (name: string) => name.includes('introspected')
/** What an application in use gets. Another one learns of the tokens for Passport's API only. */
const alive = (uses: Uses) =>
  Object.fromEntries(
    Object.keys(uses).map((name) => {
      if (name === 'an opaque token, introspected by another') return [name, false]
      return [name, introspected(name) ? true : name.includes('writes') ? 204 : 200]
    }),
  )
/** What is left of an application that has ended; it cannot introspect. */
const dead = (uses: Uses) =>
  Object.fromEntries(
    Object.keys(uses).map((name) => [name, introspected(name) && !name.includes('by itself') ? false : 401]),
  )
const refused = {
  'a refresh token': 401,
  'an authorization code': 401,
  'an approved device': 'invalid_client',
  'a waiting device': 'invalid_client',
  'the code that it shows': 404,
  'an ID token that a sign-out names': 400,
}

describe('everything that was issued to an application', () => {
  test('stops at once when it is disabled, and works again when it is enabled', async () => {
    const app = await createApp('Disabled')
    const [uses, spendable] = [await obtain(app), await obtainSpendable(app)]
    expect(await useAll(uses)).toEqual(alive(uses))
    await change(app, false)
    expect(await useAll(uses)).toEqual(dead(uses))
    expect(await useAll(spendable)).toEqual(refused)
    await change(app, true)
    expect(await useAll(uses)).toEqual(alive(uses))
    expect(await useAll(spendable)).toEqual({
      'a refresh token': 'issued',
      'an authorization code': 'issued',
      'an approved device': 'issued',
      'a waiting device': expect.stringMatching(/^(slow_down|authorization_pending)$/),
      'the code that it shows': 'shown',
      'an ID token that a sign-out names': 200,
    })
  })

  test('ends when it is deleted, and stays ended when it is restored', async () => {
    const app = await createApp('Deleted')
    const [uses, spendable] = [await obtain(app), await obtainSpendable(app)]
    await ada.call(deleteClient, { params: { clientId: app.clientId } })
    expect(await useAll(uses)).toEqual(dead(uses))
    expect(await useAll(spendable)).toEqual(refused)
    await ada.call(restoreClient, { params: { clientId: app.clientId } })
    const stillRefused = await useAll(spendable)
    for (const name of ['an approved device', 'a waiting device', 'the code that it shows'])
      expect(stillRefused[name], name).not.toBe(200)
    expect(stillRefused['the code that it shows']).not.toBe('shown')
    const restored = await useAll(uses)
    expect(Object.entries(restored).filter(([, outcome]) => outcome !== 401 && outcome !== false)).toEqual([])
  })

  test('ends when it is removed from the configuration, also for a new one with the same client id', async () => {
    const app = { clientId: former.clientId, secret: shopSecret }
    const [uses, spendable] = [await obtain(app), await obtainSpendable(app)]
    const keep = [{ clientId: 'market', clientName: 'Market', clientSecret: shopSecret, redirectUris: [redirectUri] }]
    await startTestService({ CLIENTS: JSON.stringify(keep), PUBLIC_URL: url }, { sharedWith: service })
    expect(await useAll(uses)).toEqual(dead(uses))
    expect(await useAll(spendable)).toEqual(refused)
    await ada.call(createClient, { body: { ...fields, clientId: app.clientId, clientName: 'Another' } })
    const again = await useAll(uses)
    expect(Object.entries(again).filter(([, outcome]) => outcome !== 401 && outcome !== false)).toEqual([])
  })

  test('stops in a process that was not notified of the change', async () => {
    const app = await createApp('Unheard')
    const [uses, { 'the code that it shows': _, 'an ID token that a sign-out names': __, ...spendable }] = [
      await obtain(app),
      await obtainSpendable(app),
    ]
    expect(await useAll(uses)).toEqual(alive(uses))
    await sql`alter table clients disable trigger clients_changed`
    await sql`update clients set enabled = false where client_id = ${app.clientId}`
    try {
      const { 'its own token reads the API': own, ...outcomes } = await useAll(uses)
      expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 401 && outcome !== false)).toEqual([])
      // The tokens of applications are remembered for 5 seconds at most.
      expect([200, 401]).toContain(own)
      expect(await useAll(spendable)).toMatchObject({
        'a refresh token': 'invalid_grant',
        'an authorization code': 'invalid_grant',
        'an approved device': 'invalid_grant',
      })
    } finally {
      await sql`alter table clients enable trigger clients_changed`
    }
  })
})
