import * as api from '@passport/contract/permissions'
import { describe, expect, test } from 'vitest'
import { parseCheck } from './test-engines.ts'
import { fetchProblem, parseWireRelationship, schema, startTools, touch } from './test-tools.ts'

/* Relationships over HTTP, and the stream of their changes. */

const { service, ada } = await startTools()

describe('relationships', () => {
  test('are read by subject', async () => {
    const { items } = await ada.call(api.listRelationships, { query: { subjectType: 'user', subjectId: 'frida' } })
    expect(items).toEqual([parseWireRelationship('folder:all#viewer@user:frida')])
  })

  test.for([
    ['token=x', 'token'],
    ['consistency=minimizeLatency&token=x', 'token'],
    ['consistency=atLeastAsFresh', 'token'],
  ] as const)('are not read if the token does not fit the consistency: %s', async ([query, field]) => {
    const path = `${api.listRelationships.path}?${query}`
    expect(await fetchProblem(ada, path, undefined, 'GET')).toEqual({ status: 400, code: 'zedtoken-invalid', field })
  })

  test('are returned at most a thousand per page; a larger or smaller limit is rejected', async () => {
    expect((await ada.fetch(`${api.listRelationships.path}?limit=1000`)).status).toBe(200)
    for (const limit of [0, 1001, 5000])
      expect(await fetchProblem(ada, `${api.listRelationships.path}?limit=${limit}`, undefined, 'GET')).toMatchObject({
        status: 400,
        field: 'limit',
      })
  })

  test('are found by their expiration', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const withExpiration = schema
      .replace('definition user', 'use expiration\n\ndefinition user')
      .replace('relation viewer: user | group#member', 'relation viewer: user | group#member | user with expiration')
    await ada.call(api.putPermissionSchema, { body: { text: withExpiration } })
    const expiring = { ...parseWireRelationship('folder:soon#viewer@user:eve'), expiresAt }
    await ada.call(api.writeRelationships, { body: { updates: [{ operation: 'touch', relationship: expiring }] } })
    const find = (before: number) =>
      ada.call(api.listRelationships, {
        query: { resourceType: 'folder', expiresBefore: new Date(Date.now() + before).toISOString() },
      })
    expect((await find(7_200_000)).items).toEqual([expiring])
    expect((await find(60_000)).items).toEqual([])
  })

  const write = (updates: unknown[], preconditions?: unknown) =>
    fetchProblem(ada, api.writeRelationships.path, { updates, ...(preconditions !== undefined && { preconditions }) })
  const crew = { operation: 'create', relationship: parseWireRelationship('group:crew#member@user:ada') }
  test.for([
    [[crew], undefined, 409, 'already-exists', 'updates[0].relationship'],
    [[{ ...crew, operation: 'touch' }, crew], undefined, 400, 'duplicate-update', undefined],
    [
      [{ ...crew, relationship: parseWireRelationship('document:plan#view@user:ada') }],
      undefined,
      400,
      'write-to-permission',
      'updates[0].relationship.relation',
    ],
    [
      [{ ...crew, relationship: parseWireRelationship('document:plan#banned@group:crew') }],
      undefined,
      400,
      'subject-not-allowed',
      undefined,
    ],
    [
      [{ ...crew, relationship: parseWireRelationship('passport/role:Passport.Admin#member@passport/user:eve') }],
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
  ] as const)('are rejected with a specific code: %j', async ([updates, preconditions, status, code, field]) => {
    const problem = await write([...updates], preconditions)
    expect(problem).toMatchObject({ status, code, ...(field !== undefined && { field }) })
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
  ] as const)('are not changed by a request with a misspelt field: %j', async ([path, body, field]) => {
    expect(await fetchProblem(ada, path, body)).toEqual({ status: 400, code: 'invalid-request', field })
    expect((await ada.call(api.listRelationships, { query: { resourceType: 'group' } })).items).not.toEqual([])
  })

  test.for([
    [api.checkPermission.path, { ...parseCheck('document:plan#view@user:ann'), consistensy: {} }],
    [api.checkPermission.path, { ...parseCheck('document:plan#view@user:ann'), whatif: { remove: [] } }],
    [api.findClosestMiss.path, { ...parseCheck('document:plan#view@user:ann'), consistency: {} }],
    [
      api.lookUpResources.path,
      { subject: { type: 'user', id: 'ann' }, resourceType: 'document', permission: 'view', contxt: {} },
    ],
    [api.previewDeletion.path, { filter: { resourceType: 'group' }, limit: 1 }],
  ] as const)('a request with a misspelt field is rejected: %j', async ([path, body]) => {
    expect(await fetchProblem(ada, path, body)).toMatchObject({ status: 400, code: 'invalid-request' })
  })

  test('are not imported if the dry-run parameter is misspelt', async () => {
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

  test('are deleted by a filter, after a preview of the losses', async () => {
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
      relationships: [parseWireRelationship('folder:songs#viewer@group:band#member')],
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
    const request = parseCheck('document:tune#view@user:cy')
    const consistency = { kind: 'fullyConsistent' as const }
    const after = await ada.call(api.checkPermission, { body: { ...request, consistency } })
    expect(after.permissionship).toBe('noPermission')
  })

  test.for([
    [{}, 'filter-invalid', 'filter'],
    [{ resourceIdPrefix: '', subjectRelation: '' }, 'filter-invalid', 'filter'],
    [{ resourceType: 'letter' }, 'unknown-type', 'filter.resourceType'],
    [{ resourceType: 'document', relation: 'viewers' }, 'unknown-relation', 'filter.relation'],
    [{ resourceType: 'document', resourceId: 'a b' }, 'malformed-id', 'filter.resourceId'],
    [{ subjectType: 'usr', subjectId: 'ada' }, 'unknown-type', 'filter.subjectType'],
  ] as const)('are not deleted by an empty or invalid filter: %j', async ([filter, code, field]) => {
    const all = async () => (await ada.call(api.listRelationships, { query: {} })).items.length
    const before = await all()
    expect(before).toBeGreaterThan(3)
    for (const { path } of [api.deleteRelationships, api.previewDeletion])
      expect(await fetchProblem(ada, path, { filter })).toMatchObject({ status: 400, code, field })
    expect(await all()).toBe(before)
  })

  test('have a history with the actors', async () => {
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

describe('the change stream', () => {
  test('sends commits after a token, and ends when the client disconnects', async () => {
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
  ] as const)('reports the field of an invalid token: %j', async ([path, headers, field]) => {
    const response = await ada.fetch(path, { headers })
    expect(await response.json()).toMatchObject({ status: 400, code: 'zedtoken-invalid', errors: [{ field }] })
  })

  test('can be limited to one resource', async () => {
    const { writtenAt: from } = await ada.call(api.writeRelationships, { body: touch('folder:one#viewer@user:eve') })
    await ada.call(api.writeRelationships, { body: touch('folder:two#viewer@user:eve', 'folder:two#viewer@user:max') })
    const leaving = new AbortController()
    const query = new URLSearchParams({ from, resourceType: 'folder', resourceId: 'two', subjectId: 'max' })
    const response = await ada.fetch(`${api.watchPath}?${query}`, { signal: leaving.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('data: ')) text += (await reader?.read())?.value ?? ''
    expect(JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? '')).toMatchObject({
      updates: [{ operation: 'touch', relationship: parseWireRelationship('folder:two#viewer@user:max') }],
    })
    leaving.abort()
  })

  test.for([
    ['resourceType=nope', 'unknown-type', 'resourceType'],
    ['resourceType=folder&relation=nope', 'unknown-relation', 'relation'],
    ['resourcetype=folder', 'invalid-request', 'resourcetype'],
  ] as const)('rejects a filter that could never match: %s', async ([query, code, field]) => {
    expect(await fetchProblem(ada, `${api.watchPath}?${query}`, undefined, 'GET')).toEqual({ status: 400, code, field })
  })

  test.for([
    ['HEAD', 200],
    ['OPTIONS', 204],
    ['POST', 405],
    ['DELETE', 405],
  ] as const)('responds to %s with %d, and ends', async ([method, status]) => {
    const response = await ada.fetch(api.watchPath, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([
      status,
      method === 'HEAD' ? null : 'GET, HEAD, OPTIONS',
    ])
    await response.text()
  })

  test('requires an administrator', async () => {
    expect((await (await service.as('eve')).fetch(api.watchPath)).status).toBe(403)
    expect((await (await service.as(undefined)).fetch(api.watchPath)).status).toBe(401)
    expect((await ada.fetch(`${api.watchPath}?from=nonsense`)).status).toBe(400)
  })
})
