import { listAuditEntries } from '@passport/contract/audit'
import { createApiCall } from '@passport/contract/call'
import * as api from '@passport/contract/clients'
import { getCurrentUser } from '@passport/contract/current-user'
import * as groups from '@passport/contract/groups'
import * as invitations from '@passport/contract/invitations'
import { acceptJoinInvitation } from '@passport/contract/join'
import { createOrg, getOrg } from '@passport/contract/orgs'
import { discoverTenant } from '@passport/contract/tenant-discovery'
import * as imports from '@passport/contract/user-imports'
import * as users from '@passport/contract/users'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { issueBearerToken } from '../test-bearer.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { createCallRecorder } from './calls.ts'
import { registerClients } from './registered.ts'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
})

async function requestToken(clientId: string, secret: string | null, scope: string) {
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  })
  return (await response.json()) as { access_token: string; expires_in: number; error?: string }
}

const callWith = (token: string) =>
  createApiCall(service.url, (request) => {
    request.headers.set('authorization', `Bearer ${token}`)
    return fetch(request)
  })

/** Creates a service with a scope for administration, and a token of it. */
async function createService(clientName: string, scope: 'passport.admin' | 'passport.admin.read' = 'passport.admin') {
  const { client, secret } = await ada.call(api.createClient, { body: { clientName, scopes: [scope] } })
  const { clientId } = client
  const { access_token: token, expires_in } = await requestToken(clientId, secret, scope)
  return { clientId, secret, token, expiresIn: expires_in, call: callWith(token) }
}

const failsWith = (call: Promise<unknown>, status: number, code: string) =>
  expect(call).rejects.toMatchObject({ status, body: { code } })

const createUser = (displayname: string, roles: string[] = []) =>
  ada.call(users.createUser, { query: {}, body: { displayname, email: `${displayname}@example.com`, roles } })

describe('an application with a scope for administration', () => {
  test('gets a token for ten minutes, without roles', async () => {
    const { token, expiresIn } = await createService('Short')
    expect(expiresIn).toBe(600)
    const claims = decodeJwt(token)
    expect([claims['scope'], claims['roles'], (claims.exp ?? 0) - (claims.iat ?? 0)]).toEqual([
      'passport.admin',
      [],
      600,
    ])
  })

  test('administers, and the audit log has its calls and its changes with it as the actor', async () => {
    const { clientId, call } = await createService('Sync')
    const org = await call(createOrg, { body: { name: 'Contoso' } })
    expect((await call(getOrg, { params: { orgId: org.id } })).name).toBe('Contoso')
    await call(discoverTenant, { query: { q: 'secret.name@contoso.com' } })
    const { items } = await ada.call(listAuditEntries, { query: { actor: `client:${clientId}` } })
    expect(items.map(({ action, actor, after }) => [action, actor?.name, after?.['call'] ?? after?.['name']])).toEqual([
      // Tenant discovery uses only the domain.
      ['client.called', 'Sync', 'GET /passport/admin/tools/tenantdiscovery?q=%40contoso.com'],
      ['client.called', 'Sync', `GET /passport/admin/orgs/${org.id}`],
      ['org.created', 'Sync', 'Contoso'],
      ['client.called', 'Sync', 'POST /passport/admin/orgs'],
    ])
  })

  test('reads only, with the scope for reading; the refused call is recorded too', async () => {
    const { clientId, call, token } = await createService('Report', 'passport.admin.read')
    expect((await call(users.listUsers, { query: {} })).items.length).toBeGreaterThan(0)
    await failsWith(call(createOrg, { body: { name: 'Fabrikam' } }), 403, 'scope-missing')
    const refused = await fetch(`${service.url}/passport/admin/orgs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="passport.admin"')
    const { items } = await ada.call(listAuditEntries, { query: { actor: `client:${clientId}` } })
    expect(items.map(({ after }) => after?.['call'])).toEqual([
      'POST /passport/admin/orgs',
      'POST /passport/admin/orgs',
      'GET /passport/admin/users',
    ])
  })

  test('reads every group with its members and owners, and changes none', async () => {
    const { clientId, call } = await createService('Groups')
    const group = await ada.call(groups.createGroup, { body: { name: 'Night crew', owners: [ada.id] } })
    const params = { groupId: group.id }
    expect((await call(groups.listGroups, { query: {} })).items).toContainEqual(
      expect.objectContaining({ id: group.id }),
    )
    expect((await call(groups.getGroup, { params: { id: group.id } })).name).toBe('Night crew')
    expect((await call(groups.listGroupOwners, { params, query: {} })).items).toHaveLength(1)
    expect((await call(groups.listGroupMembers, { params, query: {} })).total).toBe(0)
    const renamed = call(groups.putGroup, { params, body: { name: 'Day crew', description: '' } })
    await failsWith(renamed, 403, 'client-not-accepted')
    const { items } = await ada.call(listAuditEntries, { query: { actor: `client:${clientId}` } })
    expect(items.map(({ after }) => after?.['call'])).toContain(`GET /passport/groups/${group.id}`)
  })

  test('is refused with its next call once it is disabled, lost the scope or was deleted', async () => {
    const { clientId, call } = await createService('Leaving')
    const params = { clientId }
    const fields = await ada.call(api.getClient, { params })
    const list = () => call(users.listUsers, { query: { limit: 1 } })
    await list()
    await ada.call(api.putClient, { params, body: { ...fields, enabled: false } })
    await failsWith(list(), 401, 'token-invalid')
    await ada.call(api.putClient, { params, body: { ...fields, scopes: ['permissions.read'] } })
    await failsWith(list(), 403, 'scope-missing')
    await ada.call(api.putClient, { params, body: fields })
    await list()
    await ada.call(api.deleteClient, { params })
    await failsWith(list(), 401, 'token-invalid')
  })

  test.for([
    [
      'was deleted, when it is restored',
      async ({ clientId }: { clientId: string }) => {
        await ada.call(api.deleteClient, { params: { clientId } })
        await ada.call(api.restoreClient, { params: { clientId } })
      },
    ],
    [
      'was removed from the configuration, when another one has its client id',
      async ({ clientId }: { clientId: string }) => {
        await service.sql`update clients set source = 'configuration' where client_id = ${clientId}`
        await registerClients(service.sql, loadConfig({ PUBLIC_URL: service.url }))
        await ada.call(api.createClient, { body: { clientId, clientName: 'Another', scopes: ['passport.admin'] } })
      },
    ],
  ] as const)('that %s, gives nobody anything by the links that it had created', async ([name, replace]) => {
    const inviter = await createService(`Inviter that ${name}`.slice(0, 40))
    const org = await ada.call(createOrg, { body: { name: `Of the inviter that ${name}`.slice(0, 60) } })
    const { id, link = '' } = await inviter.call(invitations.createInvitation, {
      body: { email: 'eve@passport.example', orgId: org.id, orgRole: 'owner' },
    })
    await replace(inviter)
    const params = { id: new URL(link).pathname.split('/').at(-1) ?? '' }
    const eve = await service.as('eve')
    await failsWith(eve.call(acceptJoinInvitation, { params }), 410, 'join-revoked')
    expect((await eve.call(getCurrentUser, {})).orgs).toEqual([])
    const target = `invitation:${id}`
    const { items } = await ada.call(listAuditEntries, { query: { target, action: 'invitation.revoked' } } as never)
    expect(items).toHaveLength(1)
  })

  test('makes at most 600 calls a minute', async () => {
    const record = createCallRecorder(service.sql)
    const client = { clientId: 'busy', name: 'Busy', scopes: new Set(['passport.admin.read' as const]) }
    const visit = { ip: '127.0.0.1', userAgent: '', traceId: '', requestId: '', host: '' }
    const call = () => record(client, { method: 'GET', url: '/x' }, visit)
    await Promise.all(Array.from({ length: 600 }, call))
    await expect(call()).rejects.toMatchObject({ status: 429 })
  })

  test('undoes an import, but cannot apply one', async () => {
    const { call } = await createService('Importer')
    const { importId } = await call(imports.createUserImport, { body: 'email\nimported@example.com\n' })
    const params = { importId }
    await failsWith(call(imports.applyUserImport, { params }), 403, 'session-required')
    await ada.call(imports.applyUserImport, { params })
    const readState = async () => (await ada.call(imports.getUserImport, { params })).state
    await expect.poll(readState).toBe('applied')
    await call(imports.undoUserImport, { params })
    await expect.poll(readState).toBe('takenBack')
  })
})

describe('a scope for administration', () => {
  test.for<[string, object, string]>([
    ['a redirect URI', { redirectUris: ['https://shop.example/callback'] }, 'scopes'],
    ['the device flow', { deviceFlow: true }, 'scopes'],
    ['no secret', { confidential: false }, 'scopes'],
  ])('is not for an application with %s', async ([, fields, field]) => {
    const body = { clientName: 'Mixed', scopes: ['passport.admin.read' as const], ...fields }
    await expect(ada.call(api.createClient, { body })).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    })
  })

  test('is not for the token of a user, nor is the role of one', async () => {
    const token = await issueBearerToken(service, 'ada')
    await failsWith(callWith(token)(users.listUsers, { query: {} }), 403, 'bearer-not-accepted')
    const { error } = await requestToken('passport-device-test', null, 'passport.admin')
    expect(error).toBeDefined()
  })
})

describe("Passport's own roles are not given by an application", () => {
  test('to a new user, an invited one or several users', async () => {
    const { call } = await createService('Granter')
    const roles = ['Passport.Admin']
    const email = 'new@example.com'
    const calls = [
      () => call(users.createUser, { query: {}, body: { displayname: 'New', roles } }),
      () => call(invitations.createInvitation, { body: { email, roles } }),
      () => call(users.setUserRoles, { params: { userId: ada.id }, query: {}, body: { roles } }),
    ]
    for (const send of calls) await failsWith(send(), 403, 'session-required')
    expect((await call(invitations.createInvitation, { body: { email } })).id).toBeTruthy()
  })

  test('by enabling or restoring a user', async () => {
    const { call } = await createService('Restorer')
    const { id: userId } = await createUser('sleeper', ['Passport.Admin'])
    const [params, query] = [{ userId }, {}]
    await ada.call(users.disableUser, { params, query })
    await failsWith(call(users.enableUser, { params, query }), 403, 'role-not-yours-to-give')
    await ada.call(users.deleteUser, { params, query })
    await failsWith(call(users.restoreUser, { params, query, body: {} }), 403, 'role-not-yours-to-give')
    const { id: other } = await createUser('worker')
    await call(users.disableUser, { params: { userId: other }, query })
    expect((await call(users.enableUser, { params: { userId: other }, query })).disabled).toBe(false)
  })

  test('by an invitation to an account with such a role that nobody has used', async () => {
    const { call } = await createService('Inviter')
    await createUser('prepared', ['Passport.Admin'])
    const invite = call(invitations.createInvitation, { body: { email: 'prepared@example.com' } })
    await failsWith(invite, 403, 'role-not-yours-to-give')
  })

  test('by groups, which only users change', async () => {
    const { token, call } = await createService('Grouper')
    const group = await ada.call(groups.createGroup, { body: { name: 'Crew' } })
    const params = { groupId: group.id }
    await failsWith(
      call(groups.addGroupMembers, { params, query: {}, body: { members: [ada.id] } }),
      403,
      'client-not-accepted',
    )
    await failsWith(
      callWith(token)(groups.putGroupRoles, { params, query: {}, body: { roles: [] } }),
      403,
      'session-required',
    )
  })
})
