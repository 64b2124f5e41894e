import * as api from '@passport/contract/own-permissions'
import { lookUpResources, putPermissionSchema, writeRelationships } from '@passport/contract/permissions'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { explainOwnPermission, listOwnPermissions } from './own-permissions.ts'
import { parseWireRelationship, touch } from './test-tools.ts'

/* Users may read their own permissions, and nothing about those of others. */

const schema = `caveat in_hours(hour int, audience string) {
  hour > 8 && audience != ""
}

definition crew {
  relation member: passport/user | passport/group#member | crew#member
  permission read_by = member
}

definition project {
  relation lead: passport/user | passport/user with in_hours
  relation crew: crew
  relation org: passport/org
  relation banned: passport/user
  permission read = (lead + crew->read_by + org->manage) - banned
  permission own = lead
  permission share = lead & crew->read_by
}

definition secret {
  relation reader: crew
  permission open = reader->read_by
}`

let service: TestService
let [ada, dev, eve] = [] as unknown as [Visitor, Visitor, Visitor]
beforeAll(async () => {
  service = await startTestService()
  const { sql } = service
  ada = await service.as('ada')
  dev = await service.as('dev')
  eve = await service.as('eve')
  await sql`insert into groups (id, name) values ('g1', 'Keepers')`
  await sql`insert into group_members (group_id, user_id) values ('g1', ${dev.id}), ('g1', ${ada.id})`
  await sql`insert into orgs (id, name, slug) values ('o1', 'Contoso', 'contoso')`
  await sql`insert into org_members (org_id, user_id, role) values ('o1', ${dev.id}, 'admin')`
  await ada.call(putPermissionSchema, { body: { text: schema } })
  const many = Array.from({ length: 12 }, (_, index) => `project:of-all-${10 + index}#crew@crew:all`)
  const leadRelationship = (id: string, { id: userId }: Visitor) => `project:${id}#lead@passport/user:${userId}`
  await write(
    leadRelationship('apollo', dev),
    leadRelationship('apollo', eve),
    leadRelationship('gemini', eve),
    `project:apollo#banned@passport/user:${eve.id}`,
    'project:apollo#org@passport/org:o1',
    'project:apollo#crew@crew:all',
    'crew:all#member@passport/group:g1#member',
    `crew:all#member@passport/user:${eve.id}`,
    ...many,
  )
  const caveat = { name: 'in_hours', context: { audience: 'mallory' } }
  const relationship = { ...parseWireRelationship(`project:hours#lead@passport/user:${dev.id}`), caveat }
  await ada.call(writeRelationships, { body: { updates: [{ operation: 'touch', relationship }] } })
})
const write = (...lines: string[]) => ada.call(writeRelationships, { body: touch(...lines) })

const parseQuery = (next: string | null) => Object.fromEntries(new URL(next ?? '', 'http://x').searchParams)
const path = (visitor: Visitor, id: string, permission = 'read', type = 'project') =>
  visitor.call(api.explainOwnPermission, { query: { type, permission, id } })

describe('the permissions of the caller', () => {
  test('are those with at least one resource, each with its first resources', async () => {
    const { items, next } = await dev.call(api.listOwnPermissions, { query: {} })
    expect(next).toBeNull()
    expect(items.map(({ type, permission, items }) => [type, permission, items.length])).toEqual([
      ['crew', 'read_by', 1],
      ['project', 'read', 10],
      ['project', 'own', 2],
      ['project', 'share', 1],
      ['passport/org', 'manage', 1],
      ['passport/org', 'belong', 1],
    ])
    const [, , own, share, manage] = items
    expect(own?.items).toEqual([
      { id: 'apollo', name: null, permissionship: 'hasPermission', partialCaveatMissing: [] },
      { id: 'hours', name: null, permissionship: 'conditional', partialCaveatMissing: ['hour'] },
    ])
    expect(share).toMatchObject({ items: [{ id: 'apollo' }], next: null })
    expect(manage?.items).toMatchObject([{ id: 'o1', name: 'Contoso' }])
  })

  test('equal those that an administrator reads for the user', async () => {
    const { items } = await dev.call(api.listOwnPermissions, { query: {} })
    for (const { type, permission, next } of items) {
      const subject = { type: 'passport/user', id: dev.id }
      const lookup = await ada.call(lookUpResources, { body: { resourceType: type, permission, subject } })
      const own = await dev.call(api.listOwnResources, { query: { type, permission } })
      expect(own.items.map(({ name, ...rest }) => rest)).toEqual(lookup.items)
      expect(next === null).toBe(lookup.items.length <= 10)
    }
  })

  test('continue at `next`, which is valid for this user only', async () => {
    const { items } = await dev.call(api.listOwnPermissions, { query: {} })
    const read = items.find(({ permission }) => permission === 'read')
    const query = parseQuery(read?.next ?? null) as { type: string; permission: string; after: string }
    const more = await dev.call(api.listOwnResources, { query })
    const ids = [...(read?.items ?? []), ...more.items].map(({ id }) => id)
    expect(ids).toHaveLength(14)
    expect(ids).toEqual([...new Set(ids)].toSorted())
    expect(more).toMatchObject({ limit: 50, next: null })
    await expect(eve.call(api.listOwnResources, { query })).rejects.toMatchObject({
      status: 400,
      problem: { code: 'cursor-mismatch', errors: [{ field: 'after' }] },
    })
  })

  test('are split into pages when the time limit is reached', async () => {
    const context = { engine: service.services.permissions, sql: service.sql, userId: dev.id }
    const seen: string[] = []
    let [after, pages] = [undefined as string | undefined, 0]
    do {
      const { items, next } = await listOwnPermissions(context, after, () => true)
      seen.push(...items.map(({ type, permission }) => `${type} ${permission}`))
      after = next === null ? undefined : parseQuery(next)['after']
      pages++
    } while (after !== undefined)
    const whole = await dev.call(api.listOwnPermissions, { query: {} })
    expect(seen).toEqual(whole.items.map(({ type, permission }) => `${type} ${permission}`))
    // No user has a secret: that permission gives a page without items that is not the last.
    expect(pages).toBe(seen.length + 1)
    const first = await listOwnPermissions(context, undefined, () => true)
    const otherCursor = parseQuery(first.next)['after'] ?? ''
    await expect(eve.call(api.listOwnPermissions, { query: { after: otherCursor } })).rejects.toMatchObject({
      status: 400,
      problem: { code: 'cursor-mismatch', errors: [{ field: 'after' }] },
    })
  })

  test('that cannot be evaluated do not affect others, and disclose no stored data', async () => {
    // The deepest sort first by id.
    const deep = Array.from({ length: 60 }, (_, index) => `crew:deep${98 - index}#member@crew:deep${99 - index}#member`)
    await write(`crew:deep99#member@passport/user:${eve.id}`, ...deep)
    const { items } = await eve.call(api.listOwnPermissions, { query: {} })
    const summary = items.map(({ type, permission, error }) => [type, permission, error?.code])
    expect(summary).toEqual([
      ['crew', 'read_by', 'depth-exceeded'],
      ['project', 'read', undefined],
      ['project', 'own', undefined],
      ['project', 'share', undefined],
    ])
    expect(items[0]?.items).toEqual([])
    const query = { type: 'crew', permission: 'read_by' }
    const rejected = await eve.fetch(`${api.listOwnResources.path}?${new URLSearchParams(query)}`)
    expect(rejected.status).toBe(409)
    const text = await rejected.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'depth-exceeded' })
    expect(text).not.toContain('deep')
    await ada.call(writeRelationships, {
      body: {
        updates: deep.map((line) => ({ operation: 'delete' as const, relationship: parseWireRelationship(line) })),
      },
    })
  })
})

describe('a path', () => {
  const lines = (chains: Awaited<ReturnType<typeof path>>['chains']) =>
    chains.map((chain) =>
      chain.map(({ subject, relation, resource }) => `${subject.name ?? subject.id} ${relation} ${resource.id}`),
    )

  test('leads from the user through their groups to the resource', async () => {
    const { chains, permissionship } = await path(dev, 'of-all-10')
    expect(permissionship).toBe('hasPermission')
    expect(chains).toEqual([
      [
        {
          subject: { type: 'passport/user', id: dev.id, name: expect.any(String) },
          relation: 'member',
          resource: { type: 'passport/group', id: 'g1', name: 'Keepers' },
        },
        {
          subject: { type: 'passport/group', id: 'g1', relation: 'member', name: 'Keepers' },
          relation: 'member',
          resource: { type: 'crew', id: 'all', name: null },
        },
        {
          subject: { type: 'crew', id: 'all', name: null },
          relation: 'crew',
          resource: { type: 'project', id: 'of-all-10', name: null },
        },
      ],
    ])
    expect(lines((await path(dev, 'o1', 'belong', 'passport/org')).chains)).toEqual([
      [expect.stringMatching(/ admin o1$/)],
    ])
  })

  test('has several chains for an intersection', async () => {
    const { chains } = await path(dev, 'apollo', 'share')
    expect(chains.map((chain) => chain.at(-1)?.relation)).toEqual(['lead', 'crew'])
    for (const [first] of chains) expect(first?.subject.id).toBe(dev.id)
  })

  test('does not disclose exclusions, other members, or caveat context', async () => {
    for (const id of ['apollo', 'hours', 'of-all-10']) {
      const text = JSON.stringify(await path(dev, id))
      expect(text).not.toContain(eve.id)
      expect(text).not.toContain(ada.id)
      expect(text).not.toMatch(/banned|mallory|audience/)
    }
    expect((await path(dev, 'hours')).chains.flat()).toMatchObject([{ caveat: { name: 'in_hours' } }])
  })

  test('is equally empty for banned users, resources of others and missing resources', async () => {
    const none = { permissionship: 'noPermission', partialCaveatMissing: [], chains: [] }
    expect(await path(eve, 'apollo')).toEqual(none)
    expect(await path(dev, 'gemini')).toEqual(none)
    expect(await path(dev, 'nothing')).toEqual(none)
  })

  test.for([
    ['project', 'banned'],
    ['project', 'nothing'],
    ['nothing', 'read'],
    ['passport/group', 'member'],
  ] as const)(
    'is rejected with permission-not-found if users cannot have the permission: %s %s',
    async ([type, permission]) => {
      for (const call of [
        () => path(eve, 'apollo', permission, type),
        () => eve.call(api.listOwnResources, { query: { type, permission } }),
      ])
        await expect(call()).rejects.toMatchObject({ status: 404, problem: { code: 'permission-not-found' } })
    },
  )

  test('with a malformed id is rejected at that field', async () => {
    await expect(path(dev, 'a b')).rejects.toMatchObject({
      status: 400,
      problem: { code: 'malformed-id', errors: [{ field: 'id' }] },
    })
  })

  test('is rejected with 501 if the engine returns no trace', async () => {
    const { permissions, sql } = { ...service.services, sql: service.sql }
    const check: typeof permissions.check = async (request) => permissions.check(request)
    const context = { engine: { ...permissions, check }, sql, userId: dev.id }
    const query = { type: 'project', permission: 'read', id: 'apollo' }
    await expect(explainOwnPermission(context, query)).rejects.toMatchObject({ status: 501 })
    expect(await explainOwnPermission(context, { ...query, id: 'gemini' })).toMatchObject({ chains: [] })
  })
})
