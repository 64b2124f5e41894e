import { listActivity } from '@passport/contract/accounts'
import { listAuditEntries } from '@passport/contract/audit'
import * as api from '@passport/contract/connections'
import { discover } from '@passport/contract/discovery'
import { searchRecords } from '@passport/contract/search'
import { listUsers } from '@passport/contract/users'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCookies } from '../http/cookies.ts'
import { startTestService, type Visitor } from '../test-service.ts'
import { start } from './start.ts'
import { type ConnectingService, metaApp, startConnectingService } from './test-connections.ts'

const root = '/passport/connect/metahorizon'
let at: ConnectingService
let ada: Visitor
let eve: Visitor

beforeAll(async () => {
  at = await startConnectingService()
  ada = await at.service.as('ada')
})
beforeEach(async () => {
  await at.service.sql`delete from connections`
  eve = await at.service.as('eve')
})

const listOf = ({ call }: Visitor) => call(api.listConnections, {})

describe('connecting a Meta account', () => {
  test('starts at Meta with the registered redirect URI, and a cookie for 10 minutes', async () => {
    const response = await eve.fetch(`${root}/start`, { method: 'POST' })
    const { authorizationUrl, expiresAt } = (await response.json()) as Record<string, string>
    const callback = encodeURIComponent(`${at.service.url}/app/connect/metahorizon/callback`)
    expect(authorizationUrl).toBe(
      `${at.meta.ssoUrl}?redirect_uri=${callback}&organization_id=${metaApp.organizationId}`,
    )
    expect((await fetch(authorizationUrl ?? '')).status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^passport-connect-metahorizon=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ])
    expect(Date.parse(expiresAt ?? '') - Date.now()).toBeGreaterThan(9.5 * 60_000)
  })

  test('has a cookie with the prefix __Host- over https', async () => {
    const [session] = await at.service.sql<{ id: string }[]>`select id from sessions limit 1`
    const cookies = createCookies(undefined, true)
    const flow = { name: 'X', begin: async () => 'https://x.example/', redeem: () => Promise.reject() }
    const context = { sql: at.service.sql, http: { isSecure: true }, cookies }
    await start(flow, { sessionId: session?.id ?? '', connector: 'secure' }, context)
    expect(cookies.toSet[0]).toMatch(/^__Host-passport-connect-secure=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure;/)
  })

  test('shows the account before it connects it, once', async () => {
    const { orgScopedId } = at.meta.account('NightOwl42')
    const cookie = await at.start(eve)
    const payload = at.meta.issueFragment('NightOwl42')
    const proven = await at.send(eve, `${root}/callback`, { payload }, cookie)
    expect(proven).toEqual({
      status: 200,
      body: {
        linkId: expect.any(String),
        connector: 'metahorizon',
        externalId: orgScopedId,
        label: 'NightOwl42',
        status: 'confirm',
      },
    })
    expect(await listOf(eve)).toEqual([])

    const linkId = proven.body['linkId']
    for (let time = 0; time < 2; time++)
      expect(await at.send(eve, `${root}/confirm`, { linkId })).toEqual({ status: 200, body: { status: 'linked' } })
    expect(await listOf(eve)).toEqual([
      {
        id: expect.any(String),
        connector: 'metahorizon',
        externalId: orgScopedId,
        label: 'NightOwl42',
        linkedAt: expect.any(String),
      },
    ])
    const { items } = await ada.call(listAuditEntries, { query: { action: 'connection.linked', actor: eve.id } })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      target: { kind: 'user', id: eve.id },
      before: null,
      after: { connector: 'metahorizon', externalId: orgScopedId, label: 'NightOwl42' },
    })
    const activity = await eve.call(listActivity, { query: { limit: 1 } })
    expect(activity.items[0]).toMatchObject({ action: 'connection.linked' })
  })

  test('is possible for one account per service', async () => {
    await at.connect(eve, 'First')
    expect(await at.connect(eve, 'Second')).toMatchObject({ status: 409, body: { code: 'already-linked' } })
  })

  test('finds the user by the id of the account', async () => {
    await at.connect(eve, 'Findable')
    const query = `metahorizon:${at.meta.account('Findable').orgScopedId}`
    const { items } = await ada.call(listUsers, { query: { query } })
    expect(items).toMatchObject([{ id: eve.id, isExact: true }])
    expect(await ada.call(searchRecords, { query: { query } })).toMatchObject([{ kind: 'user', id: eve.id }])
    const other = await ada.call(listUsers, { query: { query: query.replace('metahorizon', 'lighthouse') } })
    expect(other.items).toEqual([])
  })
})

describe('a callback', () => {
  const callback = (visitor: Visitor, payload: string, cookie?: string) =>
    at.send(visitor, `${root}/callback`, { payload }, cookie)

  const unreadable = ['link-payload-invalid', 'cannot be read'] as const
  const startLongAgo = async () => {
    const cookie = await at.start(eve)
    await at.service.sql`update pending_connections set expires_at = now()`
    return cookie
  }
  const callbackTwice = async () => {
    const cookie = await at.start(eve)
    await callback(eve, at.meta.issueFragment('Twice'), cookie)
    return callback(eve, at.meta.issueFragment('Twice'), cookie)
  }

  /** Each wrong callback, with its status, its code and its sentence. */
  test.for<[string, () => Promise<unknown>, number, string, string]>([
    ['without the cookie of a start', () => callback(eve, 'x'), 400, 'link-state-missing', 'This browser has not'],
    [
      'with the cookie of another user',
      async () => callback(await at.service.as('dev'), 'x', await at.start(eve)),
      400,
      'link-state-missing',
      'in another session',
    ],
    [
      'in another session of the same user',
      async () => callback(await at.service.as('eve'), 'x', await at.start(eve)),
      400,
      'link-state-missing',
      'in another session',
    ],
    ['after 10 minutes', async () => callback(eve, 'x', await startLongAgo()), 410, 'link-expired', '10 minutes'],
    [
      'after 10 minutes, when the browser has dropped the cookie',
      async () => {
        await startLongAgo()
        return callback(eve, 'x')
      },
      410,
      'link-expired',
      '10 minutes',
    ],
    ['for the second time', () => callbackTwice(), 409, 'link-used', 'already been used'],
    ['with an unreadable fragment', async () => callback(eve, 'e30=', await at.start(eve)), 400, ...unreadable],
    ['without a fragment', async () => callback(eve, '', await at.start(eve)), 400, 'link-cancelled', 'not shared'],
  ])('%s is rejected with its own sentence', async ([, send, status, code, sentence]) => {
    expect(await send()).toMatchObject({ status, body: { code, detail: expect.stringContaining(sentence) } })
    expect(await listOf(eve)).toEqual([])
  })

  test('is limited to 8 KiB', async () => {
    const send = async (length: number) => callback(eve, 'A'.repeat(length), await at.start(eve))
    expect((await send(8192)).body['code']).toBe('link-payload-invalid')
    expect(await send(8193)).toMatchObject({ status: 400, body: { code: 'invalid-request' } })
  })
})

describe('a confirmation', () => {
  const confirm = (visitor: Visitor, linkId: string) => at.send(visitor, `${root}/confirm`, { linkId })

  test('belongs to the session that proved the account, for 10 minutes', async () => {
    const linkId = await at.prove(eve, 'Mine')
    const other = await at.service.as('eve')
    expect(await confirm(other, linkId)).toMatchObject({ status: 404, body: { code: 'link-not-found' } })
    await at.service.sql`update pending_connections set expires_at = now()`
    expect(await confirm(eve, linkId)).toMatchObject({ status: 410, body: { code: 'link-expired' } })
  })

  test('ends with the next start', async () => {
    const linkId = await at.prove(eve, 'Mine')
    await at.start(eve)
    expect((await confirm(eve, linkId)).status).toBe(404)
  })
})

describe('the removal', () => {
  test('by the user is audited, and only of their own connections', async () => {
    await at.connect(eve, 'Removable')
    const [connection] = await listOf(eve)
    const id = connection?.id ?? ''
    expect((await ada.fetch(`/passport/account/connections/${id}`, { method: 'DELETE' })).status).toBe(404)
    await eve.call(api.removeConnection, { params: { id } })
    expect(await listOf(eve)).toEqual([])
    const { items } = await ada.call(listAuditEntries, { query: { action: 'connection.removed', actor: eve.id } })
    expect(items[0]).toMatchObject({ before: { connector: 'metahorizon', label: 'Removable' }, after: null })
  })

  test('by an administrator names the administrator', async () => {
    await at.connect(eve, 'Removable')
    const params = { userId: eve.id }
    const [connection] = await ada.call(api.listUserConnections, { params })
    await ada.call(api.removeUserConnection, { params: { ...params, id: connection?.id ?? '' } })
    expect(await ada.call(api.listUserConnections, { params })).toEqual([])
    const { items } = await ada.call(listAuditEntries, { query: { action: 'connection.removed', actor: ada.id } })
    expect(items[0]).toMatchObject({ target: { id: eve.id }, before: { label: 'Removable' } })
    expect((await ada.fetch('/passport/admin/users/nobody/connections')).status).toBe(404)
  })
})

test('without the settings of Meta, nothing can be connected', async () => {
  const bare = await startTestService()
  const visitor = await bare.as('eve')
  expect((await visitor.call(discover, { query: {} })).features.metaHorizon).toBe(false)
  expect(await visitor.call(api.listConnectors, {})).toEqual([])
  const call = async (connector: string, step: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const path = `/passport/connect/${connector}/${step}`
    const response = await visitor.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { code } = (await response.json()) as { code: string }
    return `${response.status} ${code}`
  }
  for (const [step, body] of [
    ['start', {}],
    ['callback', { payload: 'x' }],
    ['confirm', { linkId: 'x' }],
    ['proof', { userId: '1', nonce: 'x' }],
  ] as const) {
    expect([step, await call('metahorizon', step, body)]).toEqual([step, '503 meta-not-configured'])
    expect([step, await call('other', step, body)]).toEqual([step, '404 connector-not-found'])
  }
  const { features } = await ada.call(discover, { query: {} })
  expect(features.metaHorizon).toBe(true)
  expect(await ada.call(api.listConnectors, {})).toEqual([{ id: 'metahorizon', name: 'Meta Horizon' }])
})
