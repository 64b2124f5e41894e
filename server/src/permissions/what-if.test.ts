import * as api from '@passport/contract/permissions'
import { parseRelationship, printRelationship } from '@passport/permissions'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { parseCheck } from './test-engines.ts'
import { fetchProblem, touch } from './test-tools.ts'
import { toWireRelationship } from './to-wire.ts'

const schema = `use expiration

definition user {}

caveat only_friday(day string) {
  day == "fri"
}

definition group {
  relation member: user
}

definition folder {
  relation viewer: user | group#member
  permission view = viewer
}

definition document {
  relation parent: folder | folder with only_friday
  relation viewer: user | user:* | group#member | user with expiration
  relation banned: user
  permission view = viewer + parent->view - banned
}`

/** A relationship with its caveat and expiration. */
const row = (line: string) => toWireRelationship(parseRelationship(line))

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
  const body = touch(
    'document:plan#viewer@group:crew#member',
    'document:plan#parent@folder:all',
    'document:plan#banned@user:mallory',
    'document:menu#viewer@user:*',
    'group:crew#member@user:ada',
    'group:crew#member@user:mallory',
  )
  await ada.call(api.writeRelationships, { body })
})

const count = async () => (await ada.call(api.listRelationships, { query: { resourceType: 'document' } })).items.length

describe('a request with whatIf', () => {
  test.for([
    ['document:plan#view@user:eve', {}, 'noPermission'],
    ['document:plan#view@user:eve', { add: ['folder:all#viewer@user:eve'] }, 'hasPermission'],
    ['document:plan#view@user:mallory', { remove: ['document:plan#banned@user:mallory'] }, 'hasPermission'],
    ['document:plan#view@user:ada', { remove: ['group:crew#member@user:ada'] }, 'noPermission'],
    [
      'document:plan#view@user:eve',
      { add: ['folder:all#viewer@user:eve', 'document:plan#parent@folder:all[only_friday]'] },
      'conditional',
    ],
    ['document:new#view@user:new', { add: ['document:new#viewer@user:new'] }, 'hasPermission'],
  ] as const)('%s, assuming %j, is %s', async ([text, whatIf, permissionship]) => {
    const before = await count()
    const { add = [], remove = [] } = whatIf as { add?: string[]; remove?: string[] }
    const body = { ...parseCheck(text), withTrace: true, whatIf: { add: add.map(row), remove: remove.map(row) } }
    const result = await ada.call(api.checkPermission, { body })
    expect(result).toMatchObject({ permissionship, leftOut: 0 })
    expect(JSON.stringify(result.debugTrace).includes('"isSupposed":true')).toBe(add.length > 0)
    expect(await count()).toBe(before)
  })

  test('finds resources and subjects, page by page', async () => {
    const add = ['a', 'b', 'c'].map((id) => row(`document:${id}#viewer@user:eve`))
    const request = { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'eve' } }
    const first = await ada.call(api.lookUpResources, { body: { ...request, limit: 2, whatIf: { add } } })
    expect(first.items.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(first).toMatchObject({ leftOut: 0, hasCycle: false, visited: expect.any(Number) })
    const next = { ...request, limit: 2, cursor: first.cursor ?? '' }
    const second = await ada.call(api.lookUpResources, { body: { ...next, whatIf: { add } } })
    expect(second.items.map(({ id }) => id)).toEqual(['c', 'menu'])
    expect(await fetchProblem(ada, api.lookUpResources.path, next)).toMatchObject({ code: 'cursor-mismatch' })
    const subjects = await ada.call(api.lookUpSubjects, {
      body: {
        resource: { type: 'document', id: 'plan' },
        permission: 'view',
        subjectType: 'user',
        whatIf: { add: [row('folder:all#viewer@user:eve')], remove: [row('group:crew#member@user:ada')] },
      },
    })
    expect(subjects.items.map(({ id }) => id)).toEqual(['eve'])
    expect(subjects.visited).toBeGreaterThan(0)
  })

  test('works in bulk, for all permissions, and for expansion', async () => {
    const whatIf = { add: [row('folder:all#viewer@user:eve')] }
    const items = [parseCheck('document:plan#view@user:eve'), parseCheck('document:plan#view@user:mallory')]
    const bulk = await ada.call(api.checkPermissionsInBulk, { body: { items, whatIf } })
    expect(bulk).toMatchObject({
      items: [{ permissionship: 'hasPermission' }, { permissionship: 'noPermission' }],
      leftOut: 0,
    })
    const [resource, subject] = [
      { type: 'document', id: 'menu' },
      { type: 'user', id: 'eve' },
    ]
    const text = schema
      .replace('user:* | ', '')
      .replace('  permission view = viewer +', '  permission edit = viewer\n  permission view = viewer +')
    const body = { resource, subject, whatIf: { schema: text } }
    const listedPermissions = await ada.call(api.listPermissionsOfSubject, { body })
    expect(listedPermissions.leftOut).toBe(1)
    expect(listedPermissions.items.map(({ name, permissionship }) => [name, permissionship]).slice(0, 2)).toEqual([
      ['edit', 'noPermission'],
      ['view', 'noPermission'],
    ])
    const folder = { type: 'folder', id: 'all' }
    const expanded = await ada.call(api.expandPermission, { body: { resource: folder, permission: 'viewer', whatIf } })
    expect(expanded).toMatchObject({ tree: { node: { kind: 'leaf', subjects: [{ subject }] } }, leftOut: 0 })
    const many = Array.from({ length: 1001 }, () => items[0])
    expect(await fetchProblem(ada, api.checkPermissionsInBulk.path, { items: many, whatIf })).toMatchObject({
      code: 'too-many',
    })
  })

  test('finds the closest miss on top of the assumed changes', async () => {
    const misses = async (text: string, whatIf: { add?: string[]; remove?: string[] }) => {
      const { add = [], remove = [] } = whatIf
      const hypothetical = { add: add.map(row), remove: remove.map(row) }
      const { items } = await ada.call(api.findClosestMiss, { body: { ...parseCheck(text), whatIf: hypothetical } })
      return items.map(({ change, relationship }) => `${change} ${printRelationship(relationship as never)}`)
    }
    const granted = { add: ['folder:all#viewer@user:eve'] }
    expect(await misses('document:plan#view@user:eve', granted)).toEqual([
      'add document:plan#banned@user:eve',
      'remove document:plan#parent@folder:all',
      'remove folder:all#viewer@user:eve',
    ])
    // Without the exclusion and the group, two changes would be needed, but one is assumed.
    const unbanned = { remove: ['document:plan#banned@user:mallory', 'group:crew#member@user:mallory'] }
    expect(await misses('document:plan#view@user:mallory', unbanned)).toContain('add group:crew#member@user:mallory')
  })

  test('assumes another schema, and counts relationships that do not fit it', async () => {
    const otherSchema = schema.replace('viewer: user | user:* | group#member', 'viewer: user | group#member')
    const everyone = parseCheck('document:menu#view@user:eve')
    const checkWithSchema = (text: string) =>
      ada.call(api.checkPermission, { body: { ...everyone, whatIf: { schema: text } } })
    expect(await checkWithSchema(schema)).toMatchObject({ permissionship: 'hasPermission', leftOut: 0 })
    expect(await checkWithSchema(otherSchema)).toMatchObject({ permissionship: 'noPermission', leftOut: 1 })
    const permission = 'edit'
    const more = schema.replace(
      '  permission view = viewer +',
      '  permission edit = viewer\n  permission view = viewer +',
    )
    const body = { ...parseCheck('document:plan#view@user:ada'), permission, whatIf: { schema: more } }
    expect(await ada.call(api.checkPermission, { body })).toMatchObject({ permissionship: 'hasPermission', leftOut: 0 })
    expect(await fetchProblem(ada, api.checkPermission.path, { ...body, whatIf: {} })).toMatchObject({
      code: 'unknown-permission',
    })
  })

  const request = parseCheck('document:plan#view@user:eve')
  const many = Array.from({ length: 1001 }, (_, index) => row(`document:m${index}#viewer@user:eve`))
  const twice = [row('document:a#viewer@user:eve'), row('document:a#viewer@user:eve')]
  test.for([
    [{ add: [row('document:a#view@user:eve')] }, 'write-to-permission', 'whatIf.add[0].relation'],
    [
      { add: [row('document:a#viewer@user:eve'), row('thing:a#viewer@user:eve')] },
      'unknown-type',
      'whatIf.add[1].resource.type',
    ],
    [{ remove: [row('document:a#parent@user:eve')] }, 'subject-not-allowed', 'whatIf.remove[0].subject'],
    [{ add: many }, 'too-many', 'whatIf.add'],
    [{ remove: many }, 'too-many', 'whatIf.remove'],
    [{ add: twice }, 'duplicate-update', 'whatIf.add[1]'],
    [{ add: twice.slice(1), remove: twice.slice(1) }, 'duplicate-update', 'whatIf.remove[0]'],
    [{ schema: 'definition user {' }, 'schema-invalid', 'whatIf.schema'],
    [{ add: [{ resource: 5 }] }, 'invalid-request', 'whatIf.add[0].resource'],
  ] as const)('is rejected if the what-if is invalid: %#', async ([whatIf, code, field]) => {
    expect(await fetchProblem(ada, api.checkPermission.path, { ...request, whatIf })).toEqual({
      status: 400,
      code,
      field,
    })
  })

  test('is rejected for past revisions, and for callers who are not administrators', async () => {
    const { checkedAt: token } = await ada.call(api.checkPermission, { body: request })
    const consistency = { kind: 'atExactSnapshot', token }
    expect(await fetchProblem(ada, api.checkPermission.path, { ...request, consistency, whatIf: {} })).toMatchObject({
      status: 400,
      code: 'what-if-past',
    })
    const eve = await service.as('eve')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...request, whatIf: {} })
    expect((await eve.fetch(api.checkPermission.path, { method: 'POST', headers, body })).status).toBe(403)
  })
})

test('an engine with an assumed schema finds relationships that do not fit it after a write too', async () => {
  const withoutWildcard = schema.replace('user:* | ', '')
  const engine = service.services.permissions.whatIf?.({ schema: withoutWildcard })
  const check = () => engine?.check(parseCheck('document:late#view@user:eve'))
  expect(await check()).toMatchObject({ permissionship: 'noPermission', leftOut: 1 })
  await ada.call(api.writeRelationships, { body: touch('document:late#viewer@user:*') })
  expect(await check()).toMatchObject({ permissionship: 'noPermission', leftOut: 2 })
})

test('expands a permission to its relationships', async () => {
  const resource = { type: 'document', id: 'plan' }
  const { tree } = await ada.call(api.expandPermission, { body: { resource, permission: 'view' } })
  const leaf = (permission: string, ...subjects: object[]) => ({
    resource,
    permission,
    node: { kind: 'leaf', subjects: subjects.map((subject) => ({ subject })) },
  })
  const folder = { type: 'folder', id: 'all' }
  expect(tree).toEqual({
    resource,
    permission: 'view',
    node: {
      kind: 'exclusion',
      children: [
        {
          resource,
          permission: 'view',
          node: {
            kind: 'union',
            children: [
              leaf('viewer', { type: 'group', id: 'crew', relation: 'member' }),
              {
                resource,
                permission: 'view',
                node: {
                  kind: 'union',
                  children: [
                    {
                      resource: folder,
                      permission: 'view',
                      node: { kind: 'union', children: [{ ...leaf('viewer'), resource: folder }] },
                    },
                  ],
                },
              },
            ],
          },
        },
        leaf('banned', { type: 'user', id: 'mallory' }),
      ],
    },
  })
  expect(await fetchProblem(ada, api.expandPermission.path, { resource, permission: 'none' })).toEqual({
    status: 400,
    code: 'unknown-permission',
    field: 'permission',
  })
})

test('an engine without what-if support fails before any query', async () => {
  // Nothing listens there, so a forwarded request would fail differently.
  const spiceDbService = await startTestService({ SPICEDB_ENDPOINT: 'http://127.0.0.1:1', SPICEDB_TOKEN: 'key' })
  const admin = await spiceDbService.as('ada')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...parseCheck('document:plan#view@user:eve'), whatIf: {} })
  const response = await admin.fetch(api.checkPermission.path, { method: 'POST', headers, body })
  expect([response.status, await response.json()]).toMatchObject([501, { code: 'what-if-not-supported' }])
})
