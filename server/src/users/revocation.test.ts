import { createGroup } from '@passport/contract/groups'
import { createInvitation } from '@passport/contract/invitations'
import { createJoinLink } from '@passport/contract/join'
import { createOrg } from '@passport/contract/orgs'
import * as bulk from '@passport/contract/user-bulk'
import * as api from '@passport/contract/users'
import { beforeEach, describe, expect, test } from 'vitest'
import * as consents from '../accounts/consent-store.ts'
import * as accounts from '../accounts/store.ts'
import * as devices from '../device-authorization/store.ts'
import * as invitations from '../invitations/store.ts'
import { identityIssuer } from '../local-directory/store.ts'
import { audienceOf, signAccessToken } from '../oauth/access-token.ts'
import * as personalTokens from '../personal-tokens/store.ts'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import * as provider from '../provider/store.ts'
import { addToken as addScimToken } from '../scim/store.ts'
import * as setupLinks from '../setup/store.ts'
import { holdTransaction } from '../test-hold.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { lockDown } from './states.ts'
import { lockRows } from './store.ts'

// Each way to shut a user out must revoke every kind of their credentials at once.

let service: TestService
let ada: Visitor
let eve: Visitor
beforeEach(async () => {
  service ??= await startTestService()
  ada = await service.as('ada')
  await service.sql`update users set disabled_at = null, deleted_at = null where username = 'eve'`
  eve = await service.as('eve')
})

/** Creates every kind of credential of eve; each function reports whether the credential still works. */
async function createCredentials(): Promise<Record<string, () => Promise<boolean>>> {
  const { sql, services } = service
  const createArtifact = async (
    kind: string,
    issuer: provider.IssuerName,
    accountId: string,
    fields: Partial<provider.NewArtifact> = {},
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
      ...fields,
    })
    return { id, exists: async () => (await provider.findArtifact(sql, issuer, kind, id)) !== undefined }
  }
  const createOwnArtifact = (kind: string, fields?: Partial<provider.NewArtifact>) =>
    createArtifact(kind, 'passport', eve.id, fields)
  const grant = await createOwnArtifact('Grant')
  const grantFields = { grantId: grant.id }
  const token = await createOwnArtifact('AccessToken', grantFields)
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    jti: token.id,
    aud: audienceOf(services.config.publicUrl),
    sub: eve.id,
    client_id: 'x',
    scope: 'api_vertex_core',
    iat: now,
    exp: now + 600,
    roles: [],
    orgs: [],
  }
  const bearer = signAccessToken(claims, services.config.publicUrl, await services.issuer.keys())
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
  await issuePersonalToken(service, eve)
  const sendRequest = async (headers: Record<string, string>) =>
    (await fetch(`${service.url}/passport/apphelper/user`, { headers })).status === 200
  return {
    session: () => sendRequest({ cookie: eve.cookie }),
    'personal token': async () => (await personalTokens.list(sql, eve.id)).length > 0,
    'access token': () => sendRequest({ authorization: `Bearer ${bearer}` }),
    'refresh token': (await createOwnArtifact('RefreshToken', grantFields)).exists,
    'authorization code': (await createOwnArtifact('AuthorizationCode', grantFields)).exists,
    grant: grant.exists,
    'session of the OpenID Provider': (await createOwnArtifact('Session')).exists,
    'approved device that has not polled since': (await createOwnArtifact('DeviceCode', grantFields)).exists,
    'device authorization that began in a session': (
      await createArtifact('DeviceCode', 'passport', eve.id, { accountId: null, userCode })
    ).exists,
    'approved device that awaits its PIN': await approveDeviceWithPin(),
    'session of the built-in directory': (await createArtifact('Session', 'directory', subject)).exists,
    'authorization code of the built-in directory': (await createArtifact('AuthorizationCode', 'directory', subject))
      .exists,
  }
}

/** Approves a device as eve, which then awaits its PIN. */
async function approveDeviceWithPin(): Promise<() => Promise<boolean>> {
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
  await devices.saveApproval(sql, userCode, 'sealed')
  return async () => (await devices.find(sql, userCode))?.decision === 'approved'
}

const evaluateAll = async (credentials: Record<string, () => Promise<boolean>>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(credentials).map(async ([kind, isValid]) => [kind, await isValid()])),
  )

const params = () => ({ params: { userId: eve.id } })
const inBulk = (action: 'disable' | 'delete' | 'signout') => () =>
  ada.call(bulk.bulkChangeUsers, { body: { action, ids: [eve.id] } })

const cases: [string, () => Promise<unknown>][] = [
  ['disabling', () => ada.call(api.disableUser, { query: {}, ...params() })],
  ['deleting', () => ada.call(api.deleteUser, { query: {}, ...params() })],
  ['signing out', () => ada.call(api.signOutUser, { ...params(), body: { personalTokens: true } })],
  ['locking down', () => ada.call(api.lockDownUser, { query: {}, ...params() })],
  ['resetting the password of', () => ada.call(api.resetUserPassword, params())],
  ['disabling in bulk', inBulk('disable')],
  ['deleting in bulk', inBulk('delete')],
]

/** Signing out keeps personal tokens, unless the caller revokes them too. */
const casesWithoutPersonalTokens: typeof cases = [
  ['signing out', () => ada.call(api.signOutUser, { ...params(), body: {} })],
  ['signing out in bulk', inBulk('signout')],
]

async function expectRevoked(endAccess: () => Promise<unknown>, kept: string[]) {
  const credentials = await createCredentials()
  const kinds = Object.keys(credentials)
  expect(await evaluateAll(credentials)).toEqual(Object.fromEntries(kinds.map((kind) => [kind, true])))
  await endAccess()
  expect(await evaluateAll(credentials)).toEqual(Object.fromEntries(kinds.map((kind) => [kind, kept.includes(kind)])))
}

test.for(cases)('%s a user revokes every kind of credential', ([, endAccess]) => expectRevoked(endAccess, []))

test.for(casesWithoutPersonalTokens)('%s a user keeps only personal tokens', ([, endAccess]) =>
  expectRevoked(endAccess, ['personal token']),
)

test.for(cases.filter(([name]) => /^(disabling|deleting|locking)/.test(name)))(
  'the audit event of %s a user names the ended credentials',
  async ([, endAccess]) => {
    await service.sql`delete from personal_tokens`
    await createCredentials()
    const [token] = await personalTokens.list(service.sql, eve.id)
    const [{ sessions } = { sessions: 0 }] = await service.sql<{ sessions: number }[]>`
      select count(*)::integer as sessions from sessions where user_id = ${eve.id}`
    await endAccess()
    const [event] = await service.sql`
      select before from audit_events where target_id = ${eve.id} order by id desc limit 1`
    expect(event?.['before']).toMatchObject({ sessions, refreshTokens: 1, personalTokens: [token?.start] })
    expect(sessions).toBeGreaterThan(0)
  },
)

describe('a locked-down user', () => {
  test('is disabled and loses their consents, but keeps their logins', async () => {
    await consents.addScopes(service.sql, eve.id, 'passport-dev-tokens', ['openid'])
    const locked = await ada.call(api.lockDownUser, { query: {}, ...params() })
    expect(locked).toMatchObject({ disabled: true, status: 'disabled' })
    expect(locked.logins).toHaveLength(1)
    expect(await consents.list(service.sql, eve.id)).toEqual([])
    const [event] = await service.sql`
      select action, actor_id as actor, before, after from audit_events where target_id = ${eve.id} order by id desc limit 1`
    expect(event).toEqual({
      action: 'user.locked-down',
      actor: ada.id,
      before: expect.objectContaining({ disabled: false, consents: ['passport-dev-tokens'] }),
      after: { disabled: true, keptScimTokens: [] },
    })
  })

  test('loses the links that they created for good', async () => {
    const { sql } = service
    const { id: orgId } = await ada.call(createOrg, { body: { name: 'Links' } })
    const { id: groupId } = await eve.call(createGroup, { body: { name: 'Links of eve' } })
    const [ofEve, ofAda] = [
      await eve.call(createJoinLink, { body: { kind: 'group', targetId: groupId } }),
      await ada.call(createJoinLink, { body: { kind: 'group', targetId: groupId } }),
    ]
    const id = crypto.randomUUID()
    await setupLinks.add(sql, { id, orgId, tokenHash: id, createdBy: eve.id, hours: 1 })
    const invite = (inviter: Visitor, email: string) =>
      invitations.add(
        sql,
        {
          email,
          displayName: null,
          userId: null,
          isOwnAccount: false,
          roles: [],
          orgId,
          orgRole: 'member',
          invitedBy: inviter.id,
        },
        { token: email, mailId: email, isMailed: true, hours: 24 },
      )
    await invite(eve, 'guest@links.example')
    await invite(ada, 'other@links.example')
    await sql`
      insert into entra_connections (org_id, tenant_id, cloud, display_name)
      values (${orgId}, gen_random_uuid(), 'AzurePublic', 'Links')`
    const addToken = (start: string, createdBy: string | null, setupLinkId: string | null) =>
      addScimToken(sql, start, { orgId, name: start, start, expiresInDays: 1, createdBy, setupLinkId })
    await addToken('by eve', eve.id, null)
    await addToken('by link', null, id)
    await addToken('by ada', ada.id, null)

    await ada.call(api.lockDownUser, { query: {}, ...params() })
    await ada.call(api.enableUser, { query: {}, ...params() })
    const open = async ({ url }: { url: string }) =>
      (await fetch(`${service.url}/join/${url.split('/').at(-1)}`)).status
    expect([await open(ofEve), await open(ofAda)]).toEqual([410, 200])
    expect(await setupLinks.list(sql, orgId, 5)).toMatchObject([{ status: 'revoked' }])
    expect(await invitations.findByToken(sql, 'guest@links.example')).toMatchObject({ status: 'revoked' })
    expect(await invitations.findByToken(sql, 'other@links.example')).toMatchObject({ status: 'sent' })
    const events = await sql`
      select action, target_kind, before from audit_events
      where actor_id = ${ada.id} and action in ('join-link.stopped', 'invitation.revoked', 'org.setup-link-revoked')
      order by action`
    expect(events).toMatchObject([
      { action: 'invitation.revoked', before: { email: 'guest@links.example' } },
      { action: 'join-link.stopped', targetKind: 'group', before: { joinLink: ofEve.id } },
      { action: 'org.setup-link-revoked', targetKind: 'org', before: { setupLink: id } },
    ])
    const [event] = await sql`
      select before, after from audit_events where target_id = ${eve.id} and action = 'user.locked-down'
      order by id desc limit 1`
    // The tokens of the organisation stay, and are named.
    expect(event).toMatchObject({
      before: { joinLinks: 1, invitations: 1, setupLinks: 1 },
      after: { keptScimTokens: ['by eve', 'by link'] },
    })
  })

  test.for([
    [
      'a join link',
      async () => {
        const { id: targetId } = await eve.call(createGroup, { body: { name: 'Created late' } })
        return () => eve.call(createJoinLink, { body: { kind: 'group', targetId } })
      },
    ],
    [
      'an invitation',
      async () => {
        await service.sql`insert into role_members (role, user_id) values ('Passport.Admin', ${eve.id})`
        return () => eve.call(createInvitation, { body: { email: 'late@links.example', roles: [] } as never })
      },
    ],
  ] as const)('creates at that moment not %s, which would work once they are enabled', async ([, prepare]) => {
    const { sql } = service
    const create = await prepare()
    const countLinks = async () => (await sql`select id from join_links union select id from invitations`).length
    const before = await countLinks()
    const release = await holdTransaction(sql, async (sql) => lockDown(sql, await lockRows(sql, [eve.id]), {}))
    const created = create().catch((error: unknown) => error)
    const isWaiting = async () => (await sql`select from pg_locks where not granted`).length > 0
    await expect.poll(isWaiting).toBe(true)
    await release()
    expect(await created).toMatchObject({ status: expect.toSatisfy((status) => status === 401 || status === 403) })
    expect(await countLinks()).toBe(before)
    await sql`delete from role_members where user_id = ${eve.id}`
  })

  test('can be enabled again', async () => {
    await ada.call(api.disableUser, { query: {}, ...params() })
    expect(await ada.call(api.enableUser, { query: {}, ...params() })).toMatchObject({ status: 'active' })
  })
})
