import { ApiError } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import * as api from '@passport/contract/roles'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
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
async function newRole(description = 'For tests') {
  const name = `Test.Role${++serial}`
  await ada.call(api.createRole, { body: { name, description } })
  return name
}
const newPerson = (displayName: string) =>
  users.create(service.sql, { username: null, displayName, email: null, emailVerified: false })
const add = (name: string, members: string[], query = {}) =>
  ada.call(api.addRoleMembers, { params: { name }, query, body: { members } })
const remove = (name: string, members: string[], query = {}) =>
  ada.call(api.removeRoleMembers, { params: { name }, query, body: { members } })
const membersOf = async (name: string, query = {}) =>
  (await ada.call(api.listRoleMembers, { params: { name }, query })).items
const rolesOf = async (who: Visitor) => (await who.call(getCurrentUser, {})).roles
const eventsOf = (name: string) => service.sql`
  select action, target_id, before, after from audit_events
  where (target_kind = 'role' and target_id = ${name}) or ${name} in (before ->> 'role', after ->> 'role') order by id`
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ code }) })

/** A group that carries a role, with members. */
async function newGroup(name: string, role: string, members: string[]) {
  const id = `group-${++serial}`
  await service.sql`insert into groups (id, name, member_count) values (${id}, ${name}, ${members.length})`
  for (const member of members)
    await service.sql`insert into group_members (group_id, user_id) values (${id}, ${member})`
  await service.sql`insert into group_roles (group_id, role) values (${id}, ${role})`
  return id
}

describe('a role', () => {
  test('is read back as it was made, found in the list, and changed', async () => {
    const response = await ada.fetch('/passport/admin/roles', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Stage.Editor', description: ' Edits  pictures ', extra: 'ignored' }),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/passport/admin/roles/Stage.Editor')
    expect(response.headers.get('etag')).toBe('"1"')
    const made = await response.json()
    const role = {
      name: 'Stage.Editor',
      description: 'Edits  pictures',
      builtIn: false,
      memberCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      version: 1,
    }
    expect(made).toEqual(role)
    expect(await ada.call(api.getRole, { params: { name: 'Stage.Editor' } })).toEqual(made)
    await add('Stage.Editor', [eve.id])
    const changed = await ada.call(api.putRole, { params: { name: 'Stage.Editor' }, body: { description: 'Cuts' } })
    expect(changed).toEqual({ ...role, description: 'Cuts', memberCount: 1, version: 2 })
    const { items, total, next } = await ada.call(api.listRoles, { query: {} })
    expect(items).toContainEqual(changed)
    expect(items.map(({ name }) => name)).toEqual(items.map(({ name }) => name).sort())
    expect([total, next]).toEqual([items.length, null])
    const found = await ada.call(api.listRoles, { query: { query: 'CUTS' } })
    expect([found.total, found.items]).toEqual([1, [changed]])
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
  ] as const)('with a bad %s: %j is refused', async ([field, body, code]) => {
    await expect(ada.call(api.createRole, { body: body as never })).rejects.toMatchObject({
      status: 400,
      body: { code, errors: [{ field }] },
    })
  })

  test('has a name of its own, also among many who make it at once', async () => {
    const make = () => ada.call(api.createRole, { body: { name: 'Race.Winner', description: 'd' } })
    const results = await Promise.allSettled(Array.from({ length: 5 }, make))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(make()).rejects.toEqual(problem(409, 'role-name-taken'))
  })

  test('that has changed since is not overwritten', async () => {
    const name = await newRole()
    const put = (description: string, etag: string) =>
      ada.fetch(`/passport/admin/roles/${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ description }),
      })
    const answers = await Promise.all(['left', 'right'].map((one) => put(one, '"1"')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
    const deleted = await ada.fetch(`/passport/admin/roles/${name}`, {
      method: 'DELETE',
      headers: { 'if-match': '"1"' },
    })
    expect(deleted.status).toBe(412)
    const known = await ada.fetch(`/passport/admin/roles/${name}`, { headers: { 'if-none-match': '"2"' } })
    expect(known.status).toBe(304)
  })

  test('that is built in may be described anew and is never deleted', async () => {
    const params = { name: 'Passport.Developer' }
    const before = await ada.call(api.getRole, { params })
    await ada.call(api.putRole, { params, body: { description: 'Develops' } })
    await ada.call(api.putRole, { params, body: { description: before.description } })
    await expect(ada.call(api.deleteRole, { params, query: {} })).rejects.toEqual(problem(409, 'role-built-in'))
    expect(await rolesOf(dev)).toEqual(['Passport.Developer'])
  })

  test('that is deleted is nobody’s any more, not even by a group, and the preview said so', async () => {
    const name = await newRole()
    await add(name, [dev.id])
    const group = await newGroup('Carriers', name, [eve.id, dev.id])
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
    expect(await rolesOf(eve)).toContain(name)
    await ada.call(api.deleteRole, { params: { name }, query: {} })
    expect(await rolesOf(eve)).not.toContain(name)
    const [row] = await service.sql`select version::integer from groups where id = ${group}`
    expect(row).toEqual({ version: 2 })
    await expect(ada.call(api.getRole, { params: { name } })).rejects.toEqual(problem(404, 'role-not-found'))
    await expect(ada.call(api.deleteRole, { params: { name }, query: {} })).rejects.toEqual(
      problem(404, 'role-not-found'),
    )
    const [, , last] = await eventsOf(name)
    expect(last).toMatchObject({ action: 'role.deleted', before: { members: 2, groups: ['Carriers'] }, after: null })
  })
})

describe('members', () => {
  test('are listed by name with why they have the role', async () => {
    const name = await newRole()
    await add(name, [eve.id, dev.id])
    const group = await newGroup('Crew', name, [eve.id, max.id])
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const byAda = { since, by: { id: ada.id, name: 'Ada Lovelace' } }
    const crew = [{ id: group, name: 'Crew', since }]
    const told = { disabled: false, email: expect.any(String) }
    expect(await membersOf(name)).toEqual([
      { ...told, id: dev.id, displayname: 'Dev Patel', username: 'dev', direct: byAda, groups: [] },
      { ...told, id: eve.id, displayname: 'Eve Moreau', username: 'eve', direct: byAda, groups: crew },
      { ...told, id: max.id, displayname: 'Max Weber', username: 'max', direct: null, groups: crew },
    ])
    const { memberCount } = await ada.call(api.getRole, { params: { name } })
    expect(memberCount).toBe(3)
    const [demo] = (await membersOf('Passport.Admin')).filter(({ id }) => id === ada.id)
    expect(demo?.direct?.by).toBeNull()
  })

  test('are changed at once or not at all, and who had it before is told', async () => {
    const name = await newRole()
    expect(await add(name, [eve.id])).toEqual({ role: name, changed: [eve.id], unchanged: [] })
    expect(await add(name, [dev.id, eve.id, dev.id])).toEqual({ role: name, changed: [dev.id], unchanged: [eve.id] })
    await expect(add(name, [max.id, 'nobody', ada.id])).rejects.toMatchObject({
      status: 400,
      body: { code: 'unknown-profiles', errors: [{ field: 'members[1]', code: 'not-found' }] },
    })
    expect((await membersOf(name)).map(({ id }) => id)).toEqual([dev.id, eve.id])
    expect(await remove(name, [max.id, eve.id])).toEqual({ role: name, changed: [eve.id], unchanged: [max.id] })
    expect(await remove(name, [eve.id])).toEqual({ role: name, changed: [], unchanged: [eve.id] })
    const events = await eventsOf(name)
    expect(events.map(({ action, targetId, before, after }) => [action, targetId, before, after])).toEqual([
      ['role.created', name, null, { name, description: 'For tests' }],
      ['role.granted', eve.id, null, { role: name }],
      ['role.granted', dev.id, null, { role: name }],
      ['role.taken', eve.id, { role: name }, null],
    ])
  })

  test('who lose what they have of themselves keep what a group gives them', async () => {
    const name = await newRole()
    await add(name, [eve.id])
    await newGroup('Keepers', name, [eve.id])
    expect(await remove(name, [eve.id], { preview: true })).toEqual({ gains: [], loses: [] })
    await remove(name, [eve.id])
    expect(await rolesOf(eve)).toContain(name)
  })

  test('are previewed: who would gain what, and nothing is written', async () => {
    const name = await newRole()
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
    expect((await membersOf(name)).map(({ id }) => id)).toEqual([dev.id])
    expect(await eventsOf(name)).toHaveLength(2)
  })

  test.for([
    ['nobody', { members: [] }],
    ['more than 200', { members: Array.from({ length: 201 }, (_, at) => `p${at}`) }],
    ['numbers', { members: [7] }],
    ['something else besides', { members: ['x'], role: 'Passport.Admin' }],
    ['nothing', {}],
  ] as const)('that are %s are refused', async ([, body]) => {
    await expect(
      ada.call(api.addRoleMembers, { params: { name: 'Passport.Admin' }, query: {}, body: body as never }),
    ).rejects.toMatchObject({ status: 400 })
  })

  test('of a role that is not there are told so', async () => {
    await expect(add('No.Such', [eve.id])).rejects.toEqual(problem(404, 'role-not-found'))
    await expect(remove('No.Such', [eve.id])).rejects.toEqual(problem(404, 'role-not-found'))
    await expect(membersOf('No.Such')).rejects.toEqual(problem(404, 'role-not-found'))
  })

  test('are read page by page, each once, whether they are few or many', async () => {
    const name = await newRole()
    const people: string[] = []
    for (let at = 0; at < 12; at++) people.push(await newPerson(`Same ${at % 3}`))
    await add(name, people.slice(0, 8))
    await newGroup('Rest', name, people.slice(5))
    const read = async (path: string) => {
      const found: string[] = []
      for (let next: string | null = path; next; ) {
        const page = (await (await ada.fetch(next)).json()) as { items: { id: string }[]; next: string | null }
        found.push(...page.items.map(({ id }) => id))
        next = page.next
      }
      return found
    }
    const byCursor = await read(`/passport/admin/roles/${name}/members?limit=5`)
    expect(byCursor.toSorted()).toEqual(people.toSorted())
    const called = await ada.call(api.listRoleMembers, { params: { name }, query: { query: 'sam 1' } })
    expect([called.total, ...called.items.map(({ displayname }) => displayname)]).toEqual([
      4,
      ...Array(4).fill('Same 1'),
    ])
    const [second] = await membersOf(name, { limit: 5, page: 2 })
    expect(second?.id).toBe(byCursor[5])
    const many = await service.sql`select id from role_members_after(${name}, '', '', 100, true, null)`
    expect(many.map(({ id }) => id)).toEqual(byCursor)
  })

  test('of more than 10,000 are not counted to the end', async () => {
    const name = await newRole()
    await service.sql`
      insert into users (id, display_name) select 'many-' || n, 'Many ' || n from generate_series(1, 10001) n`
    await service.sql`
      insert into role_members (role, user_id) select ${name}, 'many-' || n from generate_series(1, 10001) n`
    expect(await ada.call(api.getRole, { params: { name } })).toMatchObject({
      memberCount: 10_000,
      memberCountIsExact: false,
    })
    const page = await ada.call(api.listRoleMembers, { params: { name }, query: { limit: 2 } })
    expect(page).toMatchObject({ total: 10_000, totalIsExact: false })
    expect(page.items.map(({ displayname }) => displayname)).toEqual(['Many 1', 'Many 10'])
    await expect(ada.call(api.deleteRole, { params: { name }, query: {} })).rejects.toEqual(problem(409, 'role-in-use'))
  })
})

describe('the right to run the console', () => {
  test('is not given up without saying so, and never by the last who has it', async () => {
    await expect(remove('Passport.Admin', [ada.id])).rejects.toEqual(problem(409, 'self-demotion'))
    await expect(remove('Passport.Admin', [ada.id, max.id])).rejects.toEqual(problem(409, 'last-admin'))
    expect(await remove('Passport.Admin', [ada.id], { preview: true })).toMatchObject({
      loses: [{ role: 'Passport.Admin', people: 1 }],
    })
    await remove('Passport.Admin', [ada.id], { confirmSelfDemotion: true })
    await expect(remove('Passport.Admin', [max.id])).rejects.toMatchObject({ status: 403 })
    await max.call(api.addRoleMembers, { params: { name: 'Passport.Admin' }, query: {}, body: { members: [ada.id] } })
  })

  test('is kept by one of two who take it from each other at once', async () => {
    const take = (who: Visitor, from: string) =>
      who.call(api.removeRoleMembers, { params: { name: 'Passport.Admin' }, query: {}, body: { members: [from] } })
    const results = await Promise.allSettled([take(ada, max.id), take(max, ada.id)])
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    const left = await service.sql`select user_id from administrators`
    expect(left.length).toBeGreaterThan(0)
    await service.sql`
      insert into role_members (role, user_id) values ('Passport.Admin', ${ada.id}), ('Passport.Admin', ${max.id})
      on conflict do nothing`
  })
})

test('any name is a role or refused with its reason', async () => {
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
