import { addGroupMembers, removeGroupMembers } from '@passport/contract/groups'
import { addOrgMembers } from '@passport/contract/orgs'
import { addRoleMembers, removeRoleMembers } from '@passport/contract/roles'
import * as api from '@passport/contract/users'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { recordAll } from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as store from './store.ts'

let service: TestService
let ada: Visitor
let max: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  max = await service.as('max')
})

let serial = 0
const noNames = { displayname: null, username: null, email: null, emailVerified: false }
/** Creates a user for one test. */
const createUser = (user: Partial<api.NewUser> = {}) =>
  ada.call(api.createUser, { query: {}, body: { displayname: `User ${++serial}`, ...user } })
const getUser = (userId: string) => ada.call(api.getUser, { params: { userId } })
const sendRaw = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  ada.fetch(`/passport/admin/users${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  })
const listEvents = (id: string) =>
  service.sql`select action, actor_id as actor, before, after from audit_events where target_id = ${id} order by id`

const allFields = {
  displayname: 'Zoë Ångström 🦊',
  username: 'zoe.a',
  email: 'Zoe@Example.com',
  emailVerified: true,
  roles: ['Passport.Admin', 'Passport.Developer'],
}

describe('a user', () => {
  test('is created with all fields and read back unchanged', async () => {
    const response = await sendRaw('POST', '', allFields)
    const created = (await response.json()) as api.User
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/passport/admin/users/${created.id}`)
    expect(created).toEqual({
      ...allFields,
      avatarPngUrl: null,
      id: expect.any(String),
      disabled: false,
      status: 'invited',
      effectiveRoles: allFields.roles,
      orgs: [],
      logins: [],
      createdAt: expect.any(String),
      updatedAt: created.createdAt,
      lastSignInAt: null,
      version: 2,
    })
    const read = await sendRaw('GET', `/${created.id}`)
    expect(read.headers.get('etag')).toBe('"2"')
    expect(await read.json()).toEqual(created)
    expect((await sendRaw('GET', `/${created.id}`, undefined, { 'if-none-match': '"2"' })).status).toBe(304)
    expect((await listEvents(created.id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['user.created', ada.id],
      ['role.granted', ada.id],
      ['role.granted', ada.id],
    ])
  })

  test('can have all fields updated, and the audit log records the change', async () => {
    const { id } = await createUser({ username: 'before.it', email: 'before@example.com', emailVerified: true })
    const changes = { displayname: 'After', username: 'after.it', email: 'after@example.com', emailVerified: false }
    const changed = await ada.call(api.updateUser, { params: { userId: id }, body: changes })
    expect(changed).toMatchObject({ ...changes, version: 2 })
    const cleared = await ada.call(api.updateUser, {
      params: { userId: id },
      body: { displayname: 'After', username: null, email: null, emailVerified: true },
    })
    expect(cleared).toMatchObject({ displayname: 'After', username: null, email: null, emailVerified: false })
    const [, first] = await listEvents(id)
    expect(first).toMatchObject({
      action: 'user.changed',
      before: { username: 'before.it', email: 'before@example.com', emailVerified: true },
      after: changes,
    })
  })

  test('is unchanged by a PUT with the body of a GET', async () => {
    const { id } = await createUser()
    // Values that an identity provider may set, but a request may not.
    await service.sql`update users set username = 'Not One Of Ours', email = 'no address' where id = ${id}`
    const read = await getUser(id)
    expect(await ada.call(api.updateUser, { params: { userId: id }, body: read })).toEqual(read)
  })

  test('cannot be updated or deleted with a stale version', async () => {
    const { id } = await createUser()
    const write = (name: string) => sendRaw('PUT', `/${id}`, { ...noNames, displayname: name }, { 'if-match': '"1"' })
    const responses = await Promise.all([write('left'), write('right')])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
    expect((await sendRaw('DELETE', `/${id}`, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await sendRaw('PUT', `/${id}/roles`, { roles: [] }, { 'if-match': '"1"' })).status).toBe(412)
  })

  const invalidBodies: [string, unknown, string, string][] = [
    ['no name', {}, 'displayname', 'invalid-request'],
    ['an empty name', { displayname: ' \t ' }, 'displayname', 'displayname-invalid'],
    ['a name with a bidi control', { displayname: 'a\u202eb' }, 'displayname', 'displayname-invalid'],
    ['a name over the length limit', { displayname: 'x'.repeat(65) }, 'displayname', 'displayname-invalid'],
    ['a number as a name', { displayname: 7 }, 'displayname', 'invalid-request'],
    ['a NUL', { displayname: 'a\0' }, 'displayname', 'invalid-request'],
    ['an invalid email', { displayname: 'A', email: 'nobody' }, 'email', 'email-invalid'],
    ['a username with a space', { displayname: 'A', username: 'a b' }, 'username', 'username-invalid'],
    ['a reserved username', { displayname: 'A', username: 'admin' }, 'username', 'username-invalid'],
    ['a role that is not a string', { displayname: 'A', roles: [1] }, 'roles[0]', 'invalid-request'],
    ['an unknown role', { displayname: 'A', roles: ['Passport.Nobody'] }, 'roles[0]', 'role-not-found'],
  ]
  test.for(invalidBodies)('with %s is rejected with an error for the field', async ([, body, field, code]) => {
    const response = await sendRaw('POST', '', body)
    expect(await response.json()).toMatchObject({ status: 400, code, errors: [{ field }] })
  })

  test('cannot be updated with values that are invalid for a new user', async () => {
    const { id } = await createUser()
    const body = { ...noNames, email: 'nobody', username: 'a b', displayname: 'a\u202eb' }
    const response = await sendRaw('PUT', `/${id}`, body)
    const { status, errors } = (await response.json()) as { status: number; errors: { field: string }[] }
    expect(status).toBe(400)
    expect(errors.map(({ field }) => field).sort()).toEqual(['displayname', 'email', 'username'])
  })

  test('keeps a released username reserved for 90 days', async () => {
    const { sql } = service
    const { id } = await createUser({ username: 'given.up' })
    const otherUser = await createUser({ displayname: 'Other' })
    const rename = (userId: string, username: string) => sendRaw('PUT', `/${userId}`, { ...noNames, username })
    const taken = { status: 409, code: 'username-taken', errors: [{ field: 'username' }] }
    expect((await rename(id, 'now.else')).status).toBe(200)
    expect(await (await rename(otherUser.id, 'Given.Up')).json()).toMatchObject(taken)
    expect(await (await sendRaw('POST', '', { displayname: 'New', username: 'given.up' })).json()).toMatchObject(taken)
    await ada.call(api.deleteUser, { query: {}, params: { userId: otherUser.id } })
    expect(await (await sendRaw('POST', `/${otherUser.id}/restore`, { username: 'given.up' })).json()).toMatchObject(
      taken,
    )
    expect((await sendRaw('POST', `/${otherUser.id}/restore`, {})).status).toBe(200)
    expect((await rename(id, 'given.up')).status).toBe(200)
    expect((await rename(id, 'now.else.2')).status).toBe(200)
    await sql`update released_usernames set released_at = now() - interval '91 days' where user_id = ${id}`
    expect((await rename(otherUser.id, 'given.up')).status).toBe(200)
  })

  test('has a unique username and email, ignoring case', async () => {
    const { id } = await createUser({ username: 'taken', email: 'taken@example.com' })
    const otherUser = await createUser()
    const conflicts: [object, string][] = [
      [{ displayname: 'A', username: 'TAKEN' }, 'username-taken'],
      [{ displayname: 'A', email: 'Taken@Example.com' }, 'email-taken'],
    ]
    for (const [body, code] of conflicts) {
      expect(await (await sendRaw('POST', '', body)).json()).toMatchObject({ status: 409, code })
      expect(await (await sendRaw('PUT', `/${otherUser.id}`, { ...noNames, ...body })).json()).toMatchObject({
        status: 409,
        code,
      })
    }
    const user = { ...(await getUser(id)), email: 'TAKEN@example.com' }
    const updated = await ada.call(api.updateUser, { params: { userId: id }, body: user })
    expect(updated.email).toBe('TAKEN@example.com')
  })

  test('is created only once by concurrent requests with the same email', async () => {
    const body = { displayname: 'Race', email: 'race@example.com' }
    const responses = await Promise.all(Array.from({ length: 8 }, () => sendRaw('POST', '', body)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })

  test.for(['GET', 'PUT', 'DELETE'])('that does not exist results in 404 for %s', async (method) => {
    const response = await sendRaw(method, '/nobody', method === 'PUT' ? noNames : undefined)
    expect(await response.json()).toMatchObject({ status: 404, code: 'user-not-found' })
  })
})

describe('a deleted user', () => {
  test('loses their roles and memberships, and regains them when restored', async () => {
    const { sql } = service
    const { id } = await createUser({
      username: 'leaving',
      email: 'leaving@example.com',
      roles: ['Passport.Developer'],
    })
    await sql`insert into orgs (id, name, slug, member_count) values ('o1', 'Contoso', 'contoso', 1)`
    await sql`insert into groups (id, name, member_count, owner_count) values ('g1', 'Crew', 1, 1)`
    await sql`insert into org_members (org_id, user_id, role) values ('o1', ${id}, 'admin')`
    await sql`insert into group_members (group_id, user_id) values ('g1', ${id})`
    await sql`insert into group_owners (group_id, user_id) values ('g1', ${id})`
    const before = await getUser(id)
    expect(before.orgs).toEqual([{ id: 'o1', name: 'Contoso', role: 'admin' }])

    await ada.call(api.deleteUser, { query: {}, params: { userId: id } })
    expect((await sendRaw('GET', `/${id}`)).status).toBe(404)
    expect(await sql`select from group_members where user_id = ${id}`).toHaveLength(0)
    const newOwner = await createUser({ username: 'leaving' })
    const rejected = await sendRaw('POST', `/${id}/restore`, {})
    expect(await rejected.json()).toMatchObject({ status: 409, code: 'username-taken' })
    await ada.call(api.deleteUser, { query: {}, params: { userId: newOwner.id } })

    const restored = await ada.call(api.restoreUser, { query: {}, params: { userId: id }, body: {} })
    expect(restored).toEqual({ ...before, version: expect.any(Number), updatedAt: expect.any(String) })
    const [counts] = await sql`select member_count, owner_count from groups where id = 'g1'`
    expect(counts).toEqual({ memberCount: 1, ownerCount: 1 })
    const events = (await listEvents(id)).slice(-2)
    expect(events.map(({ action }) => action)).toEqual(['user.deleted', 'user.restored'])
    expect(events[0]?.['before']).toMatchObject({ groups: ['g1'], orgs: [expect.any(String)] })
  })

  test('can be restored with another username if the old one is taken, but not after 30 days', async () => {
    const { id } = await createUser({ username: 'renamed', email: 'renamed@example.com' })
    await ada.call(api.deleteUser, { query: {}, params: { userId: id } })
    await createUser({ username: 'renamed', email: 'renamed@example.com' })
    const body = { username: 'renamed.2', email: null }
    expect(await ada.call(api.restoreUser, { query: {}, params: { userId: id }, body })).toMatchObject(body)

    await ada.call(api.deleteUser, { query: {}, params: { userId: id } })
    await service.sql`update users set deleted_at = now() - interval '31 days' where id = ${id}`
    expect(await (await sendRaw('POST', `/${id}/restore`, {})).json()).toMatchObject({
      status: 410,
      code: 'restore-expired',
    })
    expect((await sendRaw('POST', '/nobody/restore', {})).status).toBe(404)
  })
})

describe('the organisation that vouched for the email of a user', () => {
  const findVoucher = async (id: string) =>
    (await service.sql`select email_verified, email_verified_by from users where id = ${id}`)[0]
  const addVouched = async (name: string) => {
    const email = `${name}@vouched.example`
    const { id } = await createUser({ username: name, email, emailVerified: true })
    await service.sql`update users set email_verified_by = 'voucher' where id = ${id}`
    return { id, fields: { displayname: 'Vouched', username: name, email, emailVerified: true } }
  }
  const isVouched = { emailVerified: true, emailVerifiedBy: 'voucher' }

  test('stays when other fields or only the case of the email change, and after a restore', async () => {
    const { id, fields } = await addVouched('vouched.1')
    const params = { userId: id }
    const body = { ...fields, displayname: 'Renamed', email: fields.email.toUpperCase() }
    await ada.call(api.updateUser, { params, body })
    expect(await findVoucher(id)).toEqual(isVouched)
    await ada.call(api.deleteUser, { query: {}, params })
    await ada.call(api.restoreUser, { query: {}, params, body: {} })
    expect(await findVoucher(id)).toEqual(isVouched)
    const exported = await (await ada.fetch('/passport/admin/users/export?query=vouched.1')).text()
    expect(exported).toContain(',voucher,')
  })

  test('ends with a new email, with the verification, and with a restore with another email', async () => {
    const { id, fields } = await addVouched('vouched.2')
    const params = { userId: id }
    await ada.call(api.updateUser, { params, body: { ...fields, email: 'stated@vouched.example' } })
    expect(await findVoucher(id)).toEqual({ emailVerified: true, emailVerifiedBy: null })
    await service.sql`update users set email_verified_by = 'voucher' where id = ${id}`
    await ada.call(api.updateUser, {
      params,
      body: { ...fields, email: 'stated@vouched.example', emailVerified: false },
    })
    expect(await findVoucher(id)).toEqual({ emailVerified: false, emailVerifiedBy: null })
    const other = await addVouched('vouched.3')
    await ada.call(api.deleteUser, { query: {}, params: { userId: other.id } })
    const body = { email: 'restored@vouched.example' }
    await ada.call(api.restoreUser, { query: {}, params: { userId: other.id }, body })
    expect(await findVoucher(other.id)).toEqual({ emailVerified: false, emailVerifiedBy: null })
  })
})

test('a username claimed by a concurrent transaction is not saved', async () => {
  const { id } = await createUser({ email: 'slower@example.com' })
  const user = {
    username: 'just.got',
    displayName: 'Slower',
    email: 'slower@example.com',
    emailVerified: false,
    emailVerifiedBy: null,
  }
  const { sql } = service
  const writes = await sql.begin(async (faster) => {
    await faster`insert into users (id, username) values ('faster', 'just.got')`
    // The save waits for the other transaction, and then sees its row.
    const save = transaction(sql, (sql) => store.save(sql, id, user))
    return { save, completion: transaction(sql, (sql) => store.completePrepared(sql, id, user)) }
  })
  expect([await writes.save, await writes.completion]).toEqual([false, undefined])
  expect(await getUser(id)).toMatchObject({ username: null })
})

describe('the version of a user', () => {
  test('changes with each role, group and organisation that the user gains or loses', async () => {
    const { id } = await createUser()
    const [orgId, groupId] = [`org-of-${id}`, `group-of-${id}`]
    await service.sql`insert into orgs (id, name, slug) values (${orgId}, ${orgId}, ${orgId})`
    await service.sql`insert into groups (id, name) values (${groupId}, ${groupId})`
    await service.sql`insert into group_roles (group_id, role) values (${groupId}, 'Passport.Admin')`
    const membership = { query: {}, body: { members: [id] } }
    const role = { ...membership, params: { name: 'Passport.Developer' } }
    const versions = [(await getUser(id)).version]
    for (const change of [
      () => ada.call(addRoleMembers, role),
      () => ada.call(removeRoleMembers, role),
      () => ada.call(addGroupMembers, { ...membership, params: { groupId } }),
      () => ada.call(removeGroupMembers, { ...membership, params: { groupId } }),
      () => ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [id], role: 'owner' } }),
    ]) {
      await change()
      versions.push((await getUser(id)).version)
    }
    expect(versions).toEqual([1, 2, 3, 4, 5, 6])
    const stale = await sendRaw('PUT', `/${id}/roles`, { roles: [] }, { 'if-match': '"1"' })
    expect(stale.status).toBe(412)
  })
})

describe('the roles of a user', () => {
  test('are replaced as a set, and a preview changes nothing', async () => {
    const { id } = await createUser({ displayname: 'Role Holder', roles: ['Passport.Developer'] })
    const path = `/${id}/roles`
    const preview = await sendRaw('PUT', `${path}?preview=true`, { roles: ['Passport.Admin'] })
    expect(await preview.json()).toEqual({
      gains: [{ role: 'Passport.Admin', people: 1, sample: [{ id, name: 'Role Holder' }] }],
      loses: [{ role: 'Passport.Developer', people: 1, sample: [{ id, name: 'Role Holder' }] }],
    })
    expect((await getUser(id)).roles).toEqual(['Passport.Developer'])
    const changed = await ada.call(api.setUserRoles, {
      query: {},
      params: { userId: id },
      body: { roles: ['Passport.Admin'] },
    })
    expect(changed).toMatchObject({ roles: ['Passport.Admin'], version: 3 })
    expect((await listEvents(id)).map(({ action }) => action).slice(-2)).toEqual(['role.granted', 'role.taken'])
    const unknown = await sendRaw('PUT', path, { roles: ['Passport.Admin', 'X'] })
    expect(await unknown.json()).toMatchObject({ code: 'role-not-found', errors: [{ field: 'roles[1]' }] })
    expect((await sendRaw('PUT', path, { roles: [], more: 1 })).status).toBe(400)
  })

  test('are returned with their sources and dates', async () => {
    const { sql } = service
    const { id } = await createUser({ roles: ['Passport.Developer'] })
    await sql`insert into groups (id, name) values ('g2', 'Makers')`
    await sql`insert into group_roles (group_id, role) values ('g2', 'Passport.Developer'), ('g2', 'Passport.Admin')`
    await sql`insert into group_members (group_id, user_id) values ('g2', ${id})`
    await sql`insert into orgs (id, name, slug) values ('o2', 'Fabrikam', 'fabrikam')`
    await sql`insert into org_members (org_id, user_id, role) values ('o2', ${id}, 'owner')`
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const byGroup = { kind: 'group', since, group: { id: 'g2', name: 'Makers' } }
    expect(await ada.call(api.getUserAccess, { params: { userId: id } })).toEqual({
      roles: [
        { name: 'Passport.Admin', sources: [byGroup] },
        {
          name: 'Passport.Developer',
          sources: [{ kind: 'direct', since, by: { id: ada.id, name: 'Ada Lovelace' } }, byGroup],
        },
      ],
      groups: [
        {
          id: 'g2',
          name: 'Makers',
          memberSince: since,
          ownerSince: null,
          roles: ['Passport.Admin', 'Passport.Developer'],
        },
      ],
      orgs: [{ id: 'o2', name: 'Fabrikam', role: 'owner', since }],
    })
    expect((await sendRaw('GET', '/nobody/access')).status).toBe(404)
  })

  test('are returned to the user without the granting administrator', async () => {
    const { sql } = service
    const dev = await service.as('dev')
    await sql`insert into groups (id, name) values ('g3', 'Keepers')`
    await sql`insert into group_roles (group_id, role) values ('g3', 'Passport.Developer')`
    await sql`insert into group_members (group_id, user_id) values ('g3', ${dev.id})`
    await sql`update role_members set granted_by = ${ada.id} where user_id = ${dev.id}`
    const ownAccess = await dev.call(api.getOwnAccess, {})
    const access = await ada.call(api.getUserAccess, { params: { userId: dev.id } })
    const [role] = ownAccess.roles
    expect(role).toEqual({
      name: 'Passport.Developer',
      sources: [
        { kind: 'direct', since: expect.any(String), by: null },
        { kind: 'group', since: expect.any(String), group: { id: 'g3', name: 'Keepers' } },
      ],
    })
    expect(access.roles[0]?.sources[0]).toMatchObject({ by: { id: ada.id } })
    expect({ ...ownAccess, roles: [] }).toEqual({ ...access, roles: [] })
    await sql`delete from groups where id = 'g3'`
  })
})

describe('administrators', () => {
  const actions = ['disable', 'lockdown'].map((action) => ['POST', `/actions/${action}`] as const)
  test.for([...actions, ['DELETE', ''] as const])(
    'cannot lock themselves out without confirmation: %s%s',
    async ([method, path]) => {
      const response = await max.fetch(`/passport/admin/users/${max.id}${path}`, { method })
      expect(await response.json()).toMatchObject({ status: 409, code: 'self-demotion' })
      expect((await getUser(max.id)).status).toBe('active')
    },
  )

  test('cannot remove the last administrator', async () => {
    const otherService = await startTestService()
    const [max, ada] = await Promise.all([otherService.as('max'), otherService.as('ada')])
    await ada.call(api.setUserRoles, { query: {}, params: { userId: max.id }, body: { roles: [] } })
    const userPath = `/passport/admin/users/${ada.id}`
    for (const [method, path] of [...actions, ['DELETE', ''] as const]) {
      const response = await ada.fetch(`${userPath}${path}?confirmSelfDemotion=true`, { method })
      expect(await response.json()).toMatchObject({ status: 409, code: 'last-admin' })
    }
    // An administrator who has never signed in does not count.
    await ada.call(api.createUser, { query: {}, body: { displayname: 'Not yet', roles: ['Passport.Admin'] } })
    const roles = await ada.fetch(`${userPath}/roles?confirmSelfDemotion=true`, {
      method: 'PUT',
      body: '{"roles":[]}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await roles.json()).toMatchObject({ status: 409, code: 'last-admin' })
  })

  test('can unlink every login of another user, but not their own last login', async () => {
    const { id } = await createUser()
    const identity = { providerId: 'local', issuer: 'urn:x', subject: 'sub-1', label: 'someone' }
    const loginId = (await linkLogin(service.sql, id, identity)) ?? ''
    expect(await ada.call(api.listUserLogins, { params: { userId: id } })).toEqual([
      {
        id: loginId,
        provider: { id: 'local', name: expect.any(String) },
        externalId: 'sub-1',
        label: 'someone',
        linkedAt: expect.any(String),
        lastUsedAt: null,
      },
    ])
    await ada.call(api.unlinkUserLogin, { params: { userId: id, loginId } })
    expect((await getUser(id)).logins).toEqual([])
    expect((await sendRaw('DELETE', `/${id}/logins/${loginId}`)).status).toBe(404)
    const [ownLogin] = (await getUser(ada.id)).logins
    const response = await sendRaw('DELETE', `/${ada.id}/logins/${ownLogin?.id}`)
    expect(await response.json()).toMatchObject({ status: 409, code: 'last-login' })
  })

  test('can list the sessions of a user and revoke one of them', async () => {
    const eve = await service.as('eve')
    const listed = await ada.call(api.listUserSessions, { params: { userId: eve.id } })
    expect(listed[0]).toMatchObject({ idp: 'local', ip: '127.0.0.1' })
    await ada.call(api.revokeUserSession, { params: { userId: eve.id, sessionId: listed[0]?.id ?? '' }, query: {} })
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
    expect((await listEvents(eve.id)).at(-1)).toMatchObject({ action: 'session.revoked', actor: ada.id })
    expect((await sendRaw('DELETE', `/${eve.id}/sessions/nothing`)).status).toBe(404)
  })

  test('can get the daily sign-in counts of a user for the last 90 days', async () => {
    const { id } = await createUser()
    await recordAll(service.sql, [
      { action: 'signin.succeeded', actorId: id, target: { kind: 'user', id } },
      { action: 'directory.password-refused', target: { kind: 'user', id } },
      { action: 'directory.locked', target: { kind: 'user', id } },
      { action: 'user.changed', actorId: ada.id, target: { kind: 'user', id } },
      { action: 'signin.succeeded', actorId: ada.id, target: { kind: 'user', id: ada.id } },
    ])
    for (const daysAgo of [89, 90])
      await service.sql`
        insert into audit_events (id, at, action, actor_id, target_kind, target_id)
        values (${`${id}-${daysAgo}`}, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => ${daysAgo}),
          'signin.succeeded', ${id}, 'user', ${id})`
    const { days } = await ada.call(api.countUserSignIns, { params: { userId: id } })
    const dateDaysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 90 }, (_, index) => dateDaysAgo(89 - index)))
    expect(days.filter(({ succeeded, failed }) => succeeded + failed > 0)).toEqual([
      { day: dateDaysAgo(89), succeeded: 1, failed: 0 },
      { day: dateDaysAgo(0), succeeded: 1, failed: 2 },
    ])
    expect((await sendRaw('GET', '/nobody/signins')).status).toBe(404)
  })

  test('can reset passwords only for users of the built-in directory', async () => {
    const eve = await service.as('eve')
    const { name, password } = await ada.call(api.resetUserPassword, { params: { userId: eve.id } })
    expect([name, password.length > 15]).toEqual(['eve', true])
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
    const { id } = await createUser()
    expect(await (await sendRaw('POST', `/${id}/actions/reset`)).json()).toMatchObject({
      status: 409,
      code: 'nothing-to-reset',
    })
  })
})
