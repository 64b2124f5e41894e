import {
  type PermissionEngine,
  parseRelationship,
  printRelationship,
  type Relationship,
  type RelationshipChange,
  type Trace,
  type WatchEvent,
} from '@passport/permissions'
import { describeConformance } from '@passport/permissions/conformance/conformance'
import { beforeAll, describe, expect, test } from 'vitest'
import { startSpiceDb } from '../engine-conformance/embedded-spicedb.ts'
import { createSpiceDbEngine } from './engine.ts'

const endpoint = process.env['SPICEDB_ENDPOINT']
if (endpoint !== undefined) {
  const token = process.env['SPICEDB_TOKEN'] ?? ''
  describeConformance('a configured SpiceDB', async () => createSpiceDbEngine({ endpoint, token, insecure: true }))
}

describeConformance('SpiceDB in this process', startSpiceDb)

const schema = `caveat on_day(day string) {
  day == "fri"
}
definition user {}
definition group {
  relation member: user
}
/** A schema as users write it. */
definition document {
  relation viewer: user | user:* | group#member | user with on_day
  relation editor: user
  permission view = viewer + editor
}`

describe('the engine over SpiceDB', () => {
  let engine: PermissionEngine
  beforeAll(async () => {
    engine = await startSpiceDb()
    await engine.writeSchema(schema)
    await write(...['a', 'b', 'c', 'd', 'e'].map((id) => `document:${id}${id}#viewer@user:ann`))
    await write('document:set#viewer@group:all#member', 'group:all#member@user:bob')
    await write('document:day#viewer@user:cat[on_day]')
  })

  const write = (...lines: string[]) =>
    engine.writeRelationships(lines.map((line) => ({ operation: 'touch', relationship: parseRelationship(line) })))
  const fully = { consistency: { kind: 'fullyConsistent' as const } }
  const ann = { type: 'user', id: 'ann' }
  const documents = { resourceType: 'document', permission: 'view', subject: ann, limit: 2 }

  test('lookup pages share a snapshot, and a cursor is valid for its request only', async () => {
    const first = await engine.lookupResources(documents, fully)
    expect(first.items.map(({ id }) => id)).toEqual(['aa', 'bb'])
    await write('document:bc#viewer@user:ann')
    const cursor = first.cursor ?? ''
    const second = await engine.lookupResources({ ...documents, cursor })
    expect(second.items.map(({ id }) => id)).toEqual(['cc', 'dd'])
    const last = await engine.lookupResources({ ...documents, cursor: second.cursor ?? '' })
    expect(last.items.map(({ id }) => id)).toEqual(['ee'])
    expect(last.cursor).toBeUndefined()
    const mismatch = { code: 'cursor-mismatch', field: 'cursor' }
    const bob = { type: 'user', id: 'bob' }
    await expect(engine.lookupResources({ ...documents, subject: bob, cursor })).rejects.toMatchObject(mismatch)
    await expect(engine.lookupResources({ ...documents, cursor: 'nonsense' })).rejects.toMatchObject(mismatch)
  })

  test('lookupSubjects can exclude the wildcard', async () => {
    await write('document:open#viewer@user:*', 'document:open#viewer@user:ann')
    const request = { resource: { type: 'document', id: 'open' }, permission: 'view', subjectType: 'user', limit: 10 }
    const findIds = async (wildcards?: 'exclude') =>
      (await engine.lookupSubjects({ ...request, ...(wildcards && { wildcards }) }, fully)).items.map(({ id }) => id)
    expect(await findIds()).toEqual(['*', 'ann'])
    expect(await findIds('exclude')).toEqual(['ann'])
  })

  test('finds relationships that expire soon among many', async () => {
    const otherEngine = await startSpiceDb()
    await otherEngine.writeSchema(
      'use expiration\n\ndefinition user {}\ndefinition pass {\n  relation holder: user | user with expiration\n}',
    )
    const many = Array.from({ length: 1500 }, (_, index) => parseRelationship(`pass:p${index}#holder@user:ann`))
    const expiresAt = Math.floor(Date.now() / 1000) * 1000 + 3_600_000
    const expiring = { ...parseRelationship('pass:zz#holder@user:ann'), expiresAt }
    for (const relationships of [many.slice(0, 800), many.slice(800), [expiring]])
      await otherEngine.writeRelationships(relationships.map((relationship) => ({ operation: 'touch', relationship })))
    for (const filter of [{}, { resourceType: 'pass' }]) {
      const { items } = await otherEngine.readRelationships(filter, { limit: 10, expiresBefore: expiresAt + 1 }, fully)
      expect(items).toEqual([expiring])
      expect(await otherEngine.readRelationships(filter, { limit: 10, expiresBefore: expiresAt }, fully)).toMatchObject(
        {
          items: [],
        },
      )
    }
  })

  test('an empty lookup returns a usable token', async () => {
    const unknownUser = { type: 'user', id: 'nobody' }
    const { lookedUpAt } = await engine.lookupResources(
      { ...documents, resourceType: 'group', permission: 'member', subject: unknownUser },
      fully,
    )
    const request = { resource: { type: 'document', id: 'aa' }, permission: 'view', subject: ann }
    for (const kind of ['atLeastAsFresh', 'atExactSnapshot'] as const) {
      const result = await engine.check(request, { consistency: { kind, token: lookedUpAt } })
      expect(result.permissionship).toBe('hasPermission')
    }
    const withForeignToken = engine.check(request, { consistency: { kind: 'atLeastAsFresh', token: 'nonsense' } })
    await expect(withForeignToken).rejects.toMatchObject({ code: 'token-invalid', field: 'consistency.token' })
    const watching = engine.watch('nonsense', [], AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'token-invalid', field: 'from' })
  })

  const viewer = (trace: Trace | undefined) =>
    trace?.children.find(({ step }) => step.kind === 'relation' && step.name === 'viewer')

  test('a trace includes usersets and the missing values of a caveat', async () => {
    const usersetCheck = {
      resource: { type: 'document', id: 'set' },
      permission: 'view',
      subject: { type: 'user', id: 'bob' },
    }
    const { trace } = await engine.check(usersetCheck, { ...fully, withTrace: true })
    expect(trace).toMatchObject({ step: { kind: 'permission', name: 'view' }, permissionship: 'hasPermission' })
    const steps = JSON.stringify(trace)
    expect(steps).toContain('"name":"member"')
    const caveatCheck = {
      ...usersetCheck,
      resource: { type: 'document', id: 'day' },
      subject: { type: 'user', id: 'cat' },
    }
    const missing = await engine.check(caveatCheck, { ...fully, withTrace: true })
    expect(viewer(missing.trace)?.caveat).toMatchObject({ name: 'on_day', result: 'missing', missing: ['day'] })
    const withDay = await engine.check({ ...caveatCheck, context: { day: 'fri' } }, { ...fully, withTrace: true })
    expect(viewer(withDay.trace)).toMatchObject({
      permissionship: 'hasPermission',
      caveat: { context: { day: 'fri' } },
    })
  })

  test('an error in one check does not affect the others', async () => {
    const request = { resource: { type: 'document', id: 'aa' }, permission: 'view', subject: ann }
    const { results } = await engine.checkBulk(
      [request, { ...request, permission: 'nothing' }, { ...request, subject: { type: 'user', id: 'eve' } }],
      fully,
    )
    expect(results).toMatchObject([
      { permissionship: 'hasPermission' },
      { error: { code: 'unknown-permission', field: 'permission' } },
      { permissionship: 'noPermission' },
    ])
  })

  test('reads everything in pages without a filter', async () => {
    const lines: string[] = []
    let cursor: string | undefined
    do {
      const page = await engine.readRelationships({}, { limit: 3, ...(cursor && { cursor }) }, fully)
      expect(page.items.length).toBeLessThanOrEqual(3)
      lines.push(...page.items.map(printRelationship))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines).toContain('group:all#member@user:bob')
    expect(lines).toContain('document:ee#viewer@user:ann')
  })

  test("reflects and diffs its schema with Passport's parser", async () => {
    const { definitions } = await engine.reflectSchema()
    expect(definitions.map(({ name }) => name).sort()).toEqual(['document', 'group', 'user'])
    const differences = await engine.diffSchema(schema.replace('viewer + editor', 'viewer'))
    expect(differences).toMatchObject([{ kind: 'permission-changed', name: 'document#view' }])
  })

  test('a write and a deletion report the relationships before and after', async () => {
    const received: string[][] = []
    const print = (items: Relationship[]) => items.map(printRelationship)
    const record = async ({ before, after }: RelationshipChange) => {
      received.push(print(before), print(after))
    }
    await write('document:kept#viewer@user:ann', 'document:kept#viewer@user:cat[on_day]')
    const lines = ['document:kept#viewer@user:ann', 'document:kept#viewer@user:cat', 'document:kept#viewer@user:new']
    const updates = lines.map((line) => ({ operation: 'touch' as const, relationship: parseRelationship(line) }))
    await engine.writeRelationships(updates, [], { record })
    expect(received).toEqual([['document:kept#viewer@user:cat[on_day]'], lines.slice(1)])
    received.length = 0
    const filter = { resourceType: 'document', resourceId: 'kept' }
    await engine.deleteRelationships({ ...filter, subjectType: 'user', subjectId: 'new' }, { record })
    expect(received).toEqual([['document:kept#viewer@user:new'], []])
  })

  test('a watch delivers commits after a token until it is stopped', async () => {
    const stop = new AbortController()
    const { writtenAt } = await write('document:before#viewer@user:ann')
    await write('document:after#viewer@user:ann', 'group:all#member@user:ann')
    const received: WatchEvent['updates'] = []
    for await (const { updates } of engine.watch(writtenAt, [{ resourceType: 'document' }], stop.signal)) {
      received.push(...updates)
      if (received.length > 0) stop.abort()
    }
    expect(received.map(({ relationship }) => printRelationship(relationship))).toEqual([
      'document:after#viewer@user:ann',
    ])
  })
})
