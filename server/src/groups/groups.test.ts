import * as api from '@passport/contract/groups'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'

let service: TestService
let ada: Visitor
let dev: Visitor
let eve: Visitor
let max: Visitor
/** Users without a session, u0 to u249. */
let crowd: string[]

beforeAll(async () => {
  service = await startTestService()
  ;[ada, dev, eve, max] = (await Promise.all(
    (['ada', 'dev', 'eve', 'max'] as const).map((name) => service.as(name)),
  )) as [Visitor, Visitor, Visitor, Visitor]
  crowd = Array.from({ length: 250 }, (_, index) => `u${String(index).padStart(3, '0')}`)
  await service.sql`
    insert into users (id, username, display_name, activated_at)
    select id, id, 'Person ' || id, now() from unnest(${crowd}::text[]) as id`
})

let serial = 0
const generateName = (name = 'Crew') => `${name} ${++serial}`
const create = (visitor: Visitor, fields: Record<string, unknown> = {}) =>
  visitor.call(api.createGroup, { body: { name: generateName(), ...fields } as { name: string } })
const get = (visitor: Visitor, id: string) => visitor.call(api.getGroup, { params: { id } })
const post = (visitor: Visitor, path: string, body: unknown, headers: Record<string, string> = {}) =>
  visitor.fetch(`/passport/groups${path && `/${path}`}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const json = async (response: Response | Promise<Response>) => (await response).json()
const addOrg = async (...members: [string, string][]) => {
  const id = crypto.randomUUID()
  await service.sql`insert into orgs (id, name, slug) values (${id}, 'Contoso', ${id})`
  for (const [user, role] of members)
    await service.sql`insert into org_members (org_id, user_id, role) values (${id}, ${user}, ${role})`
  return id
}

describe('a group', () => {
  test('is read back as it was created, with every field', async () => {
    const orgId = await addOrg([eve.id, 'admin'])
    const sent = {
      name: '  Cre\u0301w  ',
      description: ' For the stage ',
      orgId,
      members: ['u001', 'u002', 'u001'],
      owners: ['u003'],
    }
    const response = await eve.fetch('/passport/groups', {
      method: 'POST',
      body: JSON.stringify({ ...sent, unknown: 'ignored' }),
      headers: { 'content-type': 'application/json' },
    })
    const created = (await response.json()) as api.Group
    expect([response.status, response.headers.get('location'), response.headers.get('etag')]).toEqual([
      201,
      `/passport/groups/${created.id}`,
      '"1"',
    ])
    const added = { avatarPngUrl: null, addedAt: created.createdAt }
    const member = (id: string) => ({ id, displayname: `Person ${id}`, username: id, ...added })
    expect(created).toEqual({
      id: created.id,
      groupId: created.id,
      name: 'Cr\u00e9w',
      description: 'For the stage',
      orgId,
      orgName: 'Contoso',
      isProvisioned: false,
      roles: [],
      memberCount: 2,
      ownerCount: 2,
      isMember: false,
      isOwner: true,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      members: [member('u001'), member('u002')],
      membersNext: null,
      owners: [{ ...member(eve.id), displayname: 'Eve Moreau', username: 'eve' }, member('u003')].sort((a, b) =>
        a.id < b.id ? -1 : 1,
      ),
      ownersNext: null,
    })
    expect(await get(eve, created.id)).toEqual(created)
  })

  test('is visible to its members, its owners and administrators, and 404 for others', async () => {
    const { id } = await create(eve, { members: [dev.id] })
    for (const visitor of [eve, dev, ada, max]) expect((await get(visitor, id)).id).toBe(id)
    const hiddenGroup = await create(ada)
    const unknown = await json(eve.fetch('/passport/groups/nothing'))
    const hidden = await json(eve.fetch(`/passport/groups/${hiddenGroup.id}`))
    const pickProblem = ({ status, code, detail }: { status: number; code: string; detail: string }) => ({
      status,
      code,
      detail,
    })
    expect(pickProblem(hidden as never)).toEqual(pickProblem(unknown as never))
    expect(hidden).toMatchObject({ status: 404, code: 'group-not-found' })
    for (const [method, path] of [
      ['GET', 'members'],
      ['GET', 'owners'],
      ['POST', 'members/add'],
      ['POST', 'owners/remove'],
      ['POST', 'restore'],
    ] as const) {
      const body = method === 'POST' ? JSON.stringify(path === 'restore' ? {} : [eve.id]) : null
      const headers = { 'content-type': 'application/json' }
      expect((await eve.fetch(`/passport/groups/${hiddenGroup.id}/${path}`, { method, body, headers })).status).toBe(
        404,
      )
    }
  })

  test('rejects changes by plain members with 403', async () => {
    const { id } = await create(eve, { members: [dev.id] })
    const rejected = { status: 403, body: { code: 'not-group-owner' } }
    const params = { groupId: id }
    await expect(dev.call(api.putGroup, { params, body: { name: 'Mine' } })).rejects.toMatchObject(rejected)
    await expect(dev.call(api.deleteGroup, { params: { id }, query: {} })).rejects.toMatchObject(rejected)
    for (const endpoint of [api.addGroupMembers, api.addGroupOwners, api.removeGroupMembers, api.removeGroupOwners])
      await expect(dev.call(endpoint, { params, query: {}, body: ['u001'] })).rejects.toMatchObject(rejected)
    expect((await get(eve, id)).version).toBe(1)
  })

  test('is updated in its name and description together', async () => {
    const { id } = await create(eve, { description: 'Was' })
    const name = generateName()
    const changed = await eve.call(api.putGroup, { params: { groupId: id }, body: { name, description: 'Is' } })
    expect(changed).toMatchObject({ name, description: 'Is', version: 2 })
    expect(await eve.call(api.putGroup, { params: { groupId: id }, body: { name, description: 'Is' } })).toEqual(
      changed,
    )
    expect(await eve.call(api.putGroup, { params: { groupId: id }, body: { name } })).toMatchObject({
      description: '',
      version: 3,
    })
  })

  test('has a unique name in its organisation, ignoring case', async () => {
    const [firstOrg, secondOrg] = [await addOrg(), await addOrg()]
    const name = generateName()
    const taken = { status: 409, body: { code: 'group-name-taken', errors: [{ field: 'name' }] } }
    await create(ada, { name, orgId: firstOrg })
    await expect(create(ada, { name: name.toUpperCase(), orgId: firstOrg })).rejects.toMatchObject(taken)
    await create(ada, { name, orgId: secondOrg })
    await create(ada, { name })
    await expect(create(eve, { name })).rejects.toMatchObject(taken)
    const { id } = await create(eve)
    await expect(eve.call(api.putGroup, { params: { groupId: id }, body: { name } })).rejects.toMatchObject(taken)
    const raced = generateName()
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create(eve, { name: raced })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('of an organisation is created by its owners and admins, and by administrators', async () => {
    const orgId = await addOrg([eve.id, 'owner'], [dev.id, 'member'])
    await create(eve, { orgId })
    await create(ada, { orgId })
    const rejected = { status: 403, body: { code: 'not-org-admin' } }
    await expect(create(dev, { orgId })).rejects.toMatchObject(rejected)
    await expect(create(eve, { orgId: 'nowhere' })).rejects.toMatchObject(rejected)
    await expect(create(ada, { orgId: 'nowhere' })).rejects.toMatchObject({
      status: 400,
      body: { code: 'unknown-org', errors: [{ field: 'orgId' }] },
    })
    await service.sql`update orgs set deleted_at = now() where id = ${orgId}`
    await expect(create(ada, { orgId })).rejects.toMatchObject({ status: 400 })
  })

  test.for([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: ' \t ' }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'x'.repeat(129) }, 'name'],
    [{ name: 'a\u0007b' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ name: 'ok', description: 'a\u202eb' }, 'description'],
    [{ name: 'ok', description: 'x'.repeat(501) }, 'description'],
    [{ name: 'ok', orgId: 7 }, 'orgId'],
    [{ name: 'ok', members: 'u001' }, 'members'],
    [{ name: 'ok', members: ['u001', 7] }, 'members[1]'],
    [{ name: 'ok', members: ['u001', 'nobody'] }, 'members[1]'],
    [{ name: 'ok', owners: ['nobody'] }, 'owners[0]'],
  ] as const)('is not created from %j, with an error for %s', async ([body, field]) => {
    const response = await post(eve, '', body)
    expect(await json(response)).toMatchObject({ status: 400, errors: [{ field }] })
  })

  test.for(['members', 'owners'])('rejects a PUT with its %s', async (list) => {
    const { id } = await create(eve)
    const body = JSON.stringify({ name: 'ok', [list]: [] })
    const headers = { 'content-type': 'application/json' }
    const response = await eve.fetch(`/passport/groups/${id}`, { method: 'PUT', body, headers })
    expect(await json(response)).toMatchObject({ status: 400, errors: [{ field: list }] })
  })

  test('of more than 200 users is paged', async () => {
    const { id } = await create(ada, { members: crowd.slice(0, 200), owners: crowd.slice(0, 3) })
    await ada.call(api.addGroupMembers, { params: { groupId: id }, query: {}, body: { members: crowd.slice(200) } })
    const group = await get(ada, id)
    expect(group).toMatchObject({ memberCount: 250, ownerCount: 4, ownersNext: null })
    expect(group.members.map((user) => user.id)).toEqual(crowd.slice(0, 200))
    const next = (await json(ada.fetch(group.membersNext ?? ''))) as { items: { id: string }[]; next: null }
    expect([next.items.map((user) => user.id), next.next]).toEqual([crowd.slice(200), null])
    const read: string[] = []
    let path: string | null = `/passport/groups/${id}/members?limit=60`
    while (path) {
      const page = (await json(ada.fetch(path))) as { items: { id: string }[]; next: string | null }
      read.push(...page.items.map((user) => user.id))
      path = page.next
    }
    expect(read).toEqual(crowd)
    const matches = await ada.call(api.listGroupMembers, { params: { groupId: id }, query: { query: 'u24' } })
    expect(matches.items.map((user) => user.id)).toEqual(crowd.slice(240))
    const owners = await ada.call(api.listGroupOwners, { params: { groupId: id }, query: { query: 'person u00' } })
    expect([owners.items.map((user) => user.id), owners.total]).toEqual([crowd.slice(0, 3), 3])
  })
})

describe('a change of group users', () => {
  test.for([
    ['members', (ids: string[]) => ({ members: ids })],
    ['members', (ids: string[]) => ({ ids })],
    ['members', (ids: string[]) => ids],
    ['owners', (ids: string[]) => ({ owners: ids })],
    ['owners', (ids: string[]) => ({ ids })],
    ['owners', (ids: string[]) => ids],
  ] as const)('in the list of %s returns the changed and the unchanged ids', async ([list, bodyOf]) => {
    const { id } = await create(eve, { [list]: ['u001'] })
    const counts = { memberCount: list === 'members' ? 2 : 0, ownerCount: list === 'owners' ? 3 : 1 }
    const added = await post(eve, `${id}/${list}/add`, bodyOf(['u002', 'u001', 'u002']))
    expect(added.headers.get('etag')).toBe('"2"')
    expect(await json(added)).toEqual({ groupId: id, version: 2, changed: ['u002'], unchanged: ['u001'], ...counts })
    const again = await post(eve, `${id}/${list}/add`, bodyOf(['u001', 'u002']))
    expect(await json(again)).toEqual({ groupId: id, version: 2, changed: [], unchanged: ['u001', 'u002'], ...counts })
    const removed = await post(eve, `${id}/${list}/remove`, bodyOf(['u003', 'u002']))
    expect(await json(removed)).toMatchObject({ version: 3, changed: ['u002'], unchanged: ['u003'] })
    expect((await get(eve, id))[list].map((user) => user.id)).toContain('u001')
  })

  test.for([
    ['no members', { members: [] }, 'members'],
    ['a string instead of a list', { members: 'u001' }, 'members'],
    ['too many members', { members: Array.from({ length: 201 }, (_, index) => `x${index}`) }, 'members'],
    ['a number', { members: ['u001', 7] }, 'members[1]'],
    ['two lists', { members: ['u001'], ids: ['u002'] }, 'body'],
    ['an unknown field', { members: ['u001'], role: 'x' }, 'body'],
    ['owners', { owners: ['u001'] }, 'members'],
    ['a bare string', 'u001', 'body'],
    ['an unknown user', { members: ['u001', 'nobody', 'u002', 'no-one'] }, 'members[1]'],
    ['an unknown user in a bare list', ['u001', 'nobody'], 'members[1]'],
  ] as const)('with %s is rejected as a whole', async ([, body, field]) => {
    const { id } = await create(eve)
    const response = (await json(post(eve, `${id}/members/add`, body))) as { errors: { field: string }[] }
    expect(response).toMatchObject({ status: 400 })
    expect(response.errors.map((error) => error.field)).toContain(field)
    expect(await get(eve, id)).toMatchObject({ version: 1, memberCount: 0 })
  })

  test('accepts a long list with few distinct ids', async () => {
    const { id } = await create(eve)
    const members = Array.from({ length: 1000 }, (_, index) => `u00${index % 10}`)
    const changed = await eve.call(api.addGroupMembers, { params: { groupId: id }, query: {}, body: { members } })
    expect(changed.changed).toHaveLength(10)
  })

  test('never removes the last owner', async () => {
    const { id } = await create(eve, { owners: ['u001'] })
    const remove = (...owners: string[]) =>
      eve.call(api.removeGroupOwners, { params: { groupId: id }, query: {}, body: { owners } })
    const rejected = { status: 409, body: { code: 'last-owner' } }
    await expect(remove('u001', eve.id)).rejects.toMatchObject(rejected)
    await remove('u001')
    await expect(remove(eve.id)).rejects.toMatchObject(rejected)
    await expect(
      ada.call(api.removeGroupOwners, { params: { groupId: id }, query: {}, body: [eve.id] }),
    ).rejects.toMatchObject(rejected)
  })

  test('rejects deleted users as unknown', async () => {
    const { id } = await create(eve)
    await service.sql`insert into users (id, deleted_at) values ('gone', now())`
    await expect(
      eve.call(api.addGroupMembers, { params: { groupId: id }, query: {}, body: ['gone'] }),
    ).rejects.toMatchObject({
      body: { code: 'unknown-profiles' },
    })
  })

  test('lets members remove themselves, and no others', async () => {
    const { id } = await create(eve, { members: [dev.id, 'u001'] })
    const leave = (...members: string[]) =>
      dev.call(api.removeGroupMembers, { params: { groupId: id }, query: {}, body: { members } })
    await expect(leave(dev.id, 'u001')).rejects.toMatchObject({ status: 403 })
    expect(await leave(dev.id)).toMatchObject({ changed: [dev.id], memberCount: 1 })
    await expect(get(dev, id)).rejects.toMatchObject({ status: 404 })
    await expect(leave(dev.id)).rejects.toMatchObject({ status: 404 })
  })

  test('does not make a new owner a member, and keeps an owner who stops being a member', async () => {
    const { id } = await create(eve, { members: ['u001'], owners: ['u001'] })
    await eve.call(api.addGroupOwners, { params: { groupId: id }, query: {}, body: ['u002'] })
    await eve.call(api.removeGroupMembers, { params: { groupId: id }, query: {}, body: ['u001'] })
    expect(await get(eve, id)).toMatchObject({ memberCount: 0, ownerCount: 3 })
  })

  test('loses no update when it is concurrent with others, and counts correctly', async () => {
    const { id } = await create(eve)
    const batches = Array.from({ length: 12 }, (_, index) => crowd.slice(index * 5, index * 5 + 20))
    await Promise.all(
      batches.map((members, index) => {
        const endpoint = index % 4 === 3 ? api.removeGroupMembers : api.addGroupMembers
        return eve.call(endpoint, { params: { groupId: id }, query: {}, body: { members } })
      }),
    )
    const group = await get(eve, id)
    expect(group.members).toHaveLength(group.memberCount)
    const changes = await service.sql`select action from audit_events where target_id = ${id}`
    expect(group.version).toBe(changes.length)
  })

  test('keeps one of two owners who remove each other', async () => {
    const { id } = await create(eve, { owners: [dev.id] })
    const removals = [eve, dev].map((visitor, index) =>
      visitor.call(api.removeGroupOwners, { params: { groupId: id }, query: {}, body: [[dev, eve][index]?.id] }),
    )
    const settled = await Promise.allSettled(removals)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await get(ada, id)).toMatchObject({ ownerCount: 1 })
  })
})

describe('a pasted list', () => {
  const lookUp = (visitor: Visitor, id: string, lines: string[]) =>
    visitor.call(api.lookUpUsers, { params: { groupId: id }, body: { lines } })

  test('is resolved line by line', async () => {
    await service.sql`update users set email = id || '@crowd.example' where id in ('u010', 'u011')`
    await service.sql`update users set email = 'both@crowd.example' where id in ('u012', 'u013')`
    const { id } = await create(eve, { members: ['u010'], owners: ['u011'] })
    const lines = ['u010', ' U011 ', 'U010@Crowd.example', 'both@crowd.example', 'nobody', 'gone', 'u010']
    const pickVerdicts = (lookup: api.GroupLookup) =>
      lookup.lines.map(({ line, verdict, person }) => [line, person?.id ?? verdict])
    expect(pickVerdicts(await lookUp(ada, id, lines))).toEqual([
      ['u010', 'u010'],
      [' U011 ', 'u011'],
      ['U010@Crowd.example', 'u010'],
      ['both@crowd.example', 'ambiguous'],
      ['nobody', 'unknown'],
      ['gone', 'unknown'],
      ['u010', 'u010'],
    ])
    expect((await lookUp(eve, id, lines)).lines.map(({ verdict }) => verdict)).toEqual([
      'found',
      'found',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      'found',
    ])
    expect((await lookUp(eve, id, ['u010', 'u011', 'u012'])).lines.map(({ person }) => person)).toEqual([
      { id: 'u010', displayname: 'Person u010', username: 'u010', isMember: true, isOwner: false },
      { id: 'u011', displayname: 'Person u011', username: 'u011', isMember: false, isOwner: true },
      { id: 'u012', displayname: 'Person u012', username: 'u012', isMember: false, isOwner: false },
    ])
  })

  test('is resolved for owners only', async () => {
    const { id } = await create(eve, { members: [dev.id] })
    await expect(lookUp(dev, id, ['u010'])).rejects.toMatchObject({ status: 403 })
    await expect(lookUp(eve, (await create(ada)).id, ['u010'])).rejects.toMatchObject({ status: 404 })
  })
})

describe('conditional requests', () => {
  const read = (id: string, headers: Record<string, string>) => eve.fetch(`/passport/groups/${id}`, { headers })

  test('are evaluated by the ETag, or without one by the time of the last change', async () => {
    const { id } = await create(eve)
    const first = await read(id, {})
    const [etag, lastModified] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? '']
    expect([etag, first.headers.get('cache-control')]).toEqual(['"1"', 'private, no-cache'])
    const { updatedAt } = (await first.json()) as api.Group
    expect(Date.parse(lastModified) - Date.parse(updatedAt)).toBeGreaterThan(0)
    expect(Date.parse(lastModified) - Date.parse(updatedAt)).toBeLessThanOrEqual(1000)
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': `W/${etag}, "7"` },
      { 'if-none-match': '*' },
      { 'if-modified-since': lastModified },
      { 'if-none-match': etag, 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    ] as Record<string, string>[]) {
      const same = await read(id, headers)
      expect([same.status, same.headers.get('etag'), same.headers.get('last-modified'), await same.text()]).toEqual([
        304,
        etag,
        lastModified,
        '',
      ])
    }
    for (const headers of [
      { 'if-none-match': '"0"', 'if-modified-since': lastModified },
      { 'if-modified-since': new Date(Date.parse(lastModified) - 1000).toUTCString() },
      { 'if-modified-since': 'garbage' },
    ] as Record<string, string>[])
      expect((await read(id, headers)).status).toBe(200)
  })

  test('distinguish many changes within one second', async () => {
    const { id } = await create(eve)
    const instants = new Set<string>()
    for (let index = 0; index < 5; index++) {
      const response = await read(id, {})
      const lastModified = response.headers.get('last-modified') ?? ''
      instants.add(lastModified)
      await eve.call(api.addGroupMembers, { params: { groupId: id }, query: {}, body: [`u00${index}`] })
      expect((await read(id, { 'if-modified-since': lastModified })).status).toBe(200)
    }
    expect(instants.size).toBe(5)
  })

  test('with a stale version are rejected with 412', async () => {
    const { id } = await create(eve, { members: ['u001'] })
    const stale = { ifMatch: '"0"' }
    const rejected = { status: 412, body: { code: 'precondition-failed' } }
    const params = { groupId: id }
    await expect(eve.call(api.putGroup, { params, body: { name: 'No' } }, stale)).rejects.toMatchObject(rejected)
    await expect(eve.call(api.deleteGroup, { params: { id }, query: {} }, stale)).rejects.toMatchObject(rejected)
    for (const endpoint of [api.addGroupMembers, api.removeGroupMembers, api.addGroupOwners, api.removeGroupOwners])
      await expect(eve.call(endpoint, { params, query: {}, body: ['u002'] }, stale)).rejects.toMatchObject(rejected)
    await expect(ada.call(api.putGroupRoles, { params, query: {}, body: { roles: [] } }, stale)).rejects.toMatchObject(
      rejected,
    )
    expect(await get(eve, id)).toMatchObject({ version: 1 })
  })

  test('with the same version succeed for one of two writers', async () => {
    const { id } = await create(eve)
    const responses = await Promise.all(
      ['u001', 'u002'].map((member) => post(eve, `${id}/members/add`, [member], { 'if-match': '"1"' })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
  })

  test('that end in 304 read the group with one statement, and none of its users', async () => {
    const { id } = await create(ada, { members: crowd.slice(0, 100) })
    const statements = await recordStatements(service.sql, async () => {
      expect((await ada.fetch(`/passport/groups/${id}`, { headers: { 'if-none-match': '"1"' } })).status).toBe(304)
    })
    expect(statements.filter((text) => text.includes('group_summaries'))).toHaveLength(1)
    expect(statements.filter((text) => text.includes('named_'))).toEqual([])
  })
})

describe('a deleted group', () => {
  const remove = (visitor: Visitor, id: string) => visitor.call(api.deleteGroup, { params: { id }, query: {} })
  const restore = (visitor: Visitor, id: string, body = {}) =>
    visitor.call(api.restoreGroup, { params: { id }, query: {}, body })

  test('is 404 for every user, and is restored in full', async () => {
    const created = await create(eve, { members: [dev.id, 'u001'], owners: ['u002'], description: 'All of it' })
    await remove(eve, created.id)
    for (const visitor of [eve, dev, ada]) await expect(get(visitor, created.id)).rejects.toMatchObject({ status: 404 })
    await expect(remove(eve, created.id)).rejects.toMatchObject({ status: 404 })
    expect((await eve.call(api.listGroups, { query: {} })).items.map(({ id }) => id)).not.toContain(created.id)
    await expect(restore(dev, created.id)).rejects.toMatchObject({ status: 404 })
    const { version, updatedAt, ...whole } = await restore(eve, created.id)
    const { version: _, updatedAt: __, ...wasWhole } = created
    expect([whole, version]).toEqual([wasWhole, 3])
    await expect(restore(eve, created.id)).rejects.toMatchObject({ status: 409, body: { code: 'group-not-deleted' } })
    const bare = await eve.fetch(`/passport/groups/${created.id}/restore`, { method: 'POST' })
    expect(await bare.json()).toMatchObject({ status: 409, code: 'group-not-deleted' })
  })

  test('releases its name, and is restored under another name if it was taken', async () => {
    const { id, name } = await create(eve)
    await remove(eve, id)
    await create(eve, { name })
    await expect(restore(eve, id)).rejects.toMatchObject({ status: 409, body: { code: 'group-name-taken' } })
    const otherName = generateName()
    expect(await restore(ada, id, { name: otherName })).toMatchObject({ name: otherName })
  })

  test('is permanently deleted after 30 days', async () => {
    const { id } = await create(eve)
    await remove(eve, id)
    await service.sql`update groups set deleted_at = now() - interval '30 days 1 minute' where id = ${id}`
    await expect(restore(eve, id)).rejects.toMatchObject({ status: 404 })
  })

  test('is not restored into a deleted organisation', async () => {
    const orgId = await addOrg()
    const { id } = await create(ada, { orgId })
    await remove(ada, id)
    await service.sql`update orgs set deleted_at = now() where id = ${orgId}`
    await expect(restore(ada, id)).rejects.toMatchObject({ status: 409, body: { code: 'org-deleted' } })
  })
})

describe('the list of groups', () => {
  const list = (visitor: Visitor, query: Record<string, unknown> = {}) => visitor.call(api.listGroups, { query })

  test('has the groups of the caller, and all groups for administrators', async () => {
    const orgId = await addOrg()
    const names = ['Zebra', 'apple', '\u00c4pfel', 'Banana'].map((name) => `List ${name}`)
    for (const name of names)
      await create(ada, { name, orgId, members: [dev.id], owners: name.endsWith('a') ? [eve.id] : [] })
    await create(ada, { name: 'List hidden', orgId })
    const listNames = async (visitor: Visitor, query = {}) =>
      (await list(visitor, { orgId, ...query })).items.map((group) => 'name' in group && group.name.slice(5))
    expect(await listNames(dev)).toEqual(['\u00c4pfel', 'apple', 'Banana', 'Zebra'])
    expect(await listNames(eve)).toEqual(['Banana', 'Zebra'])
    expect(await listNames(max)).toEqual(['\u00c4pfel', 'apple', 'Banana', 'hidden', 'Zebra'])
    expect(await listNames(dev, { query: 'APF list' })).toEqual(['\u00c4pfel'])
    expect(await listNames(max, { query: 'ban' })).toEqual(['Banana'])
    expect(await listNames(max, { mine: 'true' })).toEqual([])
    expect(await listNames(ada, { mine: 'true', query: 'ban' })).toEqual(['Banana'])
    expect(await listNames(max, { query: '  ' })).toHaveLength(5)
    expect(await listNames(max, { query: '---' })).toEqual([])
    const [first] = (await list(max, { orgId })).items
    expect((await list(max, { query: first?.id })).items).toMatchObject([
      { id: first?.id, isMember: false, isOwner: false },
    ])
    expect((await list(dev, { query: first?.id })).items).toMatchObject([
      { id: first?.id, isMember: true, isOwner: false },
    ])
    expect((await list(eve, { query: first?.id })).items).toEqual([])
  })

  test.for(['max', 'dev'] as const)('is read in full by %s, by page number and by cursor', async (visitorName) => {
    const orgId = await addOrg()
    for (let index = 0; index < 7; index++) await create(ada, { name: `Page ${index}`, orgId, members: [dev.id] })
    const visitor = await service.as(visitorName)
    const read: string[] = []
    let path: string | null = `/passport/groups?orgId=${orgId}&limit=3`
    while (path) {
      const page = (await json(visitor.fetch(path))) as {
        items: api.GroupSummary[]
        next: string | null
        total: number
      }
      expect(page.total).toBe(7)
      read.push(...page.items.map(({ name }) => name))
      path = page.next
    }
    expect(read).toEqual(Array.from({ length: 7 }, (_, index) => `Page ${index}`))
    const second = await list(visitor, { orgId, limit: 3, page: 2 })
    expect(second.items).toMatchObject([{ name: 'Page 3' }, { name: 'Page 4' }, { name: 'Page 5' }])
    expect(await list(visitor, { orgId, page: 9 })).toMatchObject({ items: [], total: 7, next: null })
  })

  test.for(['max', 'dev'] as const)(
    'is read in full by %s in each order, with and without words',
    async (visitorName) => {
      const orgId = await addOrg()
      const members = [dev.id, eve.id, max.id]
      for (const [index, name] of ['Sorted B', 'Sorted a', 'Sorted \u00c4'].entries())
        await create(ada, { name, orgId, members: members.slice(0, 1 + ((index + 1) % 3)) })
      const visitor = await service.as(visitorName)
      const keys = {
        name: ({ name }: api.GroupSummary) => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
        members: ({ memberCount }: api.GroupSummary) => String(memberCount),
        updated: ({ updatedAt }: api.GroupSummary) => updatedAt,
      }
      for (const sort of ['name', 'members', 'updated'] as const)
        for (const direction of ['asc', 'desc'] as const)
          for (const filter of [`orgId=${orgId}`, `orgId=${orgId}&query=sorted`]) {
            const listed: string[] = []
            let path: string | null = `/passport/groups?${filter}&sort=${sort}&direction=${direction}&limit=2`
            while (path) {
              const page = (await json(visitor.fetch(path))) as { items: api.GroupSummary[]; next: string | null }
              listed.push(...page.items.map((group) => `${keys[sort](group)} ${group.id}`))
              path = page.next
            }
            expect(listed).toHaveLength(3)
            expect(listed).toEqual(direction === 'asc' ? listed.toSorted() : listed.toSorted().reverse())
          }
      const all = (await list(max, { sort: 'members', direction: 'desc', limit: 200 })).items as api.GroupSummary[]
      const counts = all.map(({ memberCount }) => memberCount)
      expect(counts).toEqual(counts.toSorted((one, other) => other - one))
      for (const sort of ['members', 'updated']) {
        const bad = await visitor.fetch(`/passport/groups?sort=${sort}&after=${btoa('["x","y"]')}`)
        expect(await bad.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
      }
      const changes = await visitor.fetch(`/passport/groups?sort=name&updatedSince=${new Date().toISOString()}`)
      expect(await changes.json()).toMatchObject({ status: 400, errors: [{ field: 'sort' }] })
    },
  )

  test.for(['max', 'dev'] as const)(
    'takes at most three statements for %s, as do changes and a single group',
    async (name) => {
      const visitor = await service.as(name)
      const { id } = await create(ada, { members: [dev.id] })
      const { watermark } = await list(visitor)
      for (const path of ['', '?query=crew', '?limit=200', `?updatedSince=${watermark}`, `/${id}`, `/${id}/members`]) {
        const statements = await recordStatements(service.sql, async () => {
          expect((await visitor.fetch(`/passport/groups${path}`)).status).toBe(200)
        })
        // Besides the one that loads the caller.
        expect(statements.length, `${path}: ${statements}`).toBeLessThanOrEqual(4)
      }
    },
  )

  test.for([
    'limit=x',
    'page=0',
    'after=x',
    'updatedSince=yesterday',
    'updatedSince=2099-01-01T00:00:00Z',
    'updatedSince=2026-01-01T00:00:00Z&query=x',
    `query=${'x'.repeat(101)}`,
  ])('rejects %s', async (search) => {
    expect((await eve.fetch(`/passport/groups?${search}`)).status).toBe(400)
  })
})
