import {
  createClient,
  deleteClient,
  deleteClientSecret,
  getClient,
  putClient,
  restoreClient,
} from '@passport/contract/clients'
import { decideDeviceAuthorization, getDeviceAuthorization } from '@passport/contract/device-authorization'
import { createPersonalToken } from '@passport/contract/personal-tokens'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import { transaction } from '../database/sql.ts'
import { demoPassword, startTestService, type Visitor } from '../test-service.ts'
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

// The codes of devices that have ended count as mistyped.
beforeEach(() => sql`delete from rate_limits`)

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

const plainRequest = {
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
}

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
  const introspect = async (token: string | undefined, as: App) => {
    const { status, body } = await sendForm('/connect/introspect', { token: token ?? '' }, as)
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
    [`${name}, introspected by itself`]: () => introspect(token, app),
    [`${name}, introspected by another`]: () => introspect(token, market),
  })
  return {
    ...ofUser('a JWT', forApi.access_token),
    ...ofUser('a JWT of a device', ofDevice),
    'an opaque token at user info': () => send(forUserInfo.access_token, '/connect/userinfo'),
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
  const { body: pushed } = await sendForm('/connect/par', { ...plainRequest, client_id: app.clientId }, app)
  const { clientId: client_id } = app
  const continuation = `${url}/connect/authorize?${new URLSearchParams({ client_id, request_uri: String(pushed['request_uri']) })}`
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
    'a pushed request': () =>
      followAuthorization(browser, continuation).then(
        () => 'continued',
        ({ message }: Error) => Number.parseInt(message, 10),
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
  'a pushed request': 400,
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
      'a pushed request': 'continued',
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

  test('ends also if its insertion was in progress when the application was deleted', async () => {
    const app = await createApp('In progress')
    const [uses, spendable] = [await obtain(app), await obtainSpendable(app)]
    const { clientId } = app
    for (const [copy, table] of [
      ['late_tokens', 'only provider_tokens'],
      ['late_artifacts', 'only provider_artifacts'],
    ] as const)
      await sql.unsafe(
        `create table ${copy} as select * from ${table} where payload ->> 'clientId' = '${clientId}' and consumed_at is null`,
      )
    await sql`create table late_devices as select * from device_authorizations where client_id = ${clientId}`
    await transaction(sql, async (late) => {
      await late`select now()`
      await ada.call(deleteClient, { params: { clientId } })
      await sql`
        insert into consents (id, user_id, client_id, scopes) values (gen_random_uuid()::text, ${eve.id}, ${clientId}, '{openid}')`
      await ada.call(restoreClient, { params: { clientId } })
      await late`delete from device_authorizations where client_id = ${clientId}`
      await late`insert into device_authorizations select * from late_devices`
      // The time of the transaction, which began before the deletion.
      await late`update late_tokens set created_at = now()`
      await late`update late_artifacts set created_at = now()`
      const tokens = await late`insert into provider_tokens select * from late_tokens`
      const artifacts = await late`insert into provider_artifacts select * from late_artifacts`
      expect([tokens.count > 5, artifacts.count > 3]).toEqual([true, true])
    })
    const outcomes = await useAll(uses)
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 401 && outcome !== false)).toEqual([])
    expect(await useAll(spendable)).toEqual({
      ...refused,
      'a refresh token': 'invalid_grant',
      'an authorization code': 'invalid_grant',
      'an approved device': 'invalid_grant',
      'a waiting device': 'invalid_grant',
      'an ID token that a sign-out names': 200,
    })
    expect(await sql`select from consents where client_id = ${clientId}`).toHaveLength(0)
    const next = await obtain(app)
    expect(await useAll(next)).toEqual(alive(next))
  })
})

describe('in a process that no notification reaches', () => {
  beforeAll(async () => {
    await sql`alter table clients disable trigger clients_changed`
    await sql`alter table client_secrets disable trigger client_secrets_changed`
  })
  afterAll(async () => {
    await sql`alter table clients enable trigger clients_changed`
    await sql`alter table client_secrets enable trigger client_secrets_changed`
  })

  const disable = ({ clientId }: App) => change({ clientId, secret: '' }, false)

  test('everything that was issued to a disabled application stops at once', async () => {
    const app = await createApp('Unheard')
    const [uses, spendable] = [await obtain(app), await obtainSpendable(app)]
    expect(await useAll(uses)).toEqual(alive(uses))
    await disable(app)
    // The tokens of applications are cached for 5 seconds, but not in the process that disables one.
    expect(await useAll(uses)).toEqual(dead(uses))
    expect(await useAll(spendable)).toEqual(refused)
  })

  test.for([
    ['is disabled', disable],
    ['is deleted', ({ clientId }: App) => ada.call(deleteClient, { params: { clientId } })],
    [
      'has another secret',
      async ({ clientId }: App) => {
        const [secret] = (await ada.call(getClient, { params: { clientId } })).secrets
        await ada.call(deleteClientSecret, { params: { clientId, secretId: secret?.id ?? '' } })
      },
    ],
  ] as const)('an application that %s is no longer authenticated', async ([, end]) => {
    const app = await createApp('Former')
    const other = await createApp('Other')
    const token = (await (await authorize(await discover(other), 'openid api_vertex_core'))()).access_token
    const { value: personal } = await eve.call(createPersonalToken, {
      body: { name: 'Backup', scopes: ['api_vertex_core'], expiresInDays: 1 },
    })
    const device = await startDevice(app)
    const pushed = { ...plainRequest, client_id: app.clientId }
    /** Each with its status before. */
    const requests: [string, Record<string, string>, number][] = [
      ['introspect', { token }, 200],
      ['introspect', { token: 'unknown' }, 200],
      ['introspect', { token: personal }, 200],
      ['revocation', { token }, 200],
      ['token', { grant_type: 'client_credentials', scope: 'permissions.read' }, 200],
      ['token', { grant_type: deviceCodeGrant, device_code: device.deviceCode }, 400],
      ['token', { grant_type: 'refresh_token', refresh_token: 'unknown' }, 400],
      ['deviceauthorization', { scope: 'openid' }, 200],
      ['par', pushed, 201],
    ]
    const send = async ([path, form]: (typeof requests)[number]) =>
      (await fetch(`${url}/connect/${path}`, post(form, basic(app.clientId, app.secret)))).status
    const expected = requests.map(([path, _, status]) => [path, status])
    const sent = await Promise.all(requests.map(async (request) => [request[0], await send(request)]))
    expect(sent).toEqual(expected)
    await end(app)
    const after = await Promise.all(requests.map(async (request) => [request[0], await send(request)]))
    expect(after).toEqual(expected.map(([path]) => [path, 401]))
  })

  test('a browser gets no code for a disabled application, or for a former redirect URI', async () => {
    const [disabled, moved] = [await createApp('Disabled'), await createApp('Moved')]
    const [ofDisabled, ofMoved] = [await discover(disabled), await discover(moved)]
    for (const configuration of [ofDisabled, ofMoved]) await authorize(configuration, 'openid')
    await disable(disabled)
    const params = { clientId: moved.clientId }
    const body = { ...(await ada.call(getClient, { params })), redirectUris: ['https://shop.example/moved'] }
    await ada.call(putClient, { params, body })
    await expect(authorize(ofDisabled, 'openid')).rejects.toThrow('400 at')
    await expect(authorize(ofMoved, 'openid')).rejects.toThrow('400 at')
  })

  test('a browser that signs in for an application that is disabled during the sign-in gets no code', async () => {
    const app = await createApp('Disabled during the sign-in')
    const stranger = createTestBrowser(url)
    const request = client.buildAuthorizationUrl(await discover(app), plainRequest).href
    const page = await stranger.open(request)
    await disable(app)
    const after = await stranger.submit(page, { name: 'eve', password: demoPassword })
    expect(after.url).not.toContain('code=')
  })
})
