import { putEntra } from '@passport/contract/entra'
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroupMembers,
  putGroup,
  putGroupRoles,
  restoreGroup,
} from '@passport/contract/groups'
import { createRole } from '@passport/contract/roles'
import { getProvisioning, listScimRequests, previewScimDeletion } from '@passport/contract/scim'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import * as claims from '../entra/claims-store.ts'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import { recordStatements } from '../test-statements.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'

let entra: EntraService
let client: TestClient
let users: string[]
beforeAll(async () => {
  entra = await startEntraService({ tenants: [createTenant(1), createTenant(2)] })
  client = await createTestClient(entra, 'company-1.example')
  users = []
  for (let index = 0; index < 4; index++)
    users.push((await client.send('POST', 'Users', newUser(`user-${index}@company-1.example`))).body.id)
  await entra.ada.call(createRole, { body: { name: 'Stage.Editor', description: 'Edits stages' } })
})

let serial = 0
const nextName = () => `Crew ${++serial}`
const create = async (displayName = nextName(), more = {}) => {
  const created = await client.send('POST', 'Groups', { displayName, externalId: guidOf(displayName), ...more })
  expect(created.status).toBe(201)
  return created.body
}
const toMembers = (ids: string[]) => ids.map((value) => ({ value }))
const membersOf = async (id: string) => {
  const { body } = await client.send('GET', `Groups/${id}`)
  return ((body['members'] ?? []) as { value: string }[]).map(({ value }) => value).sort()
}
const add = (id: string, ids: string[]) =>
  client.send('PATCH', `Groups/${id}`, patch({ op: 'Add', path: 'members', value: toMembers(ids) }))

const lastNotes = async () => {
  const { items } = await entra.ada.call(listScimRequests, { params: { orgId: client.orgId }, query: { limit: 1 } })
  return items[0]?.notes ?? []
}
/** Returns what a filter finds: the names as clients see them. */
const namesBy = async (filter: string) => {
  const { body } = await client.send('GET', `Groups?filter=${encodeURIComponent(filter)}`)
  return (body['Resources'] as { displayName: string }[]).map(({ displayName }) => displayName)
}

describe('a provisioned group', () => {
  test('with a long name gets it back as sent, and shows a shorter one', async () => {
    const displayName = `SG-APP-${'Stage-Operations-'.repeat(14)}`
    const { id, ...created } = await create(displayName, { members: toMembers(users.slice(0, 1)) })
    expect(created).toMatchObject({ displayName })
    const name = `${displayName.slice(0, 127)}…`
    expect((await entra.ada.call(getGroup, { params: { id } })).name).toBe(name)
    expect(await lastNotes()).toEqual([`The name is returned as sent, and shown as “${name}”.`])
    expect(await namesBy(`displayName eq "${displayName.toLowerCase()}"`)).toEqual([displayName])
    expect((await client.send('GET', `Users/${users[0]}`)).body['groups']).toContainEqual(
      expect.objectContaining({ value: id, display: displayName }),
    )
    // Another change keeps the name, and so does the return of what was read.
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'replace', path: 'externalId', value: 'other' }))
    const { body } = await client.send('GET', `Groups/${id}`)
    expect(await client.send('PUT', `Groups/${id}`, body)).toMatchObject({ status: 200, body: { displayName } })
    const events = await entra.service.sql`select action from audit_events where target_id = ${id}`
    expect(events.map(({ action }) => action)).not.toContain('group.changed')
    await entra.ada.call(putGroup, {
      params: { groupId: id },
      query: {},
      body: { name: 'By Hand', description: '' },
    } as never)
    expect((await client.send('GET', `Groups/${id}`)).body).toMatchObject({ displayName: 'By Hand' })
    await add(id, users.slice(1, 2))
    expect((await entra.ada.call(getGroup, { params: { id } })).name).toBe('By Hand')
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'replace', path: 'displayName', value: displayName }))
    expect((await entra.ada.call(getGroup, { params: { id } })).name).toBe(name)
  })

  test('may have the name of another one, and none has that of a group of an administrator', async () => {
    const displayName = nextName()
    const [one, two] = [await create(displayName), await create(displayName, { externalId: 'two' })]
    expect(one.id).not.toBe(two.id)
    expect(await namesBy(`displayName eq "${displayName}"`)).toEqual([displayName, displayName])
    // The file of the directory names groups, so that it has neither.
    expect(await entra.service.sql`select id from config_groups where name = ${displayName}`).toEqual([])
    const taken = { status: 409, body: { code: 'group-name-taken' } }
    await expect(
      entra.ada.call(createGroup, { body: { name: displayName, orgId: client.orgId } }),
    ).rejects.toMatchObject(taken)
    const manual = await entra.ada.call(createGroup, { body: { name: nextName(), orgId: client.orgId } })
    const rename = (name: string) =>
      entra.ada.call(putGroup, { params: { groupId: manual.id }, query: {}, body: { name, description: '' } } as never)
    await expect(rename(displayName.toUpperCase())).rejects.toMatchObject(taken)
    expect(
      await client.send('PATCH', `Groups/${two.id}`, patch({ op: 'replace', path: 'displayName', value: manual.name })),
    ).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    // In the trash, its name is free, and it comes back under another one.
    await entra.ada.call(deleteGroup, { params: { id: manual.id }, query: {} })
    await client.send('PATCH', `Groups/${two.id}`, patch({ op: 'replace', path: 'displayName', value: manual.name }))
    expect(await entra.service.sql`select id from config_groups where name = ${displayName}`).toEqual([{ id: one.id }])
    const restore = (body: object) => entra.ada.call(restoreGroup, { params: { id: manual.id }, query: {}, body })
    await expect(restore({})).rejects.toMatchObject(taken)
    await restore({ name: nextName() })
    await rename(displayName.slice(0, -1).concat(' other'))
  })

  test('belongs to the organisation, and is changed as Entra and Okta document it', async () => {
    const displayName = nextName()
    const { id } = await create(displayName, { members: toMembers(users.slice(0, 1)) })
    const group = await entra.ada.call(getGroup, { params: { id } })
    expect(group).toMatchObject({
      name: displayName,
      orgId: client.orgId,
      memberCount: 1,
      ownerCount: 0,
      isProvisioned: true,
    })
    expect((await add(id, users.slice(1, 3))).status).toBe(204)
    const { headers, body } = await client.send(
      'GET',
      `Groups?excludedAttributes=members&filter=${encodeURIComponent(`displayName eq "${displayName}"`)}`,
    )
    expect([headers.get('content-type'), body['Resources']]).toEqual([
      expect.stringContaining('application/scim+json'),
      [expect.not.objectContaining({ members: expect.anything() })],
    ])
    const isMember = async (user = '') =>
      (await client.send('GET', `Groups?filter=${encodeURIComponent(`id eq "${id}" and members[value eq "${user}"]`)}`))
        .body['totalResults']
    expect([await isMember(users[2]), await isMember(users[3])]).toEqual([1, 0])
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'Remove', path: 'members', value: [{ value: users[0] }] }))
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'remove', path: `members[value eq "${users[1]}"]` }))
    expect(await membersOf(id)).toEqual([users[2]])
    await client.send(
      'PATCH',
      `Groups/${id}`,
      patch({ op: 'replace', value: { id, displayName: `${displayName} B`, members: toMembers(users.slice(0, 2)) } }),
    )
    expect(await membersOf(id)).toEqual(users.slice(0, 2).sort())
    const put = await client.send('PUT', `Groups/${id}`, { displayName, members: toMembers([users[3] ?? '']) })
    expect(put.body).toMatchObject({
      displayName,
      externalId: guidOf(displayName),
      members: [{ value: users[3], type: 'User' }],
    })
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'remove', path: 'members' }))
    expect(await membersOf(id)).toEqual([])
    const user = await client.send('GET', `Users/${users[3]}`)
    expect(user.body['groups']).toBeUndefined()
    const events = await entra.service
      .sql`select action, actor_id from audit_events where target_id = ${id} order by at, id`
    expect(new Set(events.map(({ actorId }) => actorId))).toEqual(new Set([`scim:${client.orgId}`]))
    expect(events.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['group.created', 'group.members-added', 'group.members-removed', 'group.changed']),
    )
  })

  test('is listed in pages', async () => {
    const names = [nextName(), nextName(), nextName()]
    for (const name of names) await create(name)
    const filter = encodeURIComponent(names.map((name) => `displayName eq "${name}"`).join(' or '))
    const seen: unknown[] = []
    for (const startIndex of [1, 2, 3]) {
      const { body } = await client.send('GET', `Groups?count=1&startIndex=${startIndex}&filter=${filter}`)
      expect(body).toMatchObject({ totalResults: 3, startIndex, itemsPerPage: 1 })
      seen.push(...(body['Resources'] as { displayName: string }[]).map(({ displayName }) => displayName))
    }
    expect(seen.toSorted()).toEqual(names.toSorted())
  })

  test('is deleted into the trash, and comes back by its external id', async () => {
    const displayName = nextName()
    const { id } = await create(displayName, { members: toMembers(users.slice(0, 2)) })
    const preview = await entra.ada.call(previewScimDeletion, {
      params: { orgId: client.orgId },
      query: { groupId: id },
    })
    expect(preview).toMatchObject({ outcome: 'trash', ends: { members: 2 } })
    expect((await client.send('DELETE', `Groups/${id}`)).status).toBe(204)
    expect((await client.send('GET', `Groups/${id}`)).status).toBe(404)
    const again = await create(displayName, { members: toMembers([users[0] ?? '']) })
    expect(again.id).toBe(id)
    expect(await membersOf(id)).toEqual([users[0]])
    const other = await client.send('POST', 'Groups', { displayName: nextName(), externalId: guidOf(displayName) })
    expect(other).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    const { counts } = await entra.ada.call(getProvisioning, { params: { orgId: client.orgId } })
    expect(counts).toMatchObject({ users: 4, inactive: 0, membershipOnly: 0, groups: expect.any(Number) })
  })

  test('that an administrator restores at the same time keeps its roles', async () => {
    const { sql } = entra.service
    const displayName = nextName()
    const { id } = await create(displayName)
    await entra.ada.call(putGroupRoles, { params: { groupId: id }, query: {}, body: { roles: ['Stage.Editor'] } })
    await entra.ada.call(deleteGroup, { params: { id }, query: {} })
    const { response } = await sql.begin(async (transaction) => {
      await transaction`select from groups where id = ${id} for update`
      const response = client.send('POST', 'Groups', { displayName, externalId: guidOf(displayName) })
      const isWaiting = () =>
        sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await expect.poll(isWaiting).toHaveLength(1)
      await transaction`update groups set deleted_at = null, version = version + 1 where id = ${id}`
      return { response }
    })
    expect(await response).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    expect((await entra.ada.call(getGroup, { params: { id } })).roles).toEqual(['Stage.Editor'])
  })

  test('keeps the members whom an administrator added by hand', async () => {
    const { id } = await create()
    const [manual = '', ...others] = users
    await entra.ada.call(addGroupMembers, { params: { groupId: id }, query: {}, body: { members: [manual] } })
    await add(id, users)
    await client.send('PUT', `Groups/${id}`, { displayName: nextName() })
    const { items } = await entra.ada.call(listGroupMembers, { params: { groupId: id }, query: {} })
    expect(items.map((member) => member.id)).toEqual([manual])
    expect(others).toHaveLength(3)
  })

  test('that an administrator created is not read, changed, deleted or taken over', async () => {
    const name = nextName()
    const { id } = await entra.ada.call(createGroup, { body: { name, orgId: client.orgId } })
    expect(await client.send('POST', 'Groups', { displayName: name })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    })
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { displayName: 'x' }],
      ['PATCH', patch({ op: 'replace', path: 'displayName', value: 'x' })],
      ['DELETE', undefined],
    ] as const)
      expect((await client.send(method, `Groups/${id}`, body)).status).toBe(404)
    expect((await entra.ada.call(getGroup, { params: { id } })).name).toBe(name)
    const preview = await entra.ada.call(previewScimDeletion, {
      params: { orgId: client.orgId },
      query: { groupId: id },
    })
    expect(preview).toMatchObject({ outcome: 'refused' })
  })

  test('of which an administrator deletes one is not found', async () => {
    const { id } = await create()
    await entra.ada.call(deleteGroup, { params: { id }, query: {} })
    expect((await add(id, users)).status).toBe(404)
  })

  test('never carries a built-in role, even if 16 requests race', async () => {
    const { id } = await create()
    const give = (roles: string[]) =>
      entra.ada.call(putGroupRoles, { params: { groupId: id }, query: {}, body: { roles } })
    const attempts = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) =>
        index % 2 === 0 ? give(['Passport.Admin']) : add(id, users.slice(0, 1 + (index % 3))),
      ),
    )
    const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason.body.code] : []))
    expect(refused).toEqual(Array.from({ length: 8 }, () => 'group-managed-externally'))
    expect((await entra.ada.call(getGroup, { params: { id } })).roles).toEqual([])
    await give(['Stage.Editor'])
  })

  test('takes what the mappings of the group give at once', async () => {
    const displayName = nextName()
    const { id } = await create(displayName, { members: toMembers(users.slice(0, 2)) })
    await entra.ada.call(putEntra, {
      params: { orgId: client.orgId },
      query: {},
      body: { allowGuests: false, mappings: [{ groupObjectId: guidOf(displayName), role: 'Stage.Editor' }] },
    })
    const { sql } = entra.service
    for (const user of users.slice(0, 2)) {
      const [login] = await sql<{ id: string }[]>`select id from logins where user_id = ${user}`
      await claims.save(
        sql,
        { loginId: login?.id ?? '', orgId: client.orgId },
        { groups: [guidOf(displayName)], roles: [] },
      )
    }
    await applyMappings(sql, client.orgId)
    const holders = async () =>
      (await sql`select user_id from role_members where role = 'Stage.Editor' order by user_id`).map(
        (row) => row['userId'],
      )
    expect(await holders()).toEqual(users.slice(0, 2).sort())
    await client.send('PATCH', `Groups/${id}`, patch({ op: 'Remove', path: 'members', value: [{ value: users[0] }] }))
    expect(await holders()).toEqual([users[1]])
    await client.send('DELETE', `Groups/${id}`)
    expect(await holders()).toEqual([])
  })
})

describe('members', () => {
  test('are all removed only by a removal without a value, and by an empty list', async () => {
    const all = users.slice(0, 2).sort()
    const { id, displayName } = await create(undefined, { members: toMembers(all) })
    for (const operation of [
      ...[[], null, '', {}].map((value) => ({ op: 'Remove', path: 'members', value })),
      ...[null, undefined].map((value) => ({ op: 'replace', path: 'members', value })),
      { op: 'replace', value: { members: null } },
      { op: 'remove', path: 'members[value eq ""]' },
      { op: 'remove', path: 'members.value' },
      { op: 'remove', path: 'members[]' },
    ]) {
      await client.send('PATCH', `Groups/${id}`, patch(operation))
      expect([operation, await membersOf(id)]).toEqual([operation, all])
    }
    for (const operation of [
      { op: 'remove', path: 'members' },
      { op: 'replace', path: 'members', value: [] },
    ]) {
      await add(id, all)
      await client.send('PATCH', `Groups/${id}`, patch(operation))
      expect([operation, await membersOf(id)]).toEqual([operation, []])
    }
    await add(id, all)
    // A PUT is the whole group.
    await client.send('PUT', `Groups/${id}`, { displayName })
    expect(await membersOf(id)).toEqual([])
  })

  test('are added by 16 concurrent requests without a lost update', async () => {
    const { id } = await create()
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        index % 2 === 0
          ? add(id, [users[(index / 2) % 4] ?? ''])
          : client.send(
              'PATCH',
              `Groups/${id}`,
              patch({ op: 'replace', path: 'displayName', value: `Race ${id} ${index}` }),
            ),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 204))
    expect(await membersOf(id)).toEqual([...users].sort())
    expect((await entra.ada.call(getGroup, { params: { id } })).memberCount).toBe(4)
  })

  test.for([
    [
      'a user who is not provisioned',
      { value: 'nobody' },
      'members[value eq "nobody"] (the organisation does not provision this user)',
    ],
    ['a nested group', { value: 'x', type: 'Group' }, 'members (only users can be members, by their ids)'],
    ['a member without an id', { display: 'Ada' }, 'members (only users can be members, by their ids)'],
    ['a text that cannot be stored', { value: 'a\0' }, 'members.value (characters that cannot be stored)'],
  ] as const)('others are added if %s is not', async ([, member, omission]) => {
    const { id, displayName } = await create(undefined, { members: [member] })
    expect(await membersOf(id)).toEqual([])
    const [user = ''] = users
    const value = [{ value: user }, member]
    for (const [method, body] of [
      ['PATCH', patch({ op: 'add', path: 'members', value })],
      ['PATCH', patch({ op: 'replace', path: 'members', value })],
      ['PUT', { displayName, members: value }],
    ] as const) {
      const { status } = await client.send(method, `Groups/${id}`, body)
      expect((await lastNotes()).join()).toContain(omission)
      expect([method, status < 300, await membersOf(id)]).toEqual([method, true, [user]])
    }
    // Without any member that can be added, nothing changes.
    for (const op of ['add', 'replace']) {
      const refused = await client.send('PATCH', `Groups/${id}`, patch({ op, path: 'members', value: [member] }))
      expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
      expect(await membersOf(id)).toEqual([user])
    }
  })

  test('10,000 are added in one request, in a few statements; 10,001 are refused whole', async () => {
    const { sql } = entra.service
    const big = await createTestClient(entra, 'company-2.example')
    const ids = Array.from({ length: 10_001 }, (_, index) => `big-${String(index).padStart(5, '0')}`)
    await sql`insert into users (id, display_name) select id, id from unnest(${ids}::text[]) id`
    await sql`
      insert into scim_users (org_id, user_id, user_name, governs)
      select ${big.orgId}, id, id, 'account' from unnest(${ids}::text[]) id`
    const { id } = (await big.send('POST', 'Groups', { displayName: 'Everyone' })).body
    const addAll = (ids: string[]) =>
      big.send('PATCH', `Groups/${id}`, patch({ op: 'Add', path: 'members', value: toMembers(ids) }))
    const refused = await addAll(ids)
    expect(refused).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('10001 members, more than 10000, and nothing was changed') },
    })
    expect((await entra.ada.call(getGroup, { params: { id } })).memberCount).toBe(0)
    let status = 0
    const statements = await recordStatements(sql, async () => {
      status = (await addAll(ids.slice(0, 10_000))).status
    })
    expect([status, statements.length <= 20]).toEqual([204, true])
    expect((await entra.ada.call(getGroup, { params: { id } })).memberCount).toBe(10_000)
  })
})
