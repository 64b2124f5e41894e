import * as bulk from '@passport/contract/user-bulk'
import * as api from '@passport/contract/users'
import { beforeEach, describe, expect, test } from 'vitest'
import * as accounts from '../accounts/store.ts'
import * as consents from '../consents/store.ts'
import * as devices from '../device-authorization/store.ts'
import { identityIssuer } from '../local-directory/store.ts'
import { signAccessToken } from '../provider/access-token.ts'
import * as provider from '../provider/store.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

/** Whatever lets anyone act as a person, and that each way to shut them out ends all of it at once. */

let service: TestService
let ada: Visitor
let eve: Visitor
beforeEach(async () => {
  service ??= await startTestService()
  ada = await service.as('ada')
  await service.sql`update users set disabled_at = null, deleted_at = null where username = 'eve'`
  eve = await service.as('eve')
})

/** Everything that there is of eve, with a question for each kind whether it is still good. */
async function credentialsOf(): Promise<Record<string, () => Promise<boolean>>> {
  const { sql, services } = service
  const artifact = async (
    kind: string,
    issuer: provider.IssuerName,
    accountId: string,
    more: Partial<provider.NewArtifact> = {},
  ) => {
    const id = crypto.randomUUID()
    await provider.saveArtifact(sql, {
      issuer,
      kind,
      id,
      payload: { clientId: 'passport-dev-tokens' },
      sealedId: null,
      accountId,
      grantId: null,
      uid: kind === 'Session' ? crypto.randomUUID() : null,
      expiresInSeconds: 600,
      ...more,
    })
    return { id, isThere: async () => (await provider.findArtifact(sql, issuer, kind, id)) !== undefined }
  }
  const mine = (kind: string, more?: Partial<provider.NewArtifact>) => artifact(kind, 'passport', eve.id, more)
  const grant = await mine('Grant')
  const ofGrant = { grantId: grant.id }
  const token = await mine('AccessToken', ofGrant)
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    jti: token.id,
    sub: eve.id,
    client_id: 'x',
    scope: 'api_vertex_core',
    iat: now,
    exp: now + 600,
    roles: [],
    orgs: [],
  }
  const bearer = await signAccessToken(claims, services.config.publicUrl, await services.issuer.keys())
  const logins = await accounts.listLogins(sql, eve.id)
  const subject = logins.find(({ issuer }) => issuer === identityIssuer)?.subject ?? ''
  const [session] = await sql<
    { id: string }[]
  >`select id from sessions where user_id = ${eve.id} order by created_at desc`
  const userCode = crypto.randomUUID()
  await devices.add(sql, {
    userCode,
    deviceCode: crypto.randomUUID(),
    clientId: 'passport-device-test',
    scopes: ['openid'],
    expiresInSeconds: 600,
    ip: '127.0.0.1',
    userAgent: 'test',
    sessionId: session?.id ?? '',
    matchNumber: null,
    isPinRequired: false,
  })
  const asked = async (headers: Record<string, string>) =>
    (await fetch(`${service.url}/passport/apphelper/user`, { headers })).status === 200
  return {
    session: () => asked({ cookie: eve.cookie }),
    'access token': () => asked({ authorization: `Bearer ${bearer}` }),
    'refresh token': (await mine('RefreshToken', ofGrant)).isThere,
    'authorization code': (await mine('AuthorizationCode', ofGrant)).isThere,
    grant: grant.isThere,
    'session of the issuer': (await mine('Session')).isThere,
    'device that was allowed, and has not asked since': (await mine('DeviceCode', ofGrant)).isThere,
    'device that was begun in a session': (
      await artifact('DeviceCode', 'passport', eve.id, { accountId: null, userCode })
    ).isThere,
    'device that was allowed, and whose PIN was not typed yet': await awaitingPin(),
    'browser that the built-in directory knows': (await artifact('Session', 'directory', subject)).isThere,
    'code of the built-in directory': (await artifact('AuthorizationCode', 'directory', subject)).isThere,
  }
}

/** A request that eve approved, whose device has not proved yet that it is beside her. */
async function awaitingPin(): Promise<() => Promise<boolean>> {
  const { sql } = service
  const userCode = crypto.randomUUID()
  await devices.add(sql, {
    userCode,
    deviceCode: crypto.randomUUID(),
    clientId: 'passport-device-test',
    scopes: ['openid'],
    expiresInSeconds: 600,
    ip: '127.0.0.1',
    userAgent: 'test',
    sessionId: null,
    matchNumber: null,
    isPinRequired: true,
  })
  await devices.decide(sql, userCode, 'approved', eve.id)
  await devices.keepApproval(sql, userCode, 'sealed')
  return async () => (await devices.find(sql, userCode))?.decision === 'approved'
}

const all = async (kinds: Record<string, () => Promise<boolean>>) =>
  Object.fromEntries(await Promise.all(Object.entries(kinds).map(async ([kind, isGood]) => [kind, await isGood()])))

const params = () => ({ params: { userId: eve.id } })
const inBulk = (action: 'disable' | 'delete' | 'signout') => () =>
  ada.call(bulk.bulkChangeUsers, { body: { action, ids: [eve.id] } })

const ways: [string, () => Promise<unknown>][] = [
  ['disabling', () => ada.call(api.disableUser, { query: {}, ...params() })],
  ['deleting', () => ada.call(api.deleteUser, { query: {}, ...params() })],
  ['signing out', () => ada.call(api.signOutUser, params())],
  ['locking down', () => ada.call(api.lockDownUser, { query: {}, ...params() })],
  ['giving a new password', () => ada.call(api.resetUser, params())],
  ['disabling many', inBulk('disable')],
  ['deleting many', inBulk('delete')],
  ['signing out many', inBulk('signout')],
]

test.for(ways)('%s ends every kind of credential at once', async ([, shutOut]) => {
  const kinds = await credentialsOf()
  expect(await all(kinds)).toEqual(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, true])))
  await shutOut()
  expect(await all(kinds)).toEqual(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, false])))
})

describe('who is locked down', () => {
  test('is disabled, and what they allowed applications is taken back; their logins stay', async () => {
    await consents.allow(service.sql, eve.id, 'passport-dev-tokens', ['openid'])
    const locked = await ada.call(api.lockDownUser, { query: {}, ...params() })
    expect(locked).toMatchObject({ disabled: true, status: 'disabled' })
    expect(locked.logins).toHaveLength(1)
    expect(await consents.list(service.sql, eve.id)).toEqual([])
    const [event] = await service.sql`
      select action, actor_id as actor, before, after from audit_events where target_id = ${eve.id} order by id desc limit 1`
    expect(event).toEqual({
      action: 'user.locked-down',
      actor: ada.id,
      before: { disabled: false, consents: ['passport-dev-tokens'] },
      after: { disabled: true },
    })
  })

  test('can be enabled again', async () => {
    await ada.call(api.disableUser, { query: {}, ...params() })
    expect(await ada.call(api.enableUser, { query: {}, ...params() })).toMatchObject({ status: 'active' })
  })
})
