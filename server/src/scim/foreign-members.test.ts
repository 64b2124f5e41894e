import { createInvitation } from '@passport/contract/invitations'
import { acceptJoinInvitation, createJoinLink } from '@passport/contract/join'
import * as api from '@passport/contract/orgs'
import { previewScimDeletion } from '@passport/contract/scim'
import { deleteUser, restoreUser } from '@passport/contract/users'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { toProviderId } from '../entra/find-upstream.ts'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { replaceToken } from '../invitations/test-invitation.ts'
import type { Visitor } from '../test-service.ts'
import { startTestSession } from '../test-session.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'

// Anybody's account can be added to an organisation by its id. Only if its user or an administrator agrees, the account is
// no longer that of the organisation alone whose client created it.

let entra: EntraService
let client: TestClient
/** Owns and administers the organisation of others. */
let owner: Visitor
let admin: Visitor
let params: { orgId: string }
beforeAll(async () => {
  entra = await startEntraService({ tenants: [createTenant(1)] })
  client = await createTestClient(entra, 'company-1.example')
  owner = await entra.service.as('dev')
  admin = await entra.service.as('eve')
  const { id } = await entra.ada.call(api.createOrg, { body: { name: 'Others' } })
  params = { orgId: id }
  await add(entra.ada, owner.id, 'owner')
  await add(entra.ada, admin.id, 'admin')
})

let serial = 0
async function provision() {
  const userName = `user-${++serial}@company-1.example`
  return (await client.send('POST', 'Users', newUser(userName))).body.id
}
async function add(visitor: Visitor, userId: string, role: api.OrgRole = 'member') {
  const endpoint = visitor === entra.ada ? api.addOrgMembers : api.addOwnOrgMembers
  return visitor.call(endpoint, { params, query: {}, body: { members: [userId], role } })
}
const remove = (visitor: Visitor, userId: string) =>
  visitor.call(api.removeOwnOrgMembers, { params, query: {}, body: { members: [userId] } })
const setRole = (visitor: Visitor, userId: string, role: api.OrgRole) =>
  visitor.call(visitor === entra.ada ? api.putOrgMember : api.putOwnOrgMember, {
    params: { ...params, userId },
    query: {},
    body: { role },
  })

/** Calls with a session of a provisioned user. */
async function callAs(userId: string, path: string) {
  const { sql, services, url } = entra.service
  const [login] = await sql<[{ id: string }]>`select id from logins where user_id = ${userId}`
  const token = await startTestSession(sql, { userId, loginId: login.id })
  const headers = { cookie: `${services.http.sessionCookie}=${token}`, 'sec-fetch-site': 'same-origin' }
  const response = await fetch(url + path, { method: 'POST', headers })
  return { status: response.status, body: await response.json() }
}
async function acceptLink(userId: string) {
  const body = { kind: 'org' as const, targetId: params.orgId }
  const { url } = await owner.call(createJoinLink, { body })
  return callAs(userId, acceptJoinInvitation.path.replace('{id}', url.split('/').at(-1) ?? ''))
}
async function acceptInvitation(userId: string) {
  const [user] = await entra.service.sql<[{ email: string }]>`select email from users where id = ${userId}`
  const { id } = await entra.ada.call(createInvitation, { body: { email: user.email, orgId: params.orgId } } as never)
  const token = await replaceToken(entra.service.sql, id)
  return callAs(userId, acceptJoinInvitation.path.replace('{id}', token))
}

async function readReasons(userId: string) {
  const preview = await entra.ada.call(previewScimDeletion, { params: { orgId: client.orgId }, query: { userId } })
  return preview.reasons
}
/** Deactivates a user by the client; returns whether the account is disabled, and whether its login has ended. */
async function deactivate(userId: string) {
  await client.send('PATCH', `Users/${userId}`, patch({ op: 'replace', path: 'active', value: false }))
  const [user] = await entra.service.sql<[{ isDisabled: boolean; hasLogin: boolean }]>`
    select u.disabled_at is not null as is_disabled, exists (select from logins l where l.user_id = u.id) as has_login
    from users u where u.id = ${userId}`
  return user
}

describe('a membership to which only others agreed', () => {
  test.for<[string, (userId: string) => Promise<unknown>]>([
    ['by an owner', (id) => add(owner, id)],
    ['by an admin', (id) => add(admin, id)],
    ['as an owner', (id) => add(owner, id, 'owner')],
    [
      'by an owner who changes the role',
      async (id) => {
        await add(owner, id)
        await setRole(owner, id, 'owner')
      },
    ],
    [
      'by an owner after an administrator removed the user',
      async (id) => {
        await add(entra.ada, id)
        await remove(entra.ada, id)
        await add(owner, id)
      },
    ],
    [
      'by an owner before the user was in the trash',
      async (userId) => {
        await add(owner, userId)
        await entra.ada.call(deleteUser, { params: { userId }, query: {} } as never)
        await entra.ada.call(restoreUser, { params: { userId }, query: {}, body: {} })
      },
    ],
  ])('does not keep a client from disabling the account: %s', async ([, join]) => {
    const id = await provision()
    await join(id)
    const members = await owner.call(api.listOwnOrgMembers, { params, query: { limit: 200 } })
    expect(members.items.map((member) => member.id)).toContain(id)
    expect(await readReasons(id)).toEqual([])
    expect(await deactivate(id)).toEqual({ isDisabled: true, hasLogin: true })
  })

  test('does not keep a client from deleting the account, nor from linking its login', async () => {
    const userName = `user-${++serial}@company-1.example`
    const { externalId, ...withoutLogin } = newUser(userName)
    const { id } = (await client.send('POST', 'Users', withoutLogin)).body
    await add(owner, id)
    const link = await client.send('PATCH', `Users/${id}`, patch({ op: 'add', path: 'externalId', value: externalId }))
    expect(link.status).toBe(200)
    expect((await client.send('DELETE', `Users/${id}`)).status).toBe(204)
    const [user] = await entra.service.sql`select deleted_at is not null as is_deleted from users where id = ${id}`
    expect(user).toEqual({ isDeleted: true })
  })
})

describe('a membership to which the user or an administrator agreed', () => {
  test.for<[string, (userId: string) => Promise<unknown>]>([
    ['by an administrator', (id) => add(entra.ada, id)],
    ['by a join link', acceptLink],
    ['by an invitation', acceptInvitation],
    [
      'by a join link after an owner added the user',
      async (id) => {
        await add(owner, id)
        expect(await acceptLink(id)).toMatchObject({ status: 200, body: { joined: false } })
      },
    ],
    [
      'by an invitation after an owner added the user',
      async (id) => {
        await add(owner, id)
        expect(await acceptInvitation(id)).toMatchObject({ status: 200 })
      },
    ],
    [
      'by an administrator after an owner added the user',
      async (id) => {
        await add(owner, id)
        expect(await add(entra.ada, id)).toMatchObject({ changed: [], unchanged: [id] })
      },
    ],
    [
      'by an administrator who changes the role',
      async (id) => {
        await add(owner, id)
        await setRole(entra.ada, id, 'admin')
      },
    ],
    [
      'before the user was in the trash',
      async (userId) => {
        await acceptLink(userId)
        await entra.ada.call(deleteUser, { params: { userId }, query: {} } as never)
        await entra.ada.call(restoreUser, { params: { userId }, query: {}, body: {} })
      },
    ],
  ])('keeps the account from the client: %s', async ([, join]) => {
    const id = await provision()
    await join(id)
    expect(await readReasons(id)).toEqual(['other-org'])
    expect(await deactivate(id)).toEqual({ isDisabled: false, hasLogin: false })
  })

  test.for([
    ['by an administrator', true],
    ['by an owner alone', false],
  ] as const)('counts for a user whom a client brings back from the trash: added %s', async ([, isAgreed]) => {
    const userName = `user-${++serial}@company-1.example`
    const { sql } = entra.service
    await sql`insert into users (id, email, activated_at) values (${userName}, ${userName}, now())`
    const issuer = toProviderId(client.tenantId)
    await linkLogin(sql, userName, { providerId: issuer, issuer, subject: guidOf(userName), label: userName })
    await add(isAgreed ? entra.ada : owner, userName)
    await entra.ada.call(deleteUser, { params: { userId: userName }, query: {} } as never)
    expect(await client.send('POST', 'Users', newUser(userName))).toMatchObject({ status: 201, body: { id: userName } })
    expect(await readReasons(userName)).toEqual(isAgreed ? ['adopted'] : [])
  })

  test('is audited', async () => {
    const id = await provision()
    await add(owner, id)
    await acceptLink(id)
    const events = await entra.service.sql`
      select action, actor_id, after from audit_events
      where target_id = ${params.orgId} and (after ->> 'member' = ${id} or after -> 'members' ? ${id}) order by id`
    expect(events).toEqual([
      { action: 'org.member-added', actorId: owner.id, after: { members: [id], role: 'member' } },
      {
        action: 'join-link.accepted',
        actorId: id,
        after: { joinLink: expect.any(String), member: id, accepted: true },
      },
    ])
  })
})
