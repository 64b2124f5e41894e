import type { ApiError } from '@passport/contract/call'
import * as api from '@passport/contract/permissions'
import { describe, expect, test } from 'vitest'
import { parseCheck } from './test-engines.ts'
import { fetchProblem, parseWireRelationship, schema, startTools, touch } from './test-tools.ts'

/* Checks and lookups over HTTP, with the embedded engine. */

const { ada } = await startTools()

describe('a check', () => {
  test.for([
    ['document:plan#view@user:ada', 'hasPermission'],
    ['document:plan#view@user:frida', 'hasPermission'],
    ['document:plan#view@user:mallory', 'noPermission'],
    ['document:plan#view@user:eve', 'noPermission'],
  ] as const)('of %s is %s', async ([text, permissionship]) => {
    const result = await ada.call(api.checkPermission, { body: parseCheck(text) })
    expect(result).toMatchObject({ permissionship, partialCaveatMissing: [] })
    expect(result.debugTrace).toBeUndefined()
  })

  test('returns its trace on request', async () => {
    const body = { ...parseCheck('document:plan#view@user:ada'), withTrace: true }
    const { debugTrace } = await ada.call(api.checkPermission, { body })
    expect(debugTrace).toMatchObject({ resource: { type: 'document', id: 'plan' }, permissionship: 'hasPermission' })
    expect(JSON.stringify(debugTrace)).toContain('"crew"')
  })

  test('marks repeated evaluations in its trace', async () => {
    const both = schema.replace(
      'permission view = viewer + parent',
      'permission both = viewer & parent->view\n  permission view = viewer + parent',
    )
    const whatIf = {
      schema: both,
      add: touch('folder:all#viewer@group:crew#member').updates.map(({ relationship }) => relationship),
      remove: [],
    }
    const body = { ...parseCheck('document:plan#both@user:ada'), withTrace: true, whatIf }
    const { permissionship, debugTrace } = await ada.call(api.checkPermission, { body })
    expect(permissionship).toBe('hasPermission')
    expect(JSON.stringify(debugTrace).match(/"isRepeated":true/g)).toHaveLength(1)
  })

  test.for([
    ['document:plan#view@user:ada', 'relationship'],
    ['document:plan#view@user:mallory', 'excluded'],
    ['document:plan#view@user:eve', 'no-relationship'],
  ] as const)('of %s has the reason %s with its trace, and none without it', async ([text, reason]) => {
    const body = parseCheck(text)
    expect(await ada.call(api.checkPermission, { body: { ...body, withTrace: true } })).toMatchObject({ reason })
    expect(await ada.call(api.checkPermission, { body })).not.toHaveProperty('reason')
  })

  test('reports the usersets of a cycle', async () => {
    const [first, second] = ['group:one#member', 'group:two#member']
    await ada.call(api.writeRelationships, { body: touch(`${first}@${second}`, `${second}@${first}`) })
    const body = { ...parseCheck(`${first}@user:ada`), withTrace: true }
    const failed = await ada.call(api.checkPermission, { body }).catch((error: ApiError) => error.problem)
    expect(failed).toMatchObject({ status: 409, code: 'cycle', errors: [{ field: 'body', circle: [first, second] }] })
  })

  test('is conditional without the values of a caveat', async () => {
    const caveat = { name: 'only_friday' }
    const updates = [
      {
        operation: 'touch' as const,
        relationship: { ...parseWireRelationship('document:menu#viewer@user:eve'), caveat },
      },
    ]
    await ada.call(api.writeRelationships, { body: { updates } })
    const body = parseCheck('document:menu#view@user:eve')
    const residual = 'day == "fri"'
    const result = await ada.call(api.checkPermission, { body: { ...body, withTrace: true } })
    expect(result).toMatchObject({ permissionship: 'conditional', partialCaveatMissing: ['day'], residual })
    expect(JSON.stringify(result.debugTrace)).toContain(JSON.stringify({ residual }).slice(1, -1))
    const known = { ...body, context: { day: 'fri' } }
    expect(await ada.call(api.checkPermission, { body: known })).toMatchObject({ permissionship: 'hasPermission' })
  })

  const request = parseCheck('document:plan#view@user:ada')
  test.for([
    [{ ...request, resource: { type: 'letter', id: 'plan' } }, 400, 'unknown-type', 'resource.type'],
    [{ ...request, permission: 'edit' }, 400, 'unknown-permission', 'permission'],
    [{ ...request, resource: { type: 'document', id: 'a b' } }, 400, 'malformed-id', 'resource.id'],
    [{ ...request, subject: { type: 'user', id: '*' } }, 400, 'wildcard-subject', 'subject.id'],
    [{ ...parseCheck('document:menu#view@user:eve'), context: { day: 5 } }, 400, 'context-type', 'context.day'],
    [{ ...request, consistency: { kind: 'atLeastAsFresh', token: 'x' } }, 400, 'zedtoken-invalid', 'consistency.token'],
    [{ ...request, consistency: { kind: 'whenever' } }, 400, 'invalid-request', 'consistency.kind'],
  ] as const)('is rejected with a specific code: %j', async ([body, status, code, field]) => {
    expect(await fetchProblem(ada, api.checkPermission.path, body)).toEqual({ status, code, field })
  })

  test.for([
    ['an id with a space', api.checkPermission.path, { ...request, resource: { type: 'document', id: 'a b' } }],
    ['a long id', api.checkPermission.path, { ...request, resource: { type: 'document', id: 'x'.repeat(5000) } }],
    ['a long id in a write', api.writeRelationships.path, touch(`document:${'x'.repeat(5000)}#viewer@user:ada`)],
  ] as const)('with a malformed id is rejected with a short description of valid ids: %s', async ([, path, body]) => {
    const response = await ada.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { code, detail } = (await response.json()) as { code: string; detail: string }
    expect({ code, detail }).toEqual({
      code: 'malformed-id',
      detail: expect.stringContaining('1 to 1024 characters A to Z'),
    })
    expect(detail.length).toBeLessThan(200)
  })

  test('in bulk reports an error in the place of its result', async () => {
    const items = [parseCheck('document:plan#view@user:ada'), parseCheck('document:plan#edit@user:ada')]
    const { items: results } = await ada.call(api.checkPermissionsInBulk, { body: { items } })
    expect(results).toEqual([
      { permissionship: 'hasPermission', partialCaveatMissing: [] },
      { error: { code: 'unknown-permission', message: expect.any(String), field: 'permission' } },
    ])
    const many = Array.from({ length: 1001 }, () => parseCheck('document:plan#view@user:ada'))
    expect(await fetchProblem(ada, api.checkPermissionsInBulk.path, { items: many })).toMatchObject({
      status: 400,
      code: 'too-many',
      field: 'items',
    })
  })

  test('lists all permissions of a subject', async () => {
    const { resource, subject } = parseCheck('document:plan#view@user:ada')
    const { items } = await ada.call(api.listPermissionsOfSubject, { body: { resource, subject } })
    expect(items.map(({ name, kind, permissionship }) => [name, kind, permissionship])).toEqual([
      ['view', 'permission', 'hasPermission'],
      ['parent', 'relation', 'noPermission'],
      ['viewer', 'relation', 'hasPermission'],
      ['banned', 'relation', 'noPermission'],
    ])
  })
})

describe('a lookup', () => {
  test('has cursors that do not depend on the order of JSON members', async () => {
    const facts = ['folder:o1#viewer@user:olga', 'folder:o2#viewer@user:olga', 'folder:o3#viewer@user:olga']
    await ada.call(api.writeRelationships, { body: touch(...facts) })
    const read = async (text: string): Promise<{ items: { id: string }[]; cursor: string }> => {
      const headers = { 'content-type': 'application/json' }
      const response = await ada.fetch(api.lookUpResources.path, { method: 'POST', headers, body: text })
      expect(response.status).toBe(200)
      return (await response.json()) as never
    }
    const request = (context: string, rest = '') =>
      `{"resourceType":"folder","permission":"view","limit":2${rest},"subject":{"type":"user","id":"olga"},"context":${context}}`
    const first = await read(request('{"a":1,"b":{"c":2,"d":3}}'))
    const second = await read(request('{"b":{"d":3,"c":2},"a":1}', `,"cursor":${JSON.stringify(first.cursor)}`))
    expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([['o1', 'o2'], ['o3']])
    const reordered = `{"subject":{"id":"olga","type":"user"},"cursor":${JSON.stringify(first.cursor)},"limit":2,"permission":"view","context":{"b":{"c":2,"d":3},"a":1},"resourceType":"folder"}`
    expect((await read(reordered)).items.map(({ id }) => id)).toEqual(['o3'])
  })

  test('of resources and subjects is paged, and its cursor is valid for the same request only', async () => {
    await ada.call(api.writeRelationships, {
      body: touch('folder:n1#viewer@user:nora', 'folder:n2#viewer@user:nora', 'folder:n3#viewer@user:nora'),
    })
    const body = { resourceType: 'folder', permission: 'view', subject: { type: 'user', id: 'nora' }, limit: 2 }
    const first = await ada.call(api.lookUpResources, { body })
    expect(first.items.map(({ id }) => id)).toEqual(['n1', 'n2'])
    const second = await ada.call(api.lookUpResources, { body: { ...body, cursor: first.cursor ?? '' } })
    expect(second.items.map(({ id }) => id)).toEqual(['n3'])
    expect(second.cursor).toBeNull()
    const otherQuery = { ...body, subject: { type: 'user', id: 'ada' }, cursor: first.cursor }
    expect(await fetchProblem(ada, api.lookUpResources.path, otherQuery)).toMatchObject({
      status: 400,
      code: 'cursor-mismatch',
      field: 'cursor',
    })
    expect(await fetchProblem(ada, api.lookUpResources.path, { ...body, limit: 1001 })).toMatchObject({
      status: 400,
      field: 'limit',
    })
    const subjectsRequest = { resource: { type: 'document', id: 'plan' }, permission: 'view', subjectType: 'user' }
    const { items } = await ada.call(api.lookUpSubjects, { body: subjectsRequest })
    expect(items.map(({ id }) => id)).toEqual(['ada', 'frida'])
  })
})

describe('the closest miss', () => {
  const miss = (text: string) => ada.call(api.findClosestMiss, { body: parseCheck(text) })
  test('of a denied check suggests additions, nearest first', async () => {
    const { permissionship, items } = await miss('document:plan#view@user:eve')
    expect(permissionship).toBe('noPermission')
    expect(items.map(({ change, relationship: { resource, relation } }) => [change, resource.id, relation])).toEqual(
      expect.arrayContaining([
        ['add', 'plan', 'viewer'],
        ['add', 'crew', 'member'],
        ['add', 'all', 'viewer'],
      ]),
    )
    expect(items[0]?.relationship.resource).toEqual({ type: 'document', id: 'plan' })
  })
  test('of an excluded subject suggests a removal', async () => {
    const { items } = await miss('document:plan#view@user:mallory')
    expect(items.map(({ change, relationship }) => [change, relationship])).toEqual([
      ['remove', parseWireRelationship('document:plan#banned@user:mallory')],
    ])
  })
})

test('completes the ids of a known type', async () => {
  const { items } = await ada.call(api.completeObjectIds, { query: { type: 'user', prefix: 'f' } })
  expect(items).toEqual([{ id: 'frida', name: null }])
  expect(await fetchProblem(ada, `${api.completeObjectIds.path}?type=nope`, undefined, 'GET')).toEqual({
    status: 400,
    code: 'unknown-type',
    field: 'type',
  })
})

test('reports the status of the engine', async () => {
  const status = await ada.call(api.getPermissionStatus, {})
  expect(status).toMatchObject({
    engine: { kind: 'embedded' },
    can: { suppose: true, history: true, completion: true, importAtOnce: true },
  })
  expect(status.counts?.find(({ type }) => type === 'group')?.relationships).toBeGreaterThan(1)
})
