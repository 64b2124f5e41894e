import { createGroup, getGroup } from '@passport/contract/groups'
import { createJoinLink } from '@passport/contract/join'
import * as api from '@passport/contract/orgs'
import { listTrash } from '@passport/contract/trash'
import { createUser, getUser, type User, updateUser } from '@passport/contract/users'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import * as store from './store.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
let ada: Visitor
let eve: Visitor
let dev: Visitor
let max: Visitor

beforeAll(async () => {
  service = await startTestService()
  ;[ada, eve, dev, max] = await Promise.all([
    service.as('ada'),
    service.as('eve'),
    service.as('dev'),
    service.as('max'),
  ])
})

const createOrg = (name: string, more: { slug?: string; domains?: string[] } = {}) =>
  ada.call(api.createOrg, { body: { name, ...more } })
const add = (visitor: Visitor, orgId: string, members: string[], role: api.OrgRole = 'member') =>
  visitor.call(visitor === ada ? api.addOrgMembers : api.addOwnOrgMembers, {
    params: { orgId },
    query: {},
    body: { members, role },
  })
const remove = (visitor: Visitor, orgId: string, members: string[]) =>
  visitor.call(visitor === ada ? api.removeOrgMembers : api.removeOwnOrgMembers, {
    params: { orgId },
    query: {},
    body: { members },
  })
const setRole = (visitor: Visitor, orgId: string, userId: string, role: api.OrgRole) =>
  visitor.call(visitor === ada ? api.putOrgMember : api.putOwnOrgMember, {
    params: { orgId, userId },
    query: {},
    body: { role },
  })
const listMembers = async (orgId: string) => {
  const { items } = await ada.call(api.listOrgMembers, { params: { orgId }, query: {} })
  return items.map(({ id, role }) => [id, role])
}
const problem = (status: number, code: string) => ({ status, body: { code } })

describe('an organisation', () => {
  test('is read back as it was created, with every field', async () => {
    const created = await createOrg('  Contoso Söhne ', {
      slug: 'Contoso',
      domains: ['contoso.example', 'Bücher.example'],
    })
    expect(created).toMatchObject({
      name: 'Contoso Söhne',
      slug: 'contoso',
      kind: 'standard',
      memberCount: 0,
      version: 1,
      domains: [
        { domain: 'contoso.example', status: 'pending', dnsName: '_passport-challenge.contoso.example' },
        { domain: 'xn--bcher-kva.example', status: 'pending', verifiedAt: null, checkedAt: null, failingSince: null },
      ],
    })
    expect(created.domains[0]?.dnsValue).toMatch(/^passport-verify=[\w-]{43}$/)
    expect(await ada.call(api.getOrg, { params: { orgId: created.id } })).toEqual(created)
    const { domains: _, ...rest } = created
    const { items } = await ada.call(api.listOrgs, { query: { query: created.id } })
    expect(items).toEqual([{ ...rest, domains: [] }])
  })

  test('is created with its location and its version', async () => {
    const response = await ada.fetch('/passport/admin/orgs', json('POST', { name: 'Placed' }))
    const { id } = await readBody(response)
    expect([response.status, response.headers.get('location'), response.headers.get('etag')]).toEqual([
      201,
      `/passport/admin/orgs/${id}`,
      '"1"',
    ])
    const again = await ada.fetch(`/passport/admin/orgs/${id}`, { headers: { 'if-none-match': '"1"' } })
    expect(again.status).toBe(304)
  })

  test('derives its slug from its name, with a number if that is taken', async () => {
    const slugs = await Promise.all(
      ['Ünited  Robots!', 'united robots', 'United-Robots'].map((name) => createOrg(name)),
    )
    expect(slugs.map(({ slug }) => slug).sort()).toEqual(['united-robots', 'united-robots-2', 'united-robots-3'])
    expect((await createOrg('例え')).slug).toBe('org')
    await expect(createOrg('Other', { slug: 'united-robots' })).rejects.toMatchObject(problem(409, 'slug-taken'))
  })

  test.for([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: ' \u200b ' }, 'name'],
    [{ name: 'a\u0000' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ name: 'a'.repeat(129) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'A', slug: 'a b' }, 'slug'],
    [{ name: 'A', slug: '-a' }, 'slug'],
    [{ name: 'A', slug: 'a'.repeat(64) }, 'slug'],
    [{ name: 'A', domains: ['localhost'] }, 'domains[0]'],
    [{ name: 'A', domains: ['ok.example', '127.0.0.1'] }, 'domains[1]'],
    [{ name: 'A', domains: ['ok.example', 'GMail.com'] }, 'domains[1]'],
    [{ name: 'A', domains: Array.from({ length: 21 }, (_, index) => `d${index}.example`) }, 'domains'],
  ])('is not created from %j', async ([body, field]) => {
    const response = await ada.fetch('/passport/admin/orgs', json('POST', body))
    expect(response.status).toBe(400)
    expect((await readBody(response)).errors).toMatchObject([{ field }])
  })

  test('is renamed only with its current version', async () => {
    const { id } = await createOrg('Before')
    const params = { orgId: id }
    const body = { name: 'After', slug: 'after-all' }
    await expect(ada.call(api.putOrg, { params, body }, { ifMatch: '"7"' })).rejects.toMatchObject({ status: 412 })
    const renamed = await ada.call(api.putOrg, { params, body }, { ifMatch: '"1"' })
    expect(renamed).toMatchObject({ ...body, version: 2 })
    expect((await ada.call(api.putOrg, { params, body })).version).toBe(2)
    await createOrg('Taker', { slug: 'taken' })
    await expect(ada.call(api.putOrg, { params, body: { ...body, slug: 'taken' } })).rejects.toMatchObject(
      problem(409, 'slug-taken'),
    )
    await expect(ada.call(api.putOrg, { params: { orgId: 'none' }, body })).rejects.toMatchObject(
      problem(404, 'org-not-found'),
    )
  })
})

describe('the list of organisations', () => {
  test('is read in full in every order, each organisation once', async () => {
    for (let index = 0; index < 5; index++) {
      const { id } = await createOrg(`Listed ${'BÄCAb'[index]}`)
      await add(ada, id, [eve.id, dev.id, max.id].slice(0, 1 + (index % 3)))
    }
    const keys = {
      name: ({ name }: api.OrgSummary) => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
      created: ({ createdAt }: api.OrgSummary) => createdAt,
      members: ({ memberCount }: api.OrgSummary) => String(memberCount),
    }
    for (const sort of ['name', 'created', 'members'] as const)
      for (const order of ['', '-'] as const) {
        const page = await readAllPages(`/passport/admin/orgs?query=listed&sort=${order}${sort}&limit=2`)
        expect(page.pages, order + sort).toEqual([2, 2, 1])
        const listed = page.items.map((org) => `${keys[sort](org)} ${org.id}`)
        expect(listed).toEqual(order === '' ? listed.toSorted() : listed.toSorted().reverse())
        expect(page.total).toBe(5)
      }
  })

  test.for(['created', '-created', 'members'])('by %s rejects the cursor of another order', async (sort) => {
    const after = Buffer.from(JSON.stringify(['nonsense', 'x'])).toString('base64url')
    const response = await ada.fetch(`/passport/admin/orgs?sort=${sort}&after=${after}`)
    expect([response.status, (await readBody(response)).code]).toEqual([400, 'cursor-invalid'])
  })

  test('finds word prefixes, ignoring punctuation', async () => {
    await createOrg('Größe & Söhne Ltd', { slug: 'gs' })
    const names = async (query: string) =>
      (await ada.call(api.listOrgs, { query: { query } })).items.map(({ name }) => name)
    expect(await names('sohn gro')).toEqual(['Größe & Söhne Ltd'])
    expect(await names("größe':* | !&()")).toEqual(['Größe & Söhne Ltd'])
    expect(await names('ohne')).toEqual([])
  })

  test('accepts any search text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), async (query) => {
        const { status } = await ada.fetch(`/passport/admin/orgs?${new URLSearchParams({ query })}`)
        expect([200, 400]).toContain(status)
      }),
      { numRuns: numRuns / 4 },
    )
  })
})

describe('the members of an organisation', () => {
  test('are added and removed in idempotent batches', async () => {
    const { id } = await createOrg('Batches')
    const first = await add(ada, id, [eve.id, dev.id, eve.id], 'admin')
    expect(first).toEqual({ orgId: id, version: 2, changed: [eve.id, dev.id], unchanged: [], memberCount: 2 })
    const second = await add(ada, id, [eve.id, max.id])
    expect(second).toMatchObject({ version: 3, changed: [max.id], unchanged: [eve.id], memberCount: 3 })
    expect(await add(ada, id, [max.id])).toMatchObject({ version: 3, changed: [], unchanged: [max.id] })
    expect(await listMembers(id)).toEqual([
      ...[eve.id, dev.id].sort().map((userId) => [userId, 'admin']),
      [max.id, 'member'],
    ])
    expect(await remove(ada, id, [max.id, ada.id])).toMatchObject({
      changed: [max.id],
      unchanged: [ada.id],
      were: [{ id: max.id, role: 'member' }],
    })
    expect((await ada.call(api.getOrg, { params: { orgId: id } })).memberCount).toBe(2)
  })

  test('are listed with name, role and date, owners first, page by page', async () => {
    const { id } = await createOrg('Versions')
    await add(ada, id, [eve.id])
    await add(ada, id, [dev.id], 'owner')
    await add(ada, id, [max.id], 'admin')
    const path = `/passport/admin/orgs/${id}/members?limit=1`
    const { items, total } = await readAllPages<api.OrgMember>(path)
    expect(total).toBe(3)
    const shared = { avatarPngUrl: null, since: expect.any(String) }
    expect(items).toEqual([
      { ...shared, id: dev.id, name: 'Dev Patel', username: 'dev', role: 'owner' },
      { ...shared, id: max.id, name: 'Max Weber', username: 'max', role: 'admin' },
      { ...shared, id: eve.id, name: 'Eve Moreau', username: 'eve', role: 'member' },
    ])
    const page = (query: string) => readAllPages<api.OrgMember>(`${path}&${query}`)
    expect((await page('query=MOR')).items.map(({ id }) => id)).toEqual([eve.id])
    expect((await page('role=admin')).total).toBe(1)
  })

  test.for([
    [{ members: [] }, 400, 'members'],
    [{ members: ['x'], role: 'boss' }, 400, 'role'],
    [{ members: 'x' }, 400, 'members'],
    [{ members: ['x'], roles: [] }, 400, undefined],
    [{ members: Array.from({ length: 201 }, () => 'x') }, 400, 'members'],
    [{ members: ['x'] }, 400, 'members[0]'],
  ])('are not added by %j', async ([body, status, field]) => {
    const { id } = await createOrg('Rejected')
    const response = await ada.fetch(`/passport/admin/orgs/${id}/members/add`, json('POST', body))
    const problem = await readBody(response)
    expect([response.status, field && problem.errors[0].field]).toEqual([status, field])
  })

  test('are added all or none', async () => {
    const { id } = await createOrg('All')
    await expect(add(ada, id, [eve.id, 'nobody'])).rejects.toMatchObject({
      status: 400,
      body: { code: 'unknown-profiles', errors: [{ field: 'members[1]', code: 'not-found' }] },
    })
    expect(await listMembers(id)).toEqual([])
  })

  test('keep an owner once they have one', async () => {
    const { id } = await createOrg('Owned')
    await add(ada, id, [eve.id])
    await remove(ada, id, [eve.id])
    await add(ada, id, [eve.id], 'owner')
    await expect(remove(ada, id, [eve.id])).rejects.toMatchObject(problem(409, 'last-owner'))
    await expect(setRole(ada, id, eve.id, 'member')).rejects.toMatchObject(problem(409, 'last-owner'))
    expect(await listMembers(id)).toEqual([[eve.id, 'owner']])
    await add(ada, id, [dev.id], 'owner')
    expect(await setRole(ada, id, eve.id, 'member')).toMatchObject({ id: eve.id, role: 'member' })
  })

  test('keep one of two owners who leave concurrently', async () => {
    const { id } = await createOrg('Race')
    await add(ada, id, [eve.id, dev.id], 'owner')
    const outcomes = await Promise.allSettled([remove(eve, id, [eve.id]), remove(dev, id, [dev.id])])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await listMembers(id)).toHaveLength(1)
  })
})

test('renaming an organisation changes the versions of its groups, which contain its name', async () => {
  const org = await createOrg('Before')
  const group = await ada.call(createGroup, { body: { name: 'Versions', orgId: org.id } })
  const renaming = { params: { orgId: org.id }, body: { name: 'After', slug: org.slug } }
  await ada.call(api.putOrg, renaming)
  expect(await ada.call(getGroup, { params: { id: group.id } })).toMatchObject({ orgName: 'After', version: 2 })
  await ada.call(api.putOrg, renaming)
  expect(await ada.call(getGroup, { params: { id: group.id } })).toMatchObject({ version: 2 })
})

test('renaming, deleting or restoring an organisation changes the versions of its members', async () => {
  const { id, slug } = await createOrg('Old name')
  const otherOrg = await createOrg('Other')
  const { id: userId } = await ada.call(createUser, { query: {}, body: { displayname: 'Versions' } })
  await add(ada, id, [userId])
  await add(ada, otherOrg.id, [userId])
  const seen = new Set<string>()
  let tag = '"0"'
  /** Reads the organisation names of the user with If-None-Match; expects a version that was never used before. */
  const names = async () => {
    const response = await ada.fetch(`/passport/admin/users/${userId}`, { headers: { 'if-none-match': tag } })
    if (response.status === 304) return 'unchanged'
    const { orgs, version } = (await response.json()) as User
    tag = response.headers.get('etag') ?? ''
    expect(tag).toBe(`"${version}"`)
    expect(seen.has(tag), `${tag} again`).toBe(false)
    seen.add(tag)
    return orgs.map(({ name }) => name)
  }
  const params = { orgId: id }
  expect(await names()).toEqual(['Old name', 'Other'])
  const stale = tag
  await ada.call(api.putOrg, { params, body: { name: 'New name', slug } })
  expect(await names()).toEqual(['New name', 'Other'])
  const user = await ada.call(getUser, { params: { userId } })
  const change = { params: { userId }, body: { ...user, displayname: 'Renamed user' } }
  const rejected = ada.call(updateUser, change, { ifMatch: stale })
  await expect(rejected).rejects.toMatchObject(problem(412, 'precondition-failed'))
  await ada.call(updateUser, change, { ifMatch: tag })
  expect(await names()).toEqual(['New name', 'Other'])
  await ada.call(api.putOrg, { params, body: { name: 'New name', slug: `${slug}-2` } })
  expect(await names()).toBe('unchanged')
  await ada.call(api.deleteOrg, { params, query: {} })
  expect(await names()).toEqual(['Other'])
  await ada.call(api.restoreOrg, { params, query: {}, body: {} })
  expect(await names()).toEqual(['New name', 'Other'])
  await ada.call(api.deleteOrg, { params: { orgId: otherOrg.id }, query: {} })
  expect(await names()).toEqual(['New name'])
  await service.sql`update orgs set deleted_at = now() - interval '31 days' where id = ${otherOrg.id}`
  const before = tag
  await store.purgeDeleted(service.sql, 30, 10)
  expect(await names()).toEqual(['New name'])
  expect(Number(tag.slice(1, -1))).toBeGreaterThan(Number(before.slice(1, -1)))
  await remove(ada, id, [userId])
  expect(await names()).toEqual([])
})

test('the owners of an organisation cannot find out emails by adding users', async () => {
  const { id } = await createOrg('Curious')
  await add(ada, id, [eve.id], 'owner')
  await service.sql`insert into users (id, email) values ('nameless', 'secret@example.com')`
  await add(eve, id, ['nameless'])
  const { items } = await eve.call(api.listOwnOrgMembers, { params: { orgId: id }, query: {} })
  expect(items.map(({ name }) => name)).toContain('nameless')
})

test('a preview of a membership change writes nothing', async () => {
  const { id } = await createOrg('Tried')
  await add(ada, id, [eve.id], 'owner')
  const before = await listMembers(id)
  const params = { orgId: id }
  const query = { preview: true }
  const previews = [
    await ada.call(api.addOrgMembers, { params, query, body: { members: [dev.id] } }),
    await eve.call(api.addOwnOrgMembers, { params, query, body: { members: [dev.id] } }),
    await ada.call(api.putOrgMember, { params: { ...params, userId: eve.id }, query, body: { role: 'owner' } }),
  ]
  for (const preview of previews) expect(preview).toEqual({ gains: [], loses: [] })
  await expect(ada.call(api.removeOrgMembers, { params, query, body: { members: [eve.id] } })).rejects.toMatchObject(
    problem(409, 'last-owner'),
  )
  expect(await listMembers(id)).toEqual(before)
})

test('the member count is correct when a user leaves all organisations while another joins', async () => {
  const { id } = await createOrg('Counted')
  await add(ada, id, [eve.id])
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const coming = transaction(service.sql, async (sql) => {
    await store.lock(sql, id)
    await store.addMembers(sql, id, [dev.id], { role: 'member', addedBy: ada.id })
    await released
  })
  await expect.poll(isLocked(id)).toBe(true)
  const leaving = transaction(service.sql, (sql) => store.removeFromOrgs(sql, eve.id))
  await expect.poll(isWaiting).toBe(true)
  release()
  await Promise.all([coming, leaving])
  expect((await ada.call(api.getOrg, { params: { orgId: id } })).memberCount).toBe(1)
  const outcomes = await leaving
  await transaction(service.sql, (sql) => store.restoreToOrgs(sql, eve.id, outcomes))
  expect((await ada.call(api.getOrg, { params: { orgId: id } })).memberCount).toBe(2)
})
const isLocked = (id: string) => async () =>
  (await service.sql`select from orgs where id = ${id} for update skip locked`).length === 0
const isWaiting = async () => (await service.sql`select from pg_locks where not granted`).length > 0

describe('a member of an organisation', () => {
  test('manages it only as owner or admin, appoints owners only as owner, and gets 404 after leaving', async () => {
    const { id } = await createOrg('Run')
    const params = { orgId: id }
    const calls = [
      () => eve.call(api.getOwnOrg, { params }),
      () => eve.call(api.listOwnOrgMembers, { params, query: {} }),
      () => add(eve, id, [max.id]),
      () => remove(eve, id, [dev.id]),
      () => setRole(eve, id, dev.id, 'member'),
      () => eve.call(api.addOwnOrgMembers, { params, query: {}, body: { members: [max.id] } }, { ifMatch: '"999"' }),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject(problem(404, 'org-not-found'))

    await add(ada, id, [dev.id], 'owner')
    await add(ada, id, [eve.id])
    for (const call of calls) await expect(call()).rejects.toMatchObject(problem(403, 'org-not-yours-to-run'))

    await setRole(dev, id, eve.id, 'admin')
    expect(await eve.call(api.getOwnOrg, { params })).toMatchObject({ name: 'Run', memberCount: 2 })
    await add(eve, id, [max.id], 'admin')
    const owners = problem(403, 'owner-not-yours-to-make')
    await expect(setRole(eve, id, eve.id, 'owner')).rejects.toMatchObject(owners)
    await expect(setRole(eve, id, dev.id, 'member')).rejects.toMatchObject(owners)
    await expect(remove(eve, id, [dev.id])).rejects.toMatchObject(owners)
    await expect(add(eve, id, [ada.id], 'owner')).rejects.toMatchObject(owners)
    await setRole(dev, id, eve.id, 'owner')
    expect(await remove(eve, id, [eve.id])).toMatchObject({ changed: [eve.id] })
    await expect(eve.call(api.getOwnOrg, { params })).rejects.toMatchObject(problem(404, 'org-not-found'))
  })

  test('may leave it, which the current user endpoint reports', async () => {
    const { id } = await createOrg('Leave')
    await add(ada, id, [eve.id])
    const listOwnOrgs = async () => (await readBody(await eve.fetch('/passport/apphelper/user'))).orgs
    expect(await listOwnOrgs()).toContainEqual({ id, name: 'Leave', role: 'member' })
    await remove(eve, id, [eve.id])
    expect(await listOwnOrgs()).not.toContainEqual(expect.objectContaining({ id }))
  })
})

describe('a deleted organisation', () => {
  test('is restored with its members, its domains and its groups', async () => {
    const { sql } = service
    const { id } = await createOrg('Deleted', { slug: 'deleted', domains: ['deleted.example'] })
    const params = { orgId: id }
    await add(ada, id, [eve.id], 'owner')
    await sql`insert into groups (id, name, org_id) values ('g-there', 'There', ${id}), ('g-gone', 'Gone', ${id})`
    await sql`update groups set deleted_at = '2026-01-01' where id = 'g-gone'`
    const listLiveGroups = async () =>
      (await sql`select id from groups where org_id = ${id} and deleted_at is null`).map(({ id }) => id)
    const before = await ada.call(api.getOrg, { params })
    const members = await listMembers(id)

    await ada.call(api.deleteOrg, { params, query: {} })
    await expect(ada.call(api.getOrg, { params })).rejects.toMatchObject(problem(404, 'org-not-found'))
    await expect(ada.call(api.deleteOrg, { params, query: {} })).rejects.toMatchObject({ status: 404 })
    await expect(add(ada, id, [dev.id])).rejects.toMatchObject({ status: 404 })
    expect(await listLiveGroups()).toEqual([])
    expect((await ada.call(listTrash, { query: { kind: 'org' } })).items).toMatchObject([
      { id, deletedBy: { id: ada.id } },
    ])

    const restored = await ada.call(api.restoreOrg, { params, query: {}, body: {} })
    expect({ ...restored, updatedAt: '', version: 0 }).toEqual({ ...before, updatedAt: '', version: 0 })
    expect(await listMembers(id)).toEqual(members)
    expect(await listLiveGroups()).toEqual(['g-there'])
  })

  test('is restored with another slug if its own was taken', async () => {
    const { id } = await createOrg('Slugged', { slug: 'slugged' })
    const params = { orgId: id }
    await ada.call(api.deleteOrg, { params, query: {} })
    await createOrg('Usurper', { slug: 'slugged' })
    await expect(ada.call(api.restoreOrg, { params, query: {}, body: {} })).rejects.toMatchObject(
      problem(409, 'slug-taken'),
    )
    const body = { slug: 'slugged-again' }
    expect(await ada.call(api.restoreOrg, { params, query: {}, body })).toMatchObject({ name: 'Slugged', ...body })
  })

  test('is not restored after 30 days', async () => {
    const { id } = await createOrg('Old')
    await ada.call(api.deleteOrg, { params: { orgId: id }, query: {} })
    await service.sql`update orgs set deleted_at = now() - interval '31 days' where id = ${id}`
    await expect(ada.call(api.restoreOrg, { params: { orgId: id }, query: {}, body: {} })).rejects.toMatchObject({
      status: 404,
    })
  })

  test('removes the roles of its groups, and restores them, as previewed', async () => {
    const { sql } = service
    const { id } = await createOrg('With roles')
    await sql`insert into groups (id, name, org_id) values ('g-role', 'With roles', ${id})`
    await sql`insert into group_roles (group_id, role) values ('g-role', 'Passport.Developer')`
    await groups.addJoiningMember(sql, 'g-role', eve.id, ada.id)
    const params = { orgId: id }
    const preview = await ada.fetch(`/passport/admin/orgs/${id}?preview=true`, { method: 'DELETE' })
    expect(await readBody(preview)).toEqual({
      gains: [],
      loses: [{ role: 'Passport.Developer', people: 1, sample: [{ id: eve.id, name: 'Eve Moreau' }] }],
    })
    expect(await ada.call(api.getOrg, { params })).toMatchObject({ version: 1 })
    await ada.call(api.deleteOrg, { params, query: {} })
    const roles = async () => (await readBody(await eve.fetch('/passport/apphelper/user'))).roles
    expect(await roles()).toEqual([])
    const back = await ada.fetch(`/passport/admin/orgs/${id}/restore?preview=true`, json('POST', {}))
    expect(await readBody(back)).toMatchObject({ gains: [{ role: 'Passport.Developer', people: 1 }], loses: [] })
    await ada.call(api.restoreOrg, { params, query: {}, body: {} })
    expect(await roles()).toEqual(['Passport.Developer'])
  })
})

test('lists and details take at most three statements besides the one that loads the caller', async () => {
  const { sql } = service
  const { id } = await createOrg('Counted', { domains: ['counted.example'] })
  await add(ada, id, [eve.id, dev.id], 'owner')
  await ada.call(createJoinLink, { body: { kind: 'org', targetId: id } })
  const paths = [
    '/passport/admin/orgs?limit=200',
    '/passport/admin/orgs?limit=200&query=co&sort=-members',
    `/passport/admin/orgs?query=${id}`,
    `/passport/admin/orgs/${id}`,
    `/passport/admin/orgs/${id}/members?limit=200`,
    `/passport/orgs/${id}/members?limit=200&query=e`,
    `/passport/joinlinks?kind=org&targetId=${id}`,
  ]
  for (const path of paths) {
    const statements = await recordStatements(sql, async () => expect((await ada.fetch(path)).status, path).toBe(200))
    expect(statements.length <= 4 || statements, path).toBe(true)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: the tests check its content
const readBody = (response: Response): Promise<any> => response.json()

const json = (method: string, body: unknown) => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

async function readAllPages<T = api.OrgSummary>(path: string) {
  const items: T[] = []
  const pages: number[] = []
  let total = 0
  for (let next: string | null = path; next !== null; ) {
    const page: { items: T[]; next: string | null; total: number } = await readBody(await ada.fetch(next))
    items.push(...page.items)
    pages.push(page.items.length)
    total = page.total
    next = page.next
  }
  return { items, pages, total }
}
