import * as api from '@passport/contract/permissions'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

/** The tools over HTTP, on the engine of this process. */

const schema = `definition user {}

caveat only_friday(day string) {
  day == "fri"
}

definition group {
  relation member: user | group#member
}

definition folder {
  relation viewer: user | group#member
  permission view = viewer
}

definition document {
  relation parent: folder
  relation viewer: user | user:* | group#member | user with only_friday
  relation banned: user
  permission view = viewer + parent->view - banned
}`

const object = (text: string) => {
  const [type = '', id = ''] = text.split(':')
  return { type, id }
}
const subject = (text: string) => {
  const [whole = '', relation] = text.split('#')
  return { ...object(whole), ...(relation && { relation }) }
}
const relationship = (text: string) => {
  const [place = '', who = ''] = text.split('@')
  const [resource = '', relation = ''] = place.split('#')
  return { resource: object(resource), relation, subject: subject(who) }
}
const question = (text: string) => {
  const { relation: permission, ...rest } = relationship(text)
  return { ...rest, permission }
}
const touch = (...texts: string[]) => ({
  updates: texts.map((text) => ({ operation: 'touch' as const, relationship: relationship(text) })),
})

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
  await ada.call(api.writeRelationships, {
    body: touch(
      'document:plan#viewer@group:crew#member',
      'document:plan#parent@folder:all',
      'document:plan#banned@user:mallory',
      'folder:all#viewer@user:frida',
      'group:crew#member@user:ada',
      'group:crew#member@user:mallory',
    ),
  })
})

/** A refusal, as whoever sends what the client would not let through gets it. */
async function refusal(path: string, body: unknown, method = 'POST') {
  const headers = { 'content-type': 'application/json' }
  const response = await ada.fetch(path, { method, headers, ...(method !== 'GET' && { body: JSON.stringify(body) }) })
  const { status, code, errors } = (await response.json()) as Record<string, unknown>
  return { status, code, field: (errors as { field: string }[] | undefined)?.[0]?.field }
}

describe('a check', () => {
  test.for([
    ['document:plan#view@user:ada', 'hasPermission'],
    ['document:plan#view@user:frida', 'hasPermission'],
    ['document:plan#view@user:mallory', 'noPermission'],
    ['document:plan#view@user:eve', 'noPermission'],
  ] as const)('of %s is %s', async ([text, permissionship]) => {
    const answer = await ada.call(api.checkPermission, { body: question(text) })
    expect(answer).toMatchObject({ permissionship, partialCaveatMissing: [] })
    expect(answer.debugTrace).toBeUndefined()
  })

  test('tells its reason where it is asked for', async () => {
    const body = { ...question('document:plan#view@user:ada'), withTrace: true }
    const { debugTrace } = await ada.call(api.checkPermission, { body })
    expect(debugTrace).toMatchObject({ resource: object('document:plan'), permissionship: 'hasPermission' })
    expect(JSON.stringify(debugTrace)).toContain('"crew"')
  })

  test('depends on what a caveat is not told', async () => {
    const caveat = { name: 'only_friday' }
    const updates = [
      { operation: 'touch' as const, relationship: { ...relationship('document:menu#viewer@user:eve'), caveat } },
    ]
    await ada.call(api.writeRelationships, { body: { updates } })
    const body = question('document:menu#view@user:eve')
    const residual = 'day == "fri"'
    const answer = await ada.call(api.checkPermission, { body: { ...body, withTrace: true } })
    expect(answer).toMatchObject({ permissionship: 'conditional', partialCaveatMissing: ['day'], residual })
    expect(JSON.stringify(answer.debugTrace)).toContain(JSON.stringify({ residual }).slice(1, -1))
    const known = { ...body, context: { day: 'fri' } }
    expect(await ada.call(api.checkPermission, { body: known })).toMatchObject({ permissionship: 'hasPermission' })
  })

  const asked = question('document:plan#view@user:ada')
  test.for([
    [{ ...asked, resource: { type: 'letter', id: 'plan' } }, 400, 'unknown-type', 'resource.type'],
    [{ ...asked, permission: 'edit' }, 400, 'unknown-permission', 'permission'],
    [{ ...asked, resource: { type: 'document', id: 'a b' } }, 400, 'malformed-id', 'resource.id'],
    [{ ...asked, subject: { type: 'user', id: '*' } }, 400, 'wildcard-subject', 'subject.id'],
    [{ ...question('document:menu#view@user:eve'), context: { day: 5 } }, 400, 'context-type', 'context.day'],
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
    const items = [question('document:plan#view@user:ada'), question('document:plan#edit@user:ada')]
    const { items: answers } = await ada.call(api.checkPermissionsInBulk, { body: { items } })
    expect(answers).toEqual([
      { permissionship: 'hasPermission', partialCaveatMissing: [] },
      { error: { code: 'unknown-permission', message: expect.any(String), field: 'permission' } },
    ])
    const many = Array.from({ length: 1001 }, () => question('document:plan#view@user:ada'))
    expect(await refusal(api.checkPermissionsInBulk.path, { items: many })).toMatchObject({
      status: 400,
      code: 'too-many',
      field: 'items',
    })
  })

  test('of all permissions at once is a grid', async () => {
    const { resource, subject } = question('document:plan#view@user:ada')
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
    const body = { resourceType: 'folder', permission: 'view', subject: subject('user:nora'), limit: 2 }
    const first = await ada.call(api.lookUpResources, { body })
    expect(first.items.map(({ id }) => id)).toEqual(['n1', 'n2'])
    const second = await ada.call(api.lookUpResources, { body: { ...body, cursor: first.cursor ?? '' } })
    expect(second.items.map(({ id }) => id)).toEqual(['n3'])
    expect(second.cursor).toBeNull()
    const other = { ...body, subject: subject('user:ada'), cursor: first.cursor }
    expect(await refusal(api.lookUpResources.path, other)).toMatchObject({
      status: 400,
      code: 'cursor-mismatch',
      field: 'cursor',
    })
    const who = { resource: object('document:plan'), permission: 'view', subjectType: 'user' }
    const { items } = await ada.call(api.lookUpSubjects, { body: who })
    expect(items.map(({ id }) => id)).toEqual(['ada', 'frida'])
  })
})

describe('relationships', () => {
  test('are read by either side', async () => {
    const { items } = await ada.call(api.listRelationships, { query: { subjectType: 'user', subjectId: 'frida' } })
    expect(items).toEqual([relationship('folder:all#viewer@user:frida')])
  })

  test('that run out before a moment are found', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const withExpiration = schema
      .replace('definition user', 'use expiration\n\ndefinition user')
      .replace('relation viewer: user | group#member', 'relation viewer: user | group#member | user with expiration')
    await ada.call(api.putPermissionSchema, { body: { text: withExpiration } })
    const expiring = { ...relationship('folder:soon#viewer@user:eve'), expiresAt }
    await ada.call(api.writeRelationships, { body: { updates: [{ operation: 'touch', relationship: expiring }] } })
    const find = (before: number) =>
      ada.call(api.listRelationships, {
        query: { resourceType: 'folder', expiresBefore: new Date(Date.now() + before).toISOString() },
      })
    expect((await find(7_200_000)).items).toEqual([expiring])
    expect((await find(60_000)).items).toEqual([])
  })

  const write = (updates: unknown[], preconditions?: unknown) =>
    refusal(api.writeRelationships.path, { updates, ...(preconditions !== undefined && { preconditions }) })
  const crew = { operation: 'create', relationship: relationship('group:crew#member@user:ada') }
  test.for([
    [[crew], undefined, 409, 'already-exists', 'updates[0].relationship'],
    [[{ ...crew, operation: 'touch' }, crew], undefined, 400, 'duplicate-update', undefined],
    [
      [{ ...crew, relationship: relationship('document:plan#view@user:ada') }],
      undefined,
      400,
      'write-to-permission',
      'updates[0].relationship.relation',
    ],
    [
      [{ ...crew, relationship: relationship('document:plan#banned@group:crew') }],
      undefined,
      400,
      'subject-not-allowed',
      undefined,
    ],
    [
      [{ ...crew, relationship: relationship('passport/role:Passport.Admin#member@passport/user:eve') }],
      undefined,
      409,
      'directory-owned',
      'updates[0].relationship.resource.type',
    ],
    [
      [{ ...crew, operation: 'touch' }],
      [{ operation: 'mustNotMatch', filter: { resourceType: 'group', resourceId: 'crew' } }],
      409,
      'precondition-failed',
      undefined,
    ],
    [
      [{ ...crew, operation: 'touch' }],
      [{ operation: 'mustNotMatch', filter: { resourceType: 'gruop', resourceId: 'crew' } }],
      400,
      'unknown-type',
      'preconditions[0].filter.resourceType',
    ],
    [
      [{ ...crew, operation: 'touch' }],
      [{ operation: 'mustMatch', filter: {} }],
      400,
      'filter-invalid',
      'preconditions[0].filter',
    ],
  ] as const)('are refused with a code of their own: %j', async ([updates, preconditions, status, code, field]) => {
    const found = await write([...updates], preconditions)
    expect(found).toMatchObject({ status, code, ...(field !== undefined && { field }) })
  })

  test.for([
    [api.writeRelationships.path, { updates: [crew], preconditons: [] }, 'body'],
    [
      api.writeRelationships.path,
      { updates: [{ ...crew, relationship: { ...crew.relationship, expiresat: '2030-01-01T00:00:00Z' } }] },
      'updates[0].relationship',
    ],
    [
      api.writeRelationships.path,
      { updates: [], preconditions: [{ operation: 'mustMatch', filter: { resourceType: 'group', resourceID: 'x' } }] },
      'preconditions[0].filter',
    ],
    [api.deleteRelationships.path, { filter: { resourceType: 'group', resourceID: 'crew' } }, 'filter'],
    [api.deleteListedRelationships.path, { relationships: [crew.relationship], precondition: [] }, 'body'],
  ] as const)('are not changed where a word is misspelt: %j', async ([path, body, field]) => {
    expect(await refusal(path, body)).toEqual({ status: 400, code: 'invalid-request', field })
    expect((await ada.call(api.listRelationships, { query: { resourceType: 'group' } })).items).not.toEqual([])
  })

  test.for([
    [api.checkPermission.path, { ...question('document:plan#view@user:ann'), consistensy: {} }],
    [api.checkPermission.path, { ...question('document:plan#view@user:ann'), whatif: { remove: [] } }],
    [api.findClosestMiss.path, { ...question('document:plan#view@user:ann'), consistency: {} }],
    [
      api.lookUpResources.path,
      { subject: { type: 'user', id: 'ann' }, resourceType: 'document', permission: 'view', contxt: {} },
    ],
    [api.previewDeletion.path, { filter: { resourceType: 'group' }, limit: 1 }],
  ] as const)('a question with a word that is misspelt is not answered: %j', async ([path, body]) => {
    expect(await refusal(path, body)).toMatchObject({ status: 400, code: 'invalid-request' })
  })

  test('are not imported where a dry run is misspelt', async () => {
    const file = 'relationships: group:band#member@user:never'
    const headers = { 'content-type': 'text/plain', origin: service.url }
    const response = await ada.fetch(`${api.importPermissions.path}?dryrun=true`, {
      method: 'POST',
      headers,
      body: file,
    })
    expect(await response.json()).toMatchObject({
      status: 400,
      errors: [{ field: 'dryrun', code: 'unknown-parameter' }],
    })
    const query = { resourceType: 'group', subjectId: 'never' }
    expect((await ada.call(api.listRelationships, { query })).items).toEqual([])
  })

  test('are deleted by a filter, after a look at who would lose what', async () => {
    await ada.call(api.writeRelationships, {
      body: touch(
        'group:band#member@user:bo',
        'group:band#member@user:cy',
        'folder:songs#viewer@group:band#member',
        'document:tune#parent@folder:songs',
        'document:tune#viewer@user:bo',
      ),
    })
    const filter = { resourceType: 'folder', resourceId: 'songs' }
    const preview = await ada.call(api.previewDeletion, { body: { filter } })
    expect(preview).toMatchObject({
      relationships: [relationship('folder:songs#viewer@group:band#member')],
      gains: [],
      isComplete: true,
    })
    const losses = preview.losses.filter(({ subjectType }) => subjectType === 'user')
    expect(losses.map(({ resource, count, sample }) => [resource.id, count, sample])).toEqual([
      ['songs', 2, ['bo', 'cy']],
      ['tune', 1, ['cy']],
    ])
    expect(await ada.call(api.deleteRelationships, { body: { filter } })).toMatchObject({
      deleted: 1,
      isComplete: true,
    })
    const asked = question('document:tune#view@user:cy')
    const consistency = { kind: 'fullyConsistent' as const }
    const after = await ada.call(api.checkPermission, { body: { ...asked, consistency } })
    expect(after.permissionship).toBe('noPermission')
  })

  test.for([
    [{}, 'filter-invalid', 'filter'],
    [{ resourceIdPrefix: '', subjectRelation: '' }, 'filter-invalid', 'filter'],
    [{ resourceType: 'letter' }, 'unknown-type', 'filter.resourceType'],
    [{ resourceType: 'document', relation: 'viewers' }, 'unknown-relation', 'filter.relation'],
    [{ resourceType: 'document', resourceId: 'a b' }, 'malformed-id', 'filter.resourceId'],
    [{ subjectType: 'usr', subjectId: 'ada' }, 'unknown-type', 'filter.subjectType'],
  ] as const)('are not deleted by a filter that cannot be meant: %j', async ([filter, code, field]) => {
    const all = async () => (await ada.call(api.listRelationships, { query: {} })).items.length
    const before = await all()
    expect(before).toBeGreaterThan(3)
    for (const { path } of [api.deleteRelationships, api.previewDeletion])
      expect(await refusal(path, { filter })).toMatchObject({ status: 400, code, field })
    expect(await all()).toBe(before)
  })

  test('have a history, with whoever did it', async () => {
    await ada.call(api.writeRelationships, { body: touch('folder:past#viewer@user:eve') })
    const filter = { resourceType: 'folder', resourceId: 'past' }
    await ada.call(api.deleteRelationships, { body: { filter } })
    const { items } = await ada.call(api.listRelationshipHistory, { query: filter })
    expect(items.map(({ operation, by }) => [operation, by])).toEqual([
      ['removed', { kind: 'user', id: ada.id, name: 'Ada Lovelace' }],
      ['added', { kind: 'user', id: ada.id, name: 'Ada Lovelace' }],
    ])
  })
})

describe('the closest miss', () => {
  const miss = (text: string) => ada.call(api.findClosestMiss, { body: question(text) })
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
    expect(items[0]?.relationship.resource).toEqual(object('document:plan'))
  })
  test('of one who is kept out is what to remove', async () => {
    const { items } = await miss('document:plan#view@user:mallory')
    expect(items.map(({ change, relationship }) => [change, relationship])).toEqual([
      ['remove', relationship('document:plan#banned@user:mallory')],
    ])
  })
})

describe('the schema', () => {
  test('is told as text and as data, by an ETag of its text', async () => {
    const response = await ada.fetch(api.getPermissionSchema.path)
    const body = await response.json()
    expect(body).toMatchObject({ text: expect.stringContaining('definition document') })
    const etag = response.headers.get('etag') ?? ''
    const again = await ada.fetch(api.getPermissionSchema.path, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    const headers = { 'content-type': 'application/json', 'if-match': '"another"' }
    const stale = await ada.fetch(api.putPermissionSchema.path, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ text: schema }),
    })
    expect(stale.status).toBe(412)
  })

  test('of many who changed the same one, one is saved', async () => {
    const other = await startTestService()
    const max = await other.as('max')
    const etag = async () => (await max.fetch(api.getPermissionSchema.path)).headers.get('etag') ?? ''
    const found = await etag()
    const put = (name: string) =>
      max.fetch(api.putPermissionSchema.path, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': found },
        body: JSON.stringify({ text: `definition ${name} {}` }),
      })
    const answers = await Promise.all(['one', 'two', 'three', 'four'].map((name) => put(`thing_${name}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    const saved = answers.find(({ status }) => status === 200)
    expect(saved?.headers.get('etag')).toBe(await etag())
  })

  test('that is wrong is refused with the place of each fault', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'definition user {}\ndefinition document {\n  relation viewer: nobody\n}' })
    const response = await ada.fetch(api.putPermissionSchema.path, { method: 'PUT', headers, body })
    expect(await response.json()).toMatchObject({
      status: 400,
      code: 'schema-invalid',
      errors: [{ field: 'text', line: 3 }],
    })
  })

  test('is compared before it is saved, with what stands in the way', async () => {
    const text = schema.replace('  relation banned: user\n', '').replace(' - banned', '')
    const { differences } = await ada.call(api.diffPermissionSchema, { body: { text } })
    expect(differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'relation-removed', name: 'document#banned', blocking: 1 }),
      ]),
    )
    expect(await refusal(api.putPermissionSchema.path, { text }, 'PUT')).toMatchObject({
      status: 409,
      code: 'schema-in-use',
    })
  })
})

describe('what must hold', () => {
  test('is saved, tried, exported, imported and deleted', async () => {
    const truth = { kind: 'assertTrue' as const, question: question('document:plan#view@user:ada') }
    const wrong = { kind: 'assertTrue' as const, question: question('document:plan#view@user:eve') }
    const whole = {
      kind: 'validation' as const,
      resource: object('folder:all'),
      permission: 'view',
      subjects: ['[user:frida] is <folder:all#viewer>'],
    }
    for (const body of [truth, wrong, whole]) await ada.call(api.createAssertion, { body })
    const run = await ada.call(api.runAssertions, {})
    expect(run.items.map(({ holds, got }) => [holds, got])).toEqual([
      [true, ['hasPermission']],
      [false, ['noPermission']],
      [true, ['user:frida']],
    ])
    expect(run.failed).toBe(1)

    const file = await (await ada.fetch(api.exportPermissions.path)).text()
    expect(file).toContain('document:plan#viewer@group:crew#member')
    expect(file).not.toMatch(/[#@]passport\//)
    const other = await startTestService()
    const max = await other.as('max')
    const dry = await max.call(api.importPermissions, { query: { dryRun: true }, body: file } as never)
    expect(dry).toMatchObject({ assertions: 3, writtenAt: null })
    expect((await max.call(api.listAssertions, {})).items).toEqual([])
    await max.call(api.importPermissions, { query: {}, body: file })
    expect((await max.call(api.runAssertions, {})).failed).toBe(1)
    expect(await (await max.fetch(api.exportPermissions.path)).text()).toBe(file)

    const { items } = await ada.call(api.listAssertions, {})
    for (const { id: assertionId } of items) await ada.call(api.deleteAssertion, { params: { assertionId } })
    expect((await ada.call(api.listAssertions, {})).items).toEqual([])
  })

  test('that cannot be asked is not saved, and a file that is none says where', async () => {
    const body = { kind: 'assertTrue', question: question('document:plan#edit@user:ada') }
    expect(await refusal(`${api.createAssertion.path}`, body)).toMatchObject({ code: 'unknown-permission' })
    const yaml = 'relationships: |-\n  group:crew#member@user:ada\n  nonsense\n'
    const headers = { 'content-type': 'text/plain' }
    const response = await ada.fetch(api.importPermissions.path, { method: 'POST', headers, body: yaml })
    expect(await response.json()).toMatchObject({
      status: 400,
      code: 'file-invalid',
      errors: [{ field: 'yaml', line: 3 }],
    })
  })
})

test('pickers complete ids, and the state of the engine is told', async () => {
  const { items } = await ada.call(api.completeObjectIds, { query: { type: 'user', prefix: 'f' } })
  expect(items).toEqual([{ id: 'frida', name: null }])
  const status = await ada.call(api.getPermissionStatus, {})
  expect(status).toMatchObject({
    engine: { kind: 'embedded' },
    can: { suppose: true, history: true, completion: true, importAtOnce: true },
  })
  expect(status.counts?.find(({ type }) => type === 'group')?.relationships).toBeGreaterThan(1)
})

describe('the stream of changes', () => {
  test('tells commits from a token on, and ends when it is left', async () => {
    const { writtenAt: from } = await ada.call(api.writeRelationships, { body: touch('folder:w0#viewer@user:eve') })
    const leaving = new AbortController()
    const response = await ada.fetch(`${api.watchPath}?from=${encodeURIComponent(from)}&resourceType=folder`, {
      signal: leaving.signal,
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    await ada.call(api.writeRelationships, { body: touch('folder:w1#viewer@user:eve') })
    let text = ''
    while (!text.includes('"w1"')) text += (await reader?.read())?.value ?? ''
    expect(text).toMatch(/^id: .+$/m)
    expect(text).not.toContain('"w0"')
    leaving.abort()
  })

  test.for([
    [`${api.watchPath}?from=x`, {}, 'from'],
    [api.watchPath, { 'last-event-id': 'x' }, 'Last-Event-ID'],
    [`${api.listRelationships.path}?consistency=atLeastAsFresh&token=x`, {}, 'token'],
  ] as const)('as a list, tells where the token of another stands: %j', async ([path, headers, field]) => {
    const response = await ada.fetch(path, { headers })
    expect(await response.json()).toMatchObject({ status: 400, code: 'zedtoken-invalid', errors: [{ field }] })
  })

  test('is for administrators', async () => {
    expect((await (await service.as('eve')).fetch(api.watchPath)).status).toBe(403)
    expect((await (await service.as(undefined)).fetch(api.watchPath)).status).toBe(401)
    expect((await ada.fetch(`${api.watchPath}?from=nonsense`)).status).toBe(400)
  })
})
