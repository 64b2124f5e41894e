import type { ApiError } from '@passport/contract/call'
import * as api from '@passport/contract/permissions'
import { reasons } from '@passport/permissions/reason'
import { describe, expect, test } from 'vitest'
import { questionOf } from './test-engines.ts'
import { row, schema, startTools, touch } from './test-tools.ts'

/** Questions over HTTP, on the engine of this process. */

const { ada, refusal } = await startTools()

test('every reason that the engine can give is one of the contract, and no other', () => {
  expect(api.Reason.options.toSorted()).toEqual(Object.values(reasons).flat().toSorted())
})

describe('a check', () => {
  test.for([
    ['document:plan#view@user:ada', 'hasPermission'],
    ['document:plan#view@user:frida', 'hasPermission'],
    ['document:plan#view@user:mallory', 'noPermission'],
    ['document:plan#view@user:eve', 'noPermission'],
  ] as const)('of %s is %s', async ([text, permissionship]) => {
    const answer = await ada.call(api.checkPermission, { body: questionOf(text) })
    expect(answer).toMatchObject({ permissionship, partialCaveatMissing: [] })
    expect(answer.debugTrace).toBeUndefined()
  })

  test('tells its reason where it is asked for', async () => {
    const body = { ...questionOf('document:plan#view@user:ada'), withTrace: true }
    const { debugTrace } = await ada.call(api.checkPermission, { body })
    expect(debugTrace).toMatchObject({ resource: { type: 'document', id: 'plan' }, permissionship: 'hasPermission' })
    expect(JSON.stringify(debugTrace)).toContain('"crew"')
  })

  test('says in its reason what was worked out elsewhere already', async () => {
    const both = schema.replace(
      'permission view = viewer + parent',
      'permission both = viewer & parent->view\n  permission view = viewer + parent',
    )
    const whatIf = {
      schema: both,
      add: touch('folder:all#viewer@group:crew#member').updates.map(({ relationship }) => relationship),
      remove: [],
    }
    const body = { ...questionOf('document:plan#both@user:ada'), withTrace: true, whatIf }
    const { permissionship, debugTrace } = await ada.call(api.checkPermission, { body })
    expect(permissionship).toBe('hasPermission')
    expect(JSON.stringify(debugTrace).match(/"isRepeated":true/g)).toHaveLength(1)
  })

  test.for([
    ['document:plan#view@user:ada', 'relationship'],
    ['document:plan#view@user:mallory', 'excluded'],
    ['document:plan#view@user:eve', 'no-relationship'],
  ] as const)('of %s tells %s with its trace, and without it nothing', async ([text, reason]) => {
    const body = questionOf(text)
    expect(await ada.call(api.checkPermission, { body: { ...body, withTrace: true } })).toMatchObject({ reason })
    expect(await ada.call(api.checkPermission, { body })).not.toHaveProperty('reason')
  })

  test('that goes in a circle tells by which sets', async () => {
    const [one, other] = ['group:one#member', 'group:two#member']
    await ada.call(api.writeRelationships, { body: touch(`${one}@${other}`, `${other}@${one}`) })
    const body = { ...questionOf(`${one}@user:ada`), withTrace: true }
    const failed = await ada.call(api.checkPermission, { body }).catch((error: ApiError) => error.problem)
    expect(failed).toMatchObject({ status: 409, code: 'cycle', errors: [{ field: 'body', circle: [one, other] }] })
  })

  test('depends on what a caveat is not told', async () => {
    const caveat = { name: 'only_friday' }
    const updates = [{ operation: 'touch' as const, relationship: { ...row('document:menu#viewer@user:eve'), caveat } }]
    await ada.call(api.writeRelationships, { body: { updates } })
    const body = questionOf('document:menu#view@user:eve')
    const residual = 'day == "fri"'
    const answer = await ada.call(api.checkPermission, { body: { ...body, withTrace: true } })
    expect(answer).toMatchObject({ permissionship: 'conditional', partialCaveatMissing: ['day'], residual })
    expect(JSON.stringify(answer.debugTrace)).toContain(JSON.stringify({ residual }).slice(1, -1))
    const known = { ...body, context: { day: 'fri' } }
    expect(await ada.call(api.checkPermission, { body: known })).toMatchObject({ permissionship: 'hasPermission' })
  })

  const asked = questionOf('document:plan#view@user:ada')
  test.for([
    [{ ...asked, resource: { type: 'letter', id: 'plan' } }, 400, 'unknown-type', 'resource.type'],
    [{ ...asked, permission: 'edit' }, 400, 'unknown-permission', 'permission'],
    [{ ...asked, resource: { type: 'document', id: 'a b' } }, 400, 'malformed-id', 'resource.id'],
    [{ ...asked, subject: { type: 'user', id: '*' } }, 400, 'wildcard-subject', 'subject.id'],
    [{ ...questionOf('document:menu#view@user:eve'), context: { day: 5 } }, 400, 'context-type', 'context.day'],
    [{ ...asked, consistency: { kind: 'atLeastAsFresh', token: 'x' } }, 400, 'zedtoken-invalid', 'consistency.token'],
    [{ ...asked, consistency: { kind: 'whenever' } }, 400, 'invalid-request', 'consistency.kind'],
  ] as const)('that is wrong is refused with its own code: %j', async ([body, status, code, field]) => {
    expect(await refusal(api.checkPermission.path, body)).toEqual({ status, code, field })
  })

  test.for([
    ['a question with a space', api.checkPermission.path, { ...asked, resource: { type: 'document', id: 'a b' } }],
    ['a long one', api.checkPermission.path, { ...asked, resource: { type: 'document', id: 'x'.repeat(5000) } }],
    ['a long write', api.writeRelationships.path, touch(`document:${'x'.repeat(5000)}#viewer@user:ada`)],
  ] as const)('that names nothing possible learns what is, in a few words: %s', async ([, path, body]) => {
    const response = await ada.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { code, detail } = (await response.json()) as { code: string; detail: string }
    expect({ code, detail }).toEqual({ code: 'malformed-id', detail: expect.stringContaining('1 to 1024 of A to Z') })
    expect(detail.length).toBeLessThan(200)
  })

  test('in bulk tells a fault in its place', async () => {
    const items = [questionOf('document:plan#view@user:ada'), questionOf('document:plan#edit@user:ada')]
    const { items: answers } = await ada.call(api.checkPermissionsInBulk, { body: { items } })
    expect(answers).toEqual([
      { permissionship: 'hasPermission', partialCaveatMissing: [] },
      { error: { code: 'unknown-permission', message: expect.any(String), field: 'permission' } },
    ])
    const many = Array.from({ length: 1001 }, () => questionOf('document:plan#view@user:ada'))
    expect(await refusal(api.checkPermissionsInBulk.path, { items: many })).toMatchObject({
      status: 400,
      code: 'too-many',
      field: 'items',
    })
  })

  test('of all permissions at once is a grid', async () => {
    const { resource, subject } = questionOf('document:plan#view@user:ada')
    const { items } = await ada.call(api.listPermissionsOfSubject, { body: { resource, subject } })
    expect(items.map(({ name, kind, permissionship }) => [name, kind, permissionship])).toEqual([
      ['view', 'permission', 'hasPermission'],
      ['parent', 'relation', 'noPermission'],
      ['viewer', 'relation', 'hasPermission'],
      ['banned', 'relation', 'noPermission'],
    ])
  })
})

describe('a look-up', () => {
  test('of resources and of subjects comes in pages, whose cursor fits no other question', async () => {
    await ada.call(api.writeRelationships, {
      body: touch('folder:n1#viewer@user:nora', 'folder:n2#viewer@user:nora', 'folder:n3#viewer@user:nora'),
    })
    const body = { resourceType: 'folder', permission: 'view', subject: { type: 'user', id: 'nora' }, limit: 2 }
    const first = await ada.call(api.lookUpResources, { body })
    expect(first.items.map(({ id }) => id)).toEqual(['n1', 'n2'])
    const second = await ada.call(api.lookUpResources, { body: { ...body, cursor: first.cursor ?? '' } })
    expect(second.items.map(({ id }) => id)).toEqual(['n3'])
    expect(second.cursor).toBeNull()
    const other = { ...body, subject: { type: 'user', id: 'ada' }, cursor: first.cursor }
    expect(await refusal(api.lookUpResources.path, other)).toMatchObject({
      status: 400,
      code: 'cursor-mismatch',
      field: 'cursor',
    })
    const who = { resource: { type: 'document', id: 'plan' }, permission: 'view', subjectType: 'user' }
    const { items } = await ada.call(api.lookUpSubjects, { body: who })
    expect(items.map(({ id }) => id)).toEqual(['ada', 'frida'])
  })
})

describe('the closest miss', () => {
  const miss = (text: string) => ada.call(api.findClosestMiss, { body: questionOf(text) })
  test('of a no is what to add, the nearest first', async () => {
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
  test('of one who is kept out is what to remove', async () => {
    const { items } = await miss('document:plan#view@user:mallory')
    expect(items.map(({ change, relationship }) => [change, relationship])).toEqual([
      ['remove', row('document:plan#banned@user:mallory')],
    ])
  })
})

test('pickers complete ids, and the state of the engine is told', async () => {
  const { items } = await ada.call(api.completeObjectIds, { query: { type: 'user', prefix: 'f' } })
  expect(items).toEqual([{ id: 'frida', name: null }])
  expect(await refusal(`${api.completeObjectIds.path}?type=nope`, undefined, 'GET')).toEqual({
    status: 400,
    code: 'unknown-type',
    field: 'type',
  })
  const status = await ada.call(api.getPermissionStatus, {})
  expect(status).toMatchObject({
    engine: { kind: 'embedded' },
    can: { suppose: true, history: true, completion: true, importAtOnce: true },
  })
  expect(status.counts?.find(({ type }) => type === 'group')?.relationships).toBeGreaterThan(1)
})
