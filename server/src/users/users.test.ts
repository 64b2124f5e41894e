import { addMembers, removeMembers } from '@passport/contract/groups'
import { addOrgMembers } from '@passport/contract/orgs'
import { addRoleMembers, removeRoleMembers } from '@passport/contract/roles'
import * as api from '@passport/contract/users'
import { beforeAll, describe, expect, test } from 'vitest'
import * as accounts from '../accounts/store.ts'
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
/** Someone new, whom no other test knows. */
const add = (user: Partial<api.NewUser> = {}) =>
  ada.call(api.createUser, { query: {}, body: { displayname: `Person ${++serial}`, ...user } })
const get = (userId: string) => ada.call(api.getUser, { params: { userId } })
const raw = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  ada.fetch(`/passport/admin/users${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  })
const eventsOf = (id: string) =>
  service.sql`select action, actor_id as actor, before, after from audit_events where target_id = ${id} order by id`

const full = {
  displayname: 'Zoë Ångström 🦊',
  username: 'zoe.a',
  email: 'Zoe@Example.com',
  emailVerified: true,
  roles: ['Passport.Admin', 'Passport.Developer'],
}

describe('a person', () => {
  test('is read back with every field as it was sent', async () => {
    const response = await raw('POST', '', full)
    const created = (await response.json()) as api.User
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/passport/admin/users/${created.id}`)
    expect(created).toEqual({
      ...full,
      id: expect.any(String),
      disabled: false,
      status: 'invited',
      effectiveRoles: full.roles,
      orgs: [],
      logins: [],
      createdAt: expect.any(String),
      updatedAt: created.createdAt,
      lastSignInAt: null,
      version: 2,
    })
    const read = await raw('GET', `/${created.id}`)
    expect(read.headers.get('etag')).toBe('"2"')
    expect(await read.json()).toEqual(created)
    expect((await raw('GET', `/${created.id}`, undefined, { 'if-none-match': '"2"' })).status).toBe(304)
    expect((await eventsOf(created.id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['user.created', ada.id],
      ['role.granted', ada.id],
      ['role.granted', ada.id],
    ])
  })

  test('is changed in every field, and told so', async () => {
    const { id } = await add({ username: 'before.it', email: 'before@example.com', emailVerified: true })
    const wanted = { displayname: 'After', username: 'after.it', email: 'after@example.com' }
    const changed = await ada.call(api.updateUser, { params: { userId: id }, body: wanted })
    expect(changed).toMatchObject({ ...wanted, emailVerified: false, version: 2 })
    const emptied = await ada.call(api.updateUser, {
      params: { userId: id },
      body: { username: null, email: null, emailVerified: true },
    })
    expect(emptied).toMatchObject({ displayname: 'After', username: null, email: null, emailVerified: false })
    const [, first] = await eventsOf(id)
    expect(first).toMatchObject({
      action: 'user.changed',
      before: { username: 'before.it', email: 'before@example.com', emailVerified: true },
      after: { ...wanted, emailVerified: false },
    })
  })

  test('that is sent back as it was read has not changed', async () => {
    const { id } = await add()
    // What an identity provider once told.
    await service.sql`update users set username = 'Not One Of Ours', email = 'no address' where id = ${id}`
    const read = await get(id)
    expect(await ada.call(api.updateUser, { params: { userId: id }, body: read })).toEqual(read)
  })

  test('of an older version is not changed', async () => {
    const { id } = await add()
    const write = (name: string) => raw('PUT', `/${id}`, { displayname: name }, { 'if-match': '"1"' })
    const answers = await Promise.all([write('left'), write('right')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
    expect((await raw('DELETE', `/${id}`, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await raw('PUT', `/${id}/roles`, { roles: [] }, { 'if-match': '"1"' })).status).toBe(412)
  })

  const bad: [string, unknown, string, string][] = [
    ['no name', {}, 'displayname', 'invalid-request'],
    ['an empty name', { displayname: ' \t ' }, 'displayname', 'displayname-invalid'],
    ['a name that turns text around', { displayname: 'a\u202eb' }, 'displayname', 'displayname-invalid'],
    ['a name that is too long', { displayname: 'x'.repeat(65) }, 'displayname', 'displayname-invalid'],
    ['a number for a name', { displayname: 7 }, 'displayname', 'invalid-request'],
    ['a NUL', { displayname: 'a\0' }, 'displayname', 'invalid-request'],
    ['no address', { displayname: 'A', email: 'nobody' }, 'email', 'email-invalid'],
    ['a username with a blank', { displayname: 'A', username: 'a b' }, 'username', 'username-invalid'],
    ['a reserved username', { displayname: 'A', username: 'admin' }, 'username', 'username-invalid'],
    ['a role that is no text', { displayname: 'A', roles: [1] }, 'roles[0]', 'invalid-request'],
    ['a role that there is not', { displayname: 'A', roles: ['Passport.Nobody'] }, 'roles[0]', 'role-not-found'],
  ]
  test.for(bad)('with %s is refused by field', async ([, body, field, code]) => {
    const response = await raw('POST', '', body)
    expect(await response.json()).toMatchObject({ status: 400, code, errors: [{ field }] })
  })

  test('is changed to nothing that no new one could have', async () => {
    const { id } = await add()
    const response = await raw('PUT', `/${id}`, { email: 'nobody', username: 'a b', displayname: 'a\u202eb' })
    const { status, errors } = (await response.json()) as { status: number; errors: { field: string }[] }
    expect(status).toBe(400)
    expect(errors.map(({ field }) => field).sort()).toEqual(['displayname', 'email', 'username'])
  })

  test('gives a username up for 90 days to nobody but themselves, whoever asks', async () => {
    const { sql } = service
    const { id } = await add({ username: 'given.up' })
    const other = await add({ displayname: 'Other' })
    const name = (userId: string, username: string) => raw('PUT', `/${userId}`, { username })
    const taken = { status: 409, code: 'username-taken', errors: [{ field: 'username' }] }
    expect((await name(id, 'now.else')).status).toBe(200)
    expect(await (await name(other.id, 'Given.Up')).json()).toMatchObject(taken)
    expect(await (await raw('POST', '', { displayname: 'New', username: 'given.up' })).json()).toMatchObject(taken)
    await ada.call(api.deleteUser, { query: {}, params: { userId: other.id } })
    expect(await (await raw('POST', `/${other.id}/restore`, { username: 'given.up' })).json()).toMatchObject(taken)
    expect((await raw('POST', `/${other.id}/restore`, {})).status).toBe(200)
    expect((await name(id, 'given.up')).status).toBe(200)
    expect((await name(id, 'now.else.2')).status).toBe(200)
    await sql`update released_usernames set released_at = now() - interval '91 days' where user_id = ${id}`
    expect((await name(other.id, 'given.up')).status).toBe(200)
  })

  test('is alone with a username and an e-mail, in whatever case', async () => {
    const { id } = await add({ username: 'taken', email: 'taken@example.com' })
    const other = await add()
    const conflicts: [unknown, string][] = [
      [{ displayname: 'A', username: 'TAKEN' }, 'username-taken'],
      [{ displayname: 'A', email: 'Taken@Example.com' }, 'email-taken'],
    ]
    for (const [body, code] of conflicts) {
      expect(await (await raw('POST', '', body)).json()).toMatchObject({ status: 409, code })
      expect(await (await raw('PUT', `/${other.id}`, body)).json()).toMatchObject({ status: 409, code })
    }
    const same = await ada.call(api.updateUser, { params: { userId: id }, body: { email: 'TAKEN@example.com' } })
    expect(same.email).toBe('TAKEN@example.com')
  })

  test('of many with one e-mail at the same time is made once', async () => {
    const body = { displayname: 'Race', email: 'race@example.com' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => raw('POST', '', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })

  test.for(['GET', 'PUT', 'DELETE'])('whom nobody knows is not found by %s', async (method) => {
    const response = await raw(method, '/nobody', method === 'PUT' ? {} : undefined)
    expect(await response.json()).toMatchObject({ status: 404, code: 'user-not-found' })
  })
})

describe('what a person was part of', () => {
  test('leaves with them and comes back with them', async () => {
    const { sql } = service
    const { id } = await add({ username: 'leaving', email: 'leaving@example.com', roles: ['Passport.Developer'] })
    await sql`insert into orgs (id, name, slug, member_count) values ('o1', 'Contoso', 'contoso', 1)`
    await sql`insert into groups (id, name, member_count, owner_count) values ('g1', 'Crew', 1, 1)`
    await sql`insert into org_members (org_id, user_id, role) values ('o1', ${id}, 'admin')`
    await sql`insert into group_members (group_id, user_id) values ('g1', ${id})`
    await sql`insert into group_owners (group_id, user_id) values ('g1', ${id})`
    const before = await get(id)
    expect(before.orgs).toEqual([{ id: 'o1', name: 'Contoso', role: 'admin' }])

    await ada.call(api.deleteUser, { query: {}, params: { userId: id } })
    expect((await raw('GET', `/${id}`)).status).toBe(404)
    expect(await sql`select from group_members where user_id = ${id}`).toHaveLength(0)
    const again = await add({ username: 'leaving' })
    const refused = await raw('POST', `/${id}/restore`, {})
    expect(await refused.json()).toMatchObject({ status: 409, code: 'username-taken' })
    await ada.call(api.deleteUser, { query: {}, params: { userId: again.id } })

    const restored = await ada.call(api.restoreUser, { query: {}, params: { userId: id }, body: {} })
    expect(restored).toEqual({ ...before, version: expect.any(Number), updatedAt: expect.any(String) })
    const [counts] = await sql`select member_count, owner_count from groups where id = 'g1'`
    expect(counts).toEqual({ memberCount: 1, ownerCount: 1 })
    const events = (await eventsOf(id)).slice(-2)
    expect(events.map(({ action }) => action)).toEqual(['user.deleted', 'user.restored'])
    expect(events[0]?.['before']).toMatchObject({ groups: ['g1'], orgs: [expect.any(String)] })
  })

  test('comes back under another name where the old one is taken, and not after 30 days', async () => {
    const { id } = await add({ username: 'renamed', email: 'renamed@example.com' })
    await ada.call(api.deleteUser, { query: {}, params: { userId: id } })
    await add({ username: 'renamed', email: 'renamed@example.com' })
    const body = { username: 'renamed.2', email: null }
    expect(await ada.call(api.restoreUser, { query: {}, params: { userId: id }, body })).toMatchObject(body)

    await ada.call(api.deleteUser, { query: {}, params: { userId: id } })
    await service.sql`update users set deleted_at = now() - interval '31 days' where id = ${id}`
    expect(await (await raw('POST', `/${id}/restore`, {})).json()).toMatchObject({
      status: 410,
      code: 'restore-expired',
    })
    expect((await raw('POST', '/nobody/restore', {})).status).toBe(404)
  })
})

test('a username that somebody else is just getting is not written', async () => {
  const { id } = await add()
  const user = { username: 'just.got', displayName: 'Slower', email: null, emailVerified: false }
  const { sql } = service
  const saved = await sql.begin(async (faster) => {
    await faster`insert into users (id, username) values ('faster', 'just.got')`
    // It waits for the other, and hears of it then.
    const save = transaction(sql, (sql) => store.save(sql, id, user))
    return { save, fillIn: transaction(sql, (sql) => store.fillIn(sql, id, user)) }
  })
  expect([await saved.save, await saved.fillIn]).toEqual([false, undefined])
  expect(await get(id)).toMatchObject({ username: null })
})

describe('what a person has', () => {
  test('is part of their version, whichever way they came to it', async () => {
    const { id } = await add()
    const [orgId, groupId] = [`org-of-${id}`, `group-of-${id}`]
    await service.sql`insert into orgs (id, name, slug) values (${orgId}, ${orgId}, ${orgId})`
    await service.sql`insert into groups (id, name) values (${groupId}, ${groupId})`
    await service.sql`insert into group_roles (group_id, role) values (${groupId}, 'Passport.Admin')`
    const people = { query: {}, body: { members: [id] } }
    const role = { ...people, params: { name: 'Passport.Developer' } }
    const versions = [(await get(id)).version]
    for (const change of [
      () => ada.call(addRoleMembers, role),
      () => ada.call(removeRoleMembers, role),
      () => ada.call(addMembers, { ...people, params: { groupId } }),
      () => ada.call(removeMembers, { ...people, params: { groupId } }),
      () => ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [id], role: 'owner' } }),
    ]) {
      await change()
      versions.push((await get(id)).version)
    }
    expect(versions).toEqual([1, 2, 3, 4, 5, 6])
    const stale = await raw('PUT', `/${id}/roles`, { roles: [] }, { 'if-match': '"1"' })
    expect(stale.status).toBe(412)
  })
})

describe('roles', () => {
  test('are set as a whole, previewed first', async () => {
    const { id } = await add({ displayname: 'Role Holder', roles: ['Passport.Developer'] })
    const path = `/${id}/roles`
    const preview = await raw('PUT', `${path}?preview=true`, { roles: ['Passport.Admin'] })
    expect(await preview.json()).toEqual({
      gains: [{ role: 'Passport.Admin', people: 1, sample: [{ id, name: 'Role Holder' }] }],
      loses: [{ role: 'Passport.Developer', people: 1, sample: [{ id, name: 'Role Holder' }] }],
    })
    expect((await get(id)).roles).toEqual(['Passport.Developer'])
    const changed = await ada.call(api.setUserRoles, {
      query: {},
      params: { userId: id },
      body: { roles: ['Passport.Admin'] },
    })
    expect(changed).toMatchObject({ roles: ['Passport.Admin'], version: 3 })
    expect((await eventsOf(id)).map(({ action }) => action).slice(-2)).toEqual(['role.granted', 'role.taken'])
    const unknown = await raw('PUT', path, { roles: ['Passport.Admin', 'X'] })
    expect(await unknown.json()).toMatchObject({ code: 'role-not-found', errors: [{ field: 'roles[1]' }] })
    expect((await raw('PUT', path, { roles: [], more: 1 })).status).toBe(400)
  })

  test('are told with what gives them and since when', async () => {
    const { sql } = service
    const { id } = await add({ roles: ['Passport.Developer'] })
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
    expect((await raw('GET', '/nobody/access')).status).toBe(404)
  })

  test('are told to those who have them, but not who gave them', async () => {
    const { sql } = service
    const dev = await service.as('dev')
    await sql`insert into groups (id, name) values ('g3', 'Keepers')`
    await sql`insert into group_roles (group_id, role) values ('g3', 'Passport.Developer')`
    await sql`insert into group_members (group_id, user_id) values ('g3', ${dev.id})`
    await sql`update role_members set granted_by = ${ada.id} where user_id = ${dev.id}`
    const own = await dev.call(api.getOwnAccess, {})
    const told = await ada.call(api.getUserAccess, { params: { userId: dev.id } })
    const [role] = own.roles
    expect(role).toEqual({
      name: 'Passport.Developer',
      sources: [
        { kind: 'direct', since: expect.any(String), by: null },
        { kind: 'group', since: expect.any(String), group: { id: 'g3', name: 'Keepers' } },
      ],
    })
    expect(told.roles[0]?.sources[0]).toMatchObject({ by: { id: ada.id } })
    expect({ ...own, roles: [] }).toEqual({ ...told, roles: [] })
    await sql`delete from groups where id = 'g3'`
  })
})

describe('administrators', () => {
  const asks = ['disable', 'lockdown'].map((action) => ['POST', `/actions/${action}`] as const)
  test.for([...asks, ['DELETE', ''] as const])(
    'do not shut themselves out by accident: %s%s',
    async ([method, path]) => {
      const response = await max.fetch(`/passport/admin/users/${max.id}${path}`, { method })
      expect(await response.json()).toMatchObject({ status: 409, code: 'self-demotion' })
      expect((await get(max.id)).status).toBe('active')
    },
  )

  test('are never without one', async () => {
    const own = await startTestService()
    const [max, ada] = await Promise.all([own.as('max'), own.as('ada')])
    await ada.call(api.setUserRoles, { query: {}, params: { userId: max.id }, body: { roles: [] } })
    const asked = `/passport/admin/users/${ada.id}`
    for (const [method, path] of [...asks, ['DELETE', ''] as const]) {
      const response = await ada.fetch(`${asked}${path}?confirmSelfDemotion=true`, { method })
      expect(await response.json()).toMatchObject({ status: 409, code: 'last-admin' })
    }
    // Someone who never came in could not run the console either.
    await ada.call(api.createUser, { query: {}, body: { displayname: 'Not yet', roles: ['Passport.Admin'] } })
    const roles = await ada.fetch(`${asked}/roles?confirmSelfDemotion=true`, {
      method: 'PUT',
      body: '{"roles":[]}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await roles.json()).toMatchObject({ status: 409, code: 'last-admin' })
  })

  test('unlink the logins of others, also the last, and not their own last', async () => {
    const { id } = await add()
    const identity = { providerId: 'local', issuer: 'urn:x', subject: 'sub-1', label: 'someone' }
    const loginId = (await accounts.addLogin(service.sql, id, identity)) ?? ''
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
    expect((await get(id)).logins).toEqual([])
    expect((await raw('DELETE', `/${id}/logins/${loginId}`)).status).toBe(404)
    const [own] = (await get(ada.id)).logins
    const response = await raw('DELETE', `/${ada.id}/logins/${own?.id}`)
    expect(await response.json()).toMatchObject({ status: 409, code: 'last-login' })
  })

  test('see where a person is signed in, and sign them out of one browser', async () => {
    const eve = await service.as('eve')
    const listed = await ada.call(api.listUserSessions, { params: { userId: eve.id } })
    expect(listed[0]).toMatchObject({ idp: 'local', ip: '127.0.0.1' })
    await ada.call(api.revokeUserSession, { params: { userId: eve.id, sessionId: listed[0]?.id ?? '' } })
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
    expect((await eventsOf(eve.id)).at(-1)).toMatchObject({ action: 'session.revoked', actor: ada.id })
    expect((await raw('DELETE', `/${eve.id}/sessions/nothing`)).status).toBe(404)
  })

  test('give people of the built-in directory a new password, and nobody else', async () => {
    const eve = await service.as('eve')
    const { name, password } = await ada.call(api.resetUser, { params: { userId: eve.id } })
    expect([name, password.length > 15]).toEqual(['eve', true])
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
    const { id } = await add()
    expect(await (await raw('POST', `/${id}/actions/reset`)).json()).toMatchObject({
      status: 409,
      code: 'nothing-to-reset',
    })
  })
})
