import { addGroupMembers, addGroupOwners, createGroup, deleteGroup, putGroupRoles } from '@passport/contract/groups'
import { listScimRequests } from '@passport/contract/scim'
import { deleteUser, disableUser, enableUser, lockDownUser, restoreUser, setUserRoles } from '@passport/contract/users'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'

let entra: EntraService
let client: TestClient
beforeAll(async () => {
  entra = await startEntraService({ tenants: [createTenant(1), createTenant(2)] })
  client = await createTestClient(entra, 'company-1.example')
  await entra.service.sql`insert into roles (name, description) values ('Stage.Editor', '')`
})

let serial = 0
const nextName = () => `user-${++serial}@company-1.example`
const provision = async (userName: string) => (await client.send('POST', 'Users', newUser(userName))).body.id
const setRoles = (userId: string, ...roles: string[]) =>
  entra.ada.call(setUserRoles, { params: { userId }, query: {}, body: { roles } } as never)
const remove = (userId: string) => entra.ada.call(deleteUser, { params: { userId }, query: {} } as never)
/** What a user may do by roles, as `role` or `owner of role`; empty for a disabled user. */
const powersOf = async (userId: string) => {
  const rows = await entra.service.sql<{ role: string; isOwner: boolean }[]>`
    select role, is_owner from role_powers where user_id = ${userId} and is_active order by role, is_owner`
  return rows.map(({ role, isOwner }) => (isOwner ? `owner of ${role}` : role))
}
const lastNotes = async () => {
  const { items } = await entra.ada.call(listScimRequests, { params: { orgId: client.orgId }, query: { limit: 1 } })
  return items[0]?.notes ?? []
}
async function addGroup(options: { roles?: string[]; orgId?: string }) {
  const { roles = [], orgId = null } = options
  const { id } = await entra.ada.call(createGroup, {
    body: { name: `Group ${++serial}`, description: '', orgId },
  } as never)
  if (roles.length > 0)
    await entra.ada.call(putGroupRoles, { params: { groupId: id }, query: {}, body: { roles } } as never)
  return id
}
const join = (endpoint: typeof addGroupMembers | typeof addGroupOwners, groupId: string, userId: string) =>
  entra.ada.call(
    endpoint as never,
    {
      params: { groupId },
      query: {},
      body: endpoint === addGroupMembers ? { members: [userId] } : { owners: [userId] },
    } as never,
  )

describe('a restore by a client', () => {
  test('brings a deleted administrator back without roles, and reports them', async () => {
    const userName = nextName()
    const id = await provision(userName)
    const [plain, withRole] = [await addGroup({}), await addGroup({ roles: ['Passport.Developer'] })]
    await setRoles(id, 'Passport.Admin', 'Stage.Editor')
    for (const group of [plain, withRole]) {
      await join(addGroupMembers, group, id)
      await join(addGroupOwners, group, id)
    }
    await entra.service.sql`update org_members set role = 'owner' where org_id = ${client.orgId} and user_id = ${id}`
    await remove(id)
    const restored = await client.send('POST', 'Users', newUser(userName))
    expect(restored).toMatchObject({ status: 201, body: { id, active: true } })
    expect(await powersOf(id)).toEqual([])
    const { sql } = entra.service
    expect(await sql`select group_id from group_members where user_id = ${id}`).toEqual([{ groupId: plain }])
    expect(await sql`select group_id from group_owners where user_id = ${id}`).toEqual([])
    expect(await sql`select role from org_members where user_id = ${id}`).toEqual([{ role: 'member' }])
    const left = expect.stringMatching(
      /^Not restored: roles \(Passport\.Admin, Stage\.Editor\); role in the organisation \(owner\); groups of others\./,
    )
    expect(await lastNotes()).toEqual(['The user was in the trash and was restored with the same id.', left])
    const [event] = await sql`
      select actor_id, before from audit_events where action = 'user.roles-left' and target_id = ${id}`
    expect(event).toMatchObject({
      actorId: `scim:${client.orgId}`,
      before: { roles: ['Passport.Admin', 'Stage.Editor'], orgRoles: ['owner'] },
    })
    const mails = await sql`select recipient from mails where kind = 'roles-left'`
    expect(mails.length).toBeGreaterThan(0)
  })

  test('brings back no groups of other organisations, names none of others, and audits all', async () => {
    const { sql } = entra.service
    const userName = nextName()
    const id = await provision(userName)
    await sql`insert into orgs (id, name, slug) values ('org-c', 'Rival', 'rival')`
    const added = {
      own: await addGroup({ orgId: client.orgId }),
      ownWithRole: await addGroup({ orgId: client.orgId, roles: ['Stage.Editor'] }),
      rival: await addGroup({ orgId: 'org-c' }),
      rivalInTrash: await addGroup({ orgId: 'org-c', roles: ['Stage.Editor'] }),
      ofNobody: await addGroup({ roles: ['Stage.Editor'] }),
    }
    const groupIds = Object.values(added)
    for (const group of groupIds) await join(addGroupMembers, group, id)
    for (const group of [added.own, added.rival]) await join(addGroupOwners, group, id)
    await entra.ada.call(deleteGroup, { params: { id: added.rivalInTrash }, query: {} } as never)
    await remove(id)
    await client.send('POST', 'Users', newUser(userName))
    expect(await sql`select group_id from group_members where user_id = ${id}`).toEqual([{ groupId: added.own }])
    expect(await sql`select group_id from group_owners where user_id = ${id}`).toEqual([])
    const names = new Map((await sql`select id, name from groups`).map((row) => [row['id'], row['name']]))
    const nameOf = (group: string) => names.get(group)
    const left = `groups with roles (${nameOf(added.ownWithRole)}); ownership of groups (${nameOf(added.own)}); groups of others`
    expect(await lastNotes()).toContain(`Not restored: ${left}. An administrator can give them again.`)
    const [event] = await sql`select before from audit_events where action = 'user.roles-left' and target_id = ${id}`
    expect(event).toMatchObject({
      before: {
        groups: [added.ownWithRole, added.rival, added.rivalInTrash, added.ofNobody].map(nameOf),
        ownerships: [added.own, added.rival].map(nameOf),
      },
    })
  })

  test('mails once a day for a user, and not what the groups of the client give', async () => {
    const { sql } = entra.service
    const [displayName, userName] = [`Editors ${++serial}`, nextName()]
    const id = await provision(userName)
    const group = (await client.send('POST', 'Groups', { displayName })).body.id
    const params = { groupId: group }
    await entra.ada.call(putGroupRoles, { params, query: {}, body: { roles: ['Stage.Editor'] } } as never)
    const countMails = async () => (await sql`select from mails where kind = 'roles-left'`).length
    const before = await countMails()
    const repeat = async () => {
      await client.send('PATCH', `Groups/${group}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }))
      expect((await client.send('DELETE', `Users/${id}`)).status).toBe(204)
      expect((await client.send('POST', 'Users', newUser(userName))).body.id).toBe(id)
    }
    await repeat()
    await repeat()
    expect(await countMails()).toBe(before)
    expect(await lastNotes()).toEqual(['The user was in the trash and was restored with the same id.'])
    const leaveRole = async () => {
      await setRoles(id, 'Stage.Editor')
      await remove(id)
      await client.send('POST', 'Users', newUser(userName))
      expect(await lastNotes()).toContainEqual(expect.stringContaining('roles (Stage.Editor)'))
    }
    await leaveRole()
    const after = await countMails()
    expect(after).toBeGreaterThan(before)
    await leaveRole()
    expect(await countMails()).toBe(after)
  })

  test('says nothing of roles for a user who had none', async () => {
    const userName = nextName()
    const id = await provision(userName)
    await remove(id)
    expect((await client.send('POST', 'Users', newUser(userName))).body.id).toBe(id)
    expect(await lastNotes()).toEqual(['The user was in the trash and was restored with the same id.'])
  })

  test('leaves a user who was locked down before the deletion disabled', async () => {
    const userName = nextName()
    const id = await provision(userName)
    await setRoles(id, 'Passport.Admin')
    await entra.ada.call(lockDownUser, { params: { userId: id }, query: {} } as never)
    await remove(id)
    expect((await client.send('POST', 'Users', newUser(userName))).body).toMatchObject({ id, active: false })
    expect(await powersOf(id)).toEqual([])
  })

  test('brings back no membership of other organisations, and names none to the client', async () => {
    const userName = nextName()
    const id = await provision(userName)
    const { sql } = entra.service
    await sql`insert into orgs (id, name, slug) values ('org-b', 'Other Customer', 'other-customer')`
    await sql`insert into org_members (org_id, user_id, role) values ('org-b', ${id}, 'owner')`
    await sql`update orgs set member_count = 1 where id = 'org-b'`
    await remove(id)
    await client.send('POST', 'Users', newUser(userName))
    expect(await sql`select org_id from org_members where user_id = ${id}`).toEqual([{ orgId: client.orgId }])
    expect((await lastNotes()).join(' ')).not.toContain('Other')
  })

  test('brings no user back whose membership had ended before an administrator deleted them', async () => {
    const { sql } = entra.service
    const userName = nextName()
    const id = await provision(userName)
    await setRoles(id, 'Stage.Editor')
    expect(await client.send('DELETE', `Users/${id}`)).toMatchObject({ status: 204 })
    await remove(id)
    const again = await client.send('POST', 'Users', newUser(userName))
    expect(again).toMatchObject({ status: 201, body: { userName, active: true } })
    expect(again.body.id).not.toBe(id)
    expect(await sql`select deleted_at is not null as is_deleted from users where id = ${id}`).toEqual([
      { isDeleted: true },
    ])
    await entra.ada.call(restoreUser, { params: { userId: id }, query: {}, body: { email: null } } as never)
    expect(await client.send('GET', `Users/${id}`)).toMatchObject({ status: 404 })
    const subject = guidOf(userName)
    expect(await sql`select user_id from logins where subject = ${subject}`).toEqual([{ userId: again.body.id }])
  })

  test.for(['PATCH', 'PUT'])('is no way back into a group from which a %s took a user in the trash', async (method) => {
    const [displayName, userName] = [`Editors ${++serial}`, nextName()]
    const [member, other] = [await provision(userName), await provision(nextName())]
    const members = [{ value: member }, { value: other }]
    const { id } = (await client.send('POST', 'Groups', { displayName, members })).body
    const plain = await addGroup({})
    await join(addGroupMembers, plain, member)
    const body = { roles: ['Stage.Editor'] }
    await entra.ada.call(putGroupRoles, { params: { groupId: id }, query: {}, body } as never)
    await remove(member)
    const change =
      method === 'PUT'
        ? { displayName, members: [{ value: other }] }
        : patch({ op: 'remove', path: `members[value eq "${member}"]` })
    expect((await client.send(method, `Groups/${id}`, change)).status).toBeLessThan(300)
    await entra.ada.call(restoreUser, { params: { userId: member }, query: {} } as never)
    expect(await powersOf(member)).toEqual([])
    const { sql } = entra.service
    expect(await sql`select group_id from group_members where user_id = ${member}`).toEqual([{ groupId: plain }])
    expect(await powersOf(other)).toEqual(['Stage.Editor'])
  })

  test('brings a deleted group back without roles', async () => {
    const [displayName, userName] = [`Editors ${++serial}`, nextName()]
    const member = await provision(userName)
    const group = { displayName, externalId: guidOf(displayName), members: [{ value: member }] }
    const { id } = (await client.send('POST', 'Groups', group)).body
    await entra.ada.call(putGroupRoles, {
      params: { groupId: id },
      query: {},
      body: { roles: ['Stage.Editor'] },
    } as never)
    expect(await powersOf(member)).toEqual(['Stage.Editor'])
    await entra.ada.call(deleteGroup, { params: { id }, query: {} } as never)
    expect((await client.send('POST', 'Groups', group)).body.id).toBe(id)
    expect(await powersOf(member)).toEqual([])
    expect(await lastNotes()).toEqual([
      'The group was in the trash and was restored with the same id.',
      expect.stringContaining('Not restored: roles (Stage.Editor).'),
    ])
  })
})

describe('a client', () => {
  const setActive = (id: string, value: boolean) =>
    client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value }))

  test('adds members to its group with a role that an administrator gave it', async () => {
    const [displayName, userName] = [`Editors ${++serial}`, nextName()]
    const member = await provision(userName)
    const { id } = (await client.send('POST', 'Groups', { displayName })).body
    await entra.ada.call(putGroupRoles, {
      params: { groupId: id },
      query: {},
      body: { roles: ['Stage.Editor'] },
    } as never)
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: member }] }))
    expect(await powersOf(member)).toEqual(['Stage.Editor'])
  })

  test.for([
    ['a role', (id: string) => setRoles(id, 'Passport.Admin')],
    [
      'a group of the organisation with a role of Passport',
      async (id: string) =>
        join(addGroupMembers, await addGroup({ roles: ['Passport.Admin'], orgId: client.orgId }), id),
    ],
    [
      'the ownership of a group with a role',
      async (id: string) => join(addGroupOwners, await addGroup({ roles: ['Passport.Admin'] }), id),
    ],
  ] as const)('enables no user who got %s while disabled', async ([, give]) => {
    const id = await provision(nextName())
    await setActive(id, false)
    await give(id)
    expect((await setActive(id, true)).body).toMatchObject({ active: false })
    expect(await powersOf(id)).toEqual([])
  })

  test('links no login to a user who has a role', async () => {
    const { externalId: _, ...withoutId } = newUser(nextName())
    const { id } = (await client.send('POST', 'Users', withoutId)).body
    await setRoles(id, 'Passport.Admin')
    const linked = await client.send(
      'PATCH',
      `Users/${id}`,
      patch({ op: 'add', path: 'externalId', value: guidOf('x') }),
    )
    expect(linked).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
    expect(await entra.service.sql`select from logins where user_id = ${id}`).toHaveLength(0)
  })

  test.for([
    ['disabled', disableUser],
    ['locked down', lockDownUser],
  ] as const)('cannot enable a user whom an administrator %s after the client had', async ([, endpoint]) => {
    const id = await provision(nextName())
    await setActive(id, false)
    await entra.ada.call(endpoint, { params: { userId: id }, query: {} } as never)
    expect((await setActive(id, true)).body).toMatchObject({ active: false })
    expect(await lastNotes()).toEqual(['The account stays disabled, because an administrator disabled it.'])
    const [event] = await entra.service.sql`
      select actor_id, action from audit_events where target_id = ${id} order by at desc, id desc limit 1`
    expect(event).toMatchObject({
      actorId: entra.ada.id,
      action: expect.stringMatching(/^user\.(disabled|locked-down)$/),
    })
  })

  test('cannot undo what an administrator did: enable, after a disable by hand', async () => {
    const id = await provision(nextName())
    await setRoles(id, 'Passport.Admin')
    await entra.ada.call(disableUser, { params: { userId: id }, query: {} } as never)
    expect((await setActive(id, true)).body).toMatchObject({ active: false })
    await entra.ada.call(enableUser, { params: { userId: id }, query: {} } as never)
    expect(await powersOf(id)).toEqual(['Passport.Admin'])
  })
})

describe('a deactivated user who comes back under another external id', () => {
  const setActive = (id: string, value: boolean) =>
    client.send('PATCH', `Users/${id}`, patch({ op: 'Replace', path: 'active', value }))
  /** Sends the user as a new object of the tenant. */
  const sendAgain = (userName: string, more = {}) =>
    client.send('POST', 'Users', newUser(userName, { externalId: guidOf(`again ${userName}`), ...more }))
  const loginsOf = async (id: string) =>
    (await entra.service.sql`select subject from logins where user_id = ${id}`).map((row) => row['subject'])

  test('has the same account, with the login of the new id and without roles', async () => {
    const { sql } = entra.service
    const userName = nextName()
    const id = await provision(userName)
    const [plain, withRole] = [
      await addGroup({ orgId: client.orgId }),
      await addGroup({ orgId: client.orgId, roles: ['Stage.Editor'] }),
    ]
    for (const group of [plain, withRole]) await join(addGroupMembers, group, id)
    await sql`update org_members set role = 'admin' where org_id = ${client.orgId} and user_id = ${id}`
    expect(await powersOf(id)).toEqual(['Stage.Editor'])
    expect(await sendAgain(userName)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    await setActive(id, false)
    const returned = await sendAgain(userName.toUpperCase(), { displayName: 'Back Again' })
    expect(returned).toMatchObject({ status: 201, body: { id, active: true, displayName: 'Back Again' } })
    expect(await powersOf(id)).toEqual([])
    expect(await sql`select group_id from group_members where user_id = ${id}`).toEqual([{ groupId: plain }])
    expect(await sql`select role from org_members where user_id = ${id}`).toEqual([{ role: 'member' }])
    expect(await loginsOf(id)).toEqual([returned.body['externalId']])
    const [account] = await sql`select display_name, email, disabled_at, deleted_at from users where id = ${id}`
    expect(account).toEqual({
      displayName: 'Back Again',
      email: userName.toUpperCase(),
      disabledAt: null,
      deletedAt: null,
    })
    expect(await lastNotes()).toEqual([
      'The user was deactivated and comes back with another externalId: the account is the same.',
      expect.stringMatching(/^Not restored: groups with roles \(Group \d+\); role in the organisation \(admin\)\./),
    ])
    const [event] = await sql`
      select actor_id, reason, before, after from audit_events where action = 'user.adopted' and target_id = ${id}`
    expect(event).toMatchObject({
      actorId: `scim:${client.orgId}`,
      reason: 'rehired',
      before: { externalId: guidOf(userName) },
      after: { externalId: returned.body['externalId'] },
    })
    expect(await sendAgain(userName)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
  })

  test('has another account if the former one has other logins, which the tenant must not reach', async () => {
    const userName = nextName()
    const id = await provision(userName)
    const login = { id: `own ${id}`, user_id: id, provider_id: 'local', issuer: 'own', subject: id, label: 'own' }
    await entra.service.sql`insert into logins ${entra.service.sql(login as never)}`
    await setActive(id, false)
    const returned = await sendAgain(userName)
    expect(returned.status).toBe(201)
    expect(returned.body.id).not.toBe(id)
    expect((await client.send('GET', `Users/${id}`)).status).toBe(404)
    expect(await loginsOf(id)).toEqual([id])
    expect(await loginsOf(returned.body.id)).toEqual([returned.body['externalId']])
  })

  test('stays disabled if an administrator disabled the account', async () => {
    const userName = nextName()
    const id = await provision(userName)
    await entra.ada.call(disableUser, { params: { userId: id }, query: {} } as never)
    await setActive(id, false)
    expect(await sendAgain(userName)).toMatchObject({ status: 201, body: { id, active: false } })
    expect(await lastNotes()).toContain('The account stays disabled, because an administrator disabled it.')
  })
})
