import { ApiError } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { createInvitation, getInvitation } from '@passport/contract/invitations'
import { acceptJoinInvitation } from '@passport/contract/join'
import * as api from '@passport/contract/roles'
import { deleteUser, restoreUser } from '@passport/contract/users'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { replaceToken } from '../invitations/test-invitation.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as users from '../users/store.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
let ada: Visitor
let eve: Visitor
let dev: Visitor
let max: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  eve = await service.as('eve')
  dev = await service.as('dev')
  max = await service.as('max')
})

let serial = 0
async function createTestRole(description = 'For tests') {
  const name = `Test.Role${++serial}`
  await ada.call(api.createRole, { body: { name, description } })
  return name
}
const createTestUser = (displayName: string) =>
  users.create(service.sql, { username: null, displayName, email: null, emailVerified: false, emailVerifiedBy: null })
const add = (name: string, members: string[], query = {}) =>
  ada.call(api.addRoleMembers, { params: { name }, query, body: { members } })
const remove = (name: string, members: string[], query = {}) =>
  ada.call(api.removeRoleMembers, { params: { name }, query, body: { members } })
const listMembers = async (name: string, query = {}) =>
  (await ada.call(api.listRoleMembers, { params: { name }, query })).items
const listRolesOf = async (visitor: Visitor) => (await visitor.call(getCurrentUser, {})).roles
const listEvents = (name: string) => service.sql`
  select action, target_id, before, after from audit_events
  where (target_kind = 'role' and target_id = ${name}) or ${name} in (before ->> 'role', after ->> 'role') order by id`
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ code }) })

/** Adds a group with a role and members. */
async function createTestGroup(name: string, role: string, members: string[]) {
  const id = `group-${++serial}`
  await service.sql`insert into groups (id, name, member_count) values (${id}, ${name}, ${members.length})`
  for (const member of members)
    await service.sql`insert into group_members (group_id, user_id) values (${id}, ${member})`
  await service.sql`insert into group_roles (group_id, role) values (${id}, ${role})`
  return id
}

describe('a role', () => {
  test('is read back as it was created, found in the list, and changed', async () => {
    const response = await ada.fetch('/passport/admin/roles', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Stage.Editor', description: ' Edits  pictures ', extra: 'ignored' }),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/passport/admin/roles/Stage.Editor')
    expect(response.headers.get('etag')).toBe('"1"')
    const created = await response.json()
    const role = {
      name: 'Stage.Editor',
      description: 'Edits  pictures',
      builtIn: false,
      memberCount: 0,
      directMemberCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      version: 1,
    }
    expect(created).toEqual(role)
    expect(await ada.call(api.getRole, { params: { name: 'Stage.Editor' } })).toEqual(created)
    await add('Stage.Editor', [eve.id])
    const changed = await ada.call(api.putRole, { params: { name: 'Stage.Editor' }, body: { description: 'Cuts' } })
    expect(changed).toEqual({ ...role, description: 'Cuts', memberCount: 1, directMemberCount: 1, version: 2 })
    const { items, total, next } = await ada.call(api.listRoles, { query: {} })
    expect(items).toContainEqual(changed)
    expect(items.map(({ name }) => name)).toEqual(items.map(({ name }) => name).sort())
    expect([total, next]).toEqual([items.length, null])
    const matching = await ada.call(api.listRoles, { query: { query: 'CUTS' } })
    expect([matching.total, matching.items]).toEqual([1, [changed]])
  })

  test('is listed once in each order, page by page', async () => {
    const word = `ordered${++serial}`
    const names = [await createTestRole(word), await createTestRole(word), await createTestRole(word)]
    const userIds = [await createTestUser('Ord Ering'), await createTestUser('Ord Erly')]
    await add(names[0] as string, userIds.slice(0, 1))
    await add(names[2] as string, userIds)
    await ada.call(api.putRole, { params: { name: names[1] as string }, body: { description: `${word}, changed` } })
    const keys = {
      name: () => '',
      members: ({ memberCount }: api.Role) => String(memberCount),
      updated: ({ updatedAt }: api.Role) => updatedAt,
    }
    for (const sort of ['name', 'members', 'updated'] as const)
      for (const direction of ['asc', 'desc'] as const) {
        const listed: string[] = []
        let path: string | null = `${api.listRoles.path}?query=${word}&sort=${sort}&direction=${direction}&limit=1`
        while (path) {
          const page = (await (await ada.fetch(path)).json()) as { items: api.Role[]; next: string | null }
          listed.push(...page.items.map((role) => `${keys[sort](role)} ${role.name}`))
          path = page.next
        }
        expect(listed).toHaveLength(3)
        expect(listed).toEqual(direction === 'asc' ? listed.toSorted() : listed.toSorted().reverse())
      }
    for (const sort of ['members', 'updated']) {
      const bad = await ada.fetch(`${api.listRoles.path}?sort=${sort}&after=${btoa('["x","y"]')}`)
      expect(await bad.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
    }
  })

  test.for(['Passport.Admin', 'Stage', 'A', 'Stage.Sub2.X9'])('may be named %s', async (name) => {
    const result = await ada
      .call(api.createRole, { body: { name, description: 'd' } })
      .catch((error: ApiError) => error.body)
    expect(result).toMatchObject(name === 'Passport.Admin' ? { code: 'role-name-taken' } : { name })
  })

  test.for([
    ['name', { name: 'stage', description: 'd' }, 'role-name-invalid'],
    ['name', { name: '', description: 'd' }, 'role-name-invalid'],
    ['name', { name: 'Stage.', description: 'd' }, 'role-name-invalid'],
    ['name', { name: 'Stage..X', description: 'd' }, 'role-name-invalid'],
    ['name', { name: 'Stage Editor', description: 'd' }, 'role-name-invalid'],
    ['name', { name: 'Stäge', description: 'd' }, 'role-name-invalid'],
    ['name', { name: `A${'b'.repeat(100)}`, description: 'd' }, 'role-name-invalid'],
    ['name', { name: 'Stage\n', description: 'd' }, 'role-name-invalid'],
    ['name', { name: 7, description: 'd' }, 'invalid-request'],
    ['description', { name: 'Bad.One', description: '' }, 'description-invalid'],
    ['description', { name: 'Bad.One', description: 'x'.repeat(301) }, 'description-invalid'],
    ['description', { name: 'Bad.One', description: 'a\u202eb' }, 'description-invalid'],
    ['description', { name: 'Bad.One', description: 'a\nb' }, 'description-invalid'],
    ['description', { name: 'Bad.One' }, 'invalid-request'],
  ] as const)('with an invalid %s is rejected: %j', async ([field, body, code]) => {
    await expect(ada.call(api.createRole, { body: body as never })).rejects.toMatchObject({
      status: 400,
      body: { code, errors: [{ field }] },
    })
  })

  test('has a unique name, even when created concurrently', async () => {
    const createRole = () => ada.call(api.createRole, { body: { name: 'Race.Winner', description: 'd' } })
    const results = await Promise.allSettled(Array.from({ length: 5 }, createRole))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(createRole()).rejects.toEqual(problem(409, 'role-name-taken'))
  })

  test('is not overwritten with a stale version', async () => {
    const name = await createTestRole()
    const put = (description: string, etag: string) =>
      ada.fetch(`/passport/admin/roles/${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ description }),
      })
    const responses = await Promise.all(['left', 'right'].map((description) => put(description, '"1"')))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
    const deleted = await ada.fetch(`/passport/admin/roles/${name}`, {
      method: 'DELETE',
      headers: { 'if-match': '"1"' },
    })
    expect(deleted.status).toBe(412)
    const known = await ada.fetch(`/passport/admin/roles/${name}`, { headers: { 'if-none-match': '"2"' } })
    expect(known.status).toBe(304)
  })

  test('that is built in can be described but not deleted', async () => {
    const params = { name: 'Passport.Developer' }
    const before = await ada.call(api.getRole, { params })
    await ada.call(api.putRole, { params, body: { description: 'Develops' } })
    await ada.call(api.putRole, { params, body: { description: before.description } })
    await expect(ada.call(api.deleteRole, { params, query: {} })).rejects.toEqual(problem(409, 'role-built-in'))
    expect(await listRolesOf(dev)).toEqual(['Passport.Developer'])
  })

  test('that is deleted is lost by all holders, even through groups, as previewed', async () => {
    const name = await createTestRole()
    await add(name, [dev.id])
    const group = await createTestGroup('With the role', name, [eve.id, dev.id])
    const preview = await ada.call(api.deleteRole, { params: { name }, query: { preview: true } })
    expect(preview).toEqual({
      gains: [],
      loses: [
        {
          role: name,
          people: 2,
          sample: [
            { id: dev.id, name: 'Dev Patel' },
            { id: eve.id, name: 'Eve Moreau' },
          ],
        },
      ],
    })
    expect(await listRolesOf(eve)).toContain(name)
    await ada.call(api.deleteRole, { params: { name }, query: {} })
    expect(await listRolesOf(eve)).not.toContain(name)
    const [row] = await service.sql`select version::integer from groups where id = ${group}`
    expect(row).toEqual({ version: 2 })
    await expect(ada.call(api.getRole, { params: { name } })).rejects.toEqual(problem(404, 'role-not-found'))
    await expect(ada.call(api.deleteRole, { params: { name }, query: {} })).rejects.toEqual(
      problem(404, 'role-not-found'),
    )
    const [, , last] = await listEvents(name)
    expect(last).toMatchObject({
      action: 'role.deleted',
      before: { members: 2, groups: ['With the role'] },
      after: null,
    })
  })
})

test('a role that is created again is another one: neither an invitation nor a restore gives it', async () => {
  const { sql } = service
  const [name, kept] = [await createTestRole(), await createTestRole()]
  const deleted = await createTestUser('Leaver')
  for (const role of [name, kept]) await add(role, [deleted])
  const params = { userId: deleted }
  await ada.call(deleteUser, { params, query: {} })
  await sql`update users set email = 'eve@example.com', email_verified = true where id = ${eve.id}`
  const invitation = await ada.call(createInvitation, { body: { email: 'eve@example.com', roles: [name, kept] } })
  await ada.call(api.deleteRole, { params: { name }, query: {} })
  await ada.call(api.createRole, { body: { name, description: 'Another one' } })
  await ada.call(restoreUser, { params, query: {}, body: {} })
  await eve.call(acceptJoinInvitation, { params: { id: await replaceToken(sql, invitation.id) } })
  const listed = { params: { invitationId: invitation.id } }
  expect(await ada.call(getInvitation, listed)).toMatchObject({ status: 'accepted', leftOut: [name] })
  expect(await listMembers(name)).toEqual([])
  expect((await listMembers(kept)).map(({ id }) => id).sort()).toEqual([deleted, eve.id].sort())
})

test('the groups of a role are listed by name', async () => {
  const name = await createTestRole()
  const late = await createTestGroup('Zebra crossing', name, [])
  const early = await createTestGroup('Ärzte', name, [eve.id])
  expect(await ada.call(api.listRoleGroups, { params: { name } })).toEqual([
    { id: early, name: 'Ärzte' },
    { id: late, name: 'Zebra crossing' },
  ])
  await expect(ada.call(api.listRoleGroups, { params: { name: 'Test.Missing' } })).rejects.toEqual(
    problem(404, 'role-not-found'),
  )
})

describe('the members of a role', () => {
  test('are listed by name with the sources of the role', async () => {
    const name = await createTestRole()
    await add(name, [eve.id, dev.id])
    const group = await createTestGroup('Crew', name, [eve.id, max.id])
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const byAda = { since, by: { id: ada.id, name: 'Ada Lovelace' } }
    const crew = [{ id: group, name: 'Crew', since }]
    const shared = { avatarPngUrl: null, disabled: false, status: 'active', email: expect.any(String) }
    expect(await listMembers(name)).toEqual([
      { ...shared, id: dev.id, displayname: 'Dev Patel', username: 'dev', direct: byAda, groups: [] },
      { ...shared, id: eve.id, displayname: 'Eve Moreau', username: 'eve', direct: byAda, groups: crew },
      { ...shared, id: max.id, displayname: 'Max Weber', username: 'max', direct: null, groups: crew },
    ])
    expect(await ada.call(api.getRole, { params: { name } })).toMatchObject({ memberCount: 3, directMemberCount: 2 })
    const [demo] = (await listMembers('Passport.Admin')).filter(({ id }) => id === ada.id)
    expect(demo?.direct?.by).toBeNull()
  })

  test('have the status of the users list', async () => {
    const name = await createTestRole()
    const invited = await createTestUser('Status A')
    const disabled = await createTestUser('Status B')
    await service.sql`update users set disabled_at = now() where id = ${disabled}`
    await add(name, [invited, disabled, eve.id])
    const statuses = (await listMembers(name)).map(({ id, status }) => [id, status])
    expect(Object.fromEntries(statuses)).toEqual({ [invited]: 'invited', [disabled]: 'disabled', [eve.id]: 'active' })
  })

  test('are changed all or none, and existing members are reported', async () => {
    const name = await createTestRole()
    expect(await add(name, [eve.id])).toEqual({ role: name, changed: [eve.id], unchanged: [] })
    expect(await add(name, [dev.id, eve.id, dev.id])).toEqual({ role: name, changed: [dev.id], unchanged: [eve.id] })
    await expect(add(name, [max.id, 'nobody', ada.id])).rejects.toMatchObject({
      status: 400,
      body: { code: 'unknown-profiles', errors: [{ field: 'members[1]', code: 'not-found' }] },
    })
    expect((await listMembers(name)).map(({ id }) => id)).toEqual([dev.id, eve.id])
    expect(await remove(name, [max.id, eve.id])).toEqual({ role: name, changed: [eve.id], unchanged: [max.id] })
    expect(await remove(name, [eve.id])).toEqual({ role: name, changed: [], unchanged: [eve.id] })
    const events = await listEvents(name)
    expect(events.map(({ action, targetId, before, after }) => [action, targetId, before, after])).toEqual([
      ['role.created', name, null, { name, description: 'For tests' }],
      ['role.granted', eve.id, null, { role: name }],
      ['role.granted', dev.id, null, { role: name }],
      ['role.taken', eve.id, { role: name }, null],
    ])
  })

  test('who lose a direct role keep it through a group', async () => {
    const name = await createTestRole()
    await add(name, [eve.id])
    await createTestGroup('Keepers', name, [eve.id])
    expect(await remove(name, [eve.id], { preview: true })).toEqual({ gains: [], loses: [] })
    await remove(name, [eve.id])
    expect(await listRolesOf(eve)).toContain(name)
  })

  test('are unchanged by a preview, which lists the gains', async () => {
    const name = await createTestRole()
    await add(name, [dev.id])
    const preview = await add(name, [dev.id, eve.id, max.id], { preview: true })
    expect(preview).toEqual({
      gains: [
        {
          role: name,
          people: 2,
          sample: [
            { id: eve.id, name: 'Eve Moreau' },
            { id: max.id, name: 'Max Weber' },
          ],
        },
      ],
      loses: [],
    })
    expect((await listMembers(name)).map(({ id }) => id)).toEqual([dev.id])
    expect(await listEvents(name)).toHaveLength(2)
  })

  test.for([
    ['empty', { members: [] }],
    ['more than 200', { members: Array.from({ length: 201 }, (_, index) => `p${index}`) }],
    ['numbers', { members: [7] }],
    ['combined with an unknown field', { members: ['x'], role: 'Passport.Admin' }],
    ['missing', {}],
  ] as const)('that are %s are rejected', async ([, body]) => {
    await expect(
      ada.call(api.addRoleMembers, { params: { name: 'Passport.Admin' }, query: {}, body: body as never }),
    ).rejects.toMatchObject({ status: 400 })
  })

  test('are 404 for a missing role', async () => {
    await expect(add('No.Such', [eve.id])).rejects.toEqual(problem(404, 'role-not-found'))
    await expect(remove('No.Such', [eve.id])).rejects.toEqual(problem(404, 'role-not-found'))
    await expect(listMembers('No.Such')).rejects.toEqual(problem(404, 'role-not-found'))
  })

  test('are read page by page, each once, whether few or many', async () => {
    const name = await createTestRole()
    const userIds: string[] = []
    for (let index = 0; index < 12; index++) userIds.push(await createTestUser(`Same ${index % 3}`))
    await add(name, userIds.slice(0, 8))
    await createTestGroup('Rest', name, userIds.slice(5))
    const read = async (path: string) => {
      const ids: string[] = []
      for (let next: string | null = path; next; ) {
        const page = (await (await ada.fetch(next)).json()) as { items: { id: string }[]; next: string | null }
        ids.push(...page.items.map(({ id }) => id))
        next = page.next
      }
      return ids
    }
    const byCursor = await read(`/passport/admin/roles/${name}/members?limit=5`)
    expect(byCursor.toSorted()).toEqual(userIds.toSorted())
    const matching = await ada.call(api.listRoleMembers, { params: { name }, query: { query: 'sam 1' } })
    expect([matching.total, ...matching.items.map(({ displayname }) => displayname)]).toEqual([
      4,
      ...Array(4).fill('Same 1'),
    ])
    const [second] = await listMembers(name, { limit: 5, page: 2 })
    expect(second?.id).toBe(byCursor[5])
    const many = await service.sql`select id from role_members_after(${name}, '', '', 100, true)`
    expect(many.map(({ id }) => id)).toEqual(byCursor)
  })

  test('are counted up to 1,000 and estimated beyond, and more than 10,000 prevent deletion', async () => {
    const name = await createTestRole()
    await service.sql`
      insert into users (id, display_name) select 'many-' || n, 'Many ' || n from generate_series(1, 10001) n`
    await service.sql`
      insert into role_members (role, user_id) select ${name}, 'many-' || n from generate_series(1, 1000) n`
    const few = await ada.call(api.getRole, { params: { name } })
    expect([few.memberCount, few.memberCountIsExact, few.directMemberCount]).toEqual([1000, undefined, 1000])
    await service.sql`
      insert into role_members (role, user_id) select ${name}, 'many-' || n from generate_series(1001, 10001) n`
    await service.sql`analyze users, role_members`
    const estimate = 10_001
    const role = await ada.call(api.getRole, { params: { name } })
    expect(role.memberCountIsExact).toBe(false)
    expect(role.memberCount / estimate).toBeCloseTo(1, 0)
    expect(role.directMemberCount / estimate).toBeCloseTo(1, 0)
    const page = await ada.call(api.listRoleMembers, { params: { name }, query: { limit: 2 } })
    expect(page).toMatchObject({ total: role.memberCount, totalIsExact: false })
    expect(page.items.map(({ displayname }) => displayname)).toEqual(['Many 1', 'Many 10'])
    await expect(ada.call(api.deleteRole, { params: { name }, query: {} })).rejects.toEqual(problem(409, 'role-in-use'))
  })
})

test('a member of several groups with a role counts once', async () => {
  const name = await createTestRole()
  const groups = [
    await createTestGroup('Twin A', name, []),
    await createTestGroup('Twin B', name, []),
    await createTestGroup('Other', name, []),
  ]
  await service.sql`
    insert into users (id, display_name) select 'twin-' || n, 'Twin ' || n from generate_series(1, 1100) n`
  const addTo = (group: string | undefined, from: number, to: number) => service.sql`
    insert into group_members (group_id, user_id) select ${group ?? ''}, 'twin-' || n from generate_series(${from}::integer, ${to}::integer) n`
  await addTo(groups[0], 1, 800)
  await addTo(groups[1], 1, 800)
  await addTo(groups[2], 801, 1000)
  const exact = await ada.call(api.getRole, { params: { name } })
  expect([exact.memberCount, exact.memberCountIsExact]).toEqual([1000, undefined])
  await addTo(groups[2], 1001, 1100)
  await service.sql`analyze group_members`
  const { memberCountIsExact } = await ada.call(api.getRole, { params: { name } })
  expect(memberCountIsExact).toBe(false)
})

describe('the role Passport.Admin', () => {
  test('is not removed from the caller without confirmation, and never from the last administrator', async () => {
    await expect(remove('Passport.Admin', [ada.id])).rejects.toEqual(problem(409, 'self-demotion'))
    await expect(remove('Passport.Admin', [ada.id, max.id])).rejects.toEqual(problem(409, 'last-admin'))
    expect(await remove('Passport.Admin', [ada.id], { preview: true })).toMatchObject({
      loses: [{ role: 'Passport.Admin', people: 1 }],
    })
    await remove('Passport.Admin', [ada.id], { confirmSelfDemotion: true })
    await expect(remove('Passport.Admin', [max.id])).rejects.toMatchObject({ status: 403 })
    await max.call(api.addRoleMembers, { params: { name: 'Passport.Admin' }, query: {}, body: { members: [ada.id] } })
  })

  test('is kept by one of two administrators who remove each other concurrently', async () => {
    const revokeAdmin = (visitor: Visitor, from: string) =>
      visitor.call(api.removeRoleMembers, { params: { name: 'Passport.Admin' }, query: {}, body: { members: [from] } })
    const results = await Promise.allSettled([revokeAdmin(ada, max.id), revokeAdmin(max, ada.id)])
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    const left = await service.sql`select user_id from administrators`
    expect(left.length).toBeGreaterThan(0)
    await service.sql`
      insert into role_members (role, user_id) values ('Passport.Admin', ${ada.id}), ('Passport.Admin', ${max.id})
      on conflict do nothing`
  })
})

test('any role name is accepted, or rejected with role-name-invalid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'aA1. _-é'), maxLength: 12 }), async (name) => {
      const body = { name: `T${serial++}${name}`, description: 'd' }
      const result = await ada.call(api.createRole, { body }).catch((error: ApiError) => error)
      if (result instanceof ApiError)
        expect([400, result.body]).toEqual([result.status, expect.objectContaining({ code: 'role-name-invalid' })])
      else expect(result.name).toBe(body.name)
    }),
    { numRuns: numRuns / 4 },
  )
})
