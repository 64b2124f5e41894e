import type { Relationship } from '@passport/permissions'
import { parseRelationship } from '@passport/permissions'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import { createSchemaCache } from './directory-schema.ts'
import type { EmbeddedEngine } from './engine.ts'
import * as store from './store.ts'
import { formatRelationships, openLoadedEngine, openPool, parseUpdates, startEngine } from './test-engines.ts'
import { writeInTransaction } from './write.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

/* The reads of a write still hold at its commit, without blocking other commits before that. */

const schema = `definition user {}

definition folder {
  relation viewer: user
  relation banned: user
  permission view = viewer - banned
}`
const schemaWithoutBan = schema.replace('  relation banned: user\n', '').replace(' - banned', '')

let engine: EmbeddedEngine
let sql: Sql
/** A pool of another process with a lock timeout: waiting for a lock fails. */
let shortTimeoutSql: Sql
let otherEngine: EmbeddedEngine
beforeAll(async () => {
  ;({ engine, sql } = await startEngine(schema))
  shortTimeoutSql = await openPool(sql, { settings: { lock_timeout: '2s' } })
  otherEngine = await openLoadedEngine(shortTimeoutSql)
  await sql`insert into users (id) values ('u')`
  await sql`insert into groups (id, name) values ('g', 'g')`
})

const joinGroup = () => shortTimeoutSql`insert into group_members (group_id, user_id) values ('g', 'u')`
const leaveGroup = () => shortTimeoutSql`delete from group_members where group_id = 'g' and user_id = 'u'`
const read = async (resourceId: string) =>
  formatRelationships((await engine.readRelationships({ resourceId }, { limit: 100 })).items)
const revision = async () => {
  const [head] = await sql<{ rev: number }[]>`select rev::integer as rev from relationship_head`
  return head?.rev ?? Number.NaN
}

/** Returns write options that run the work once, even if the write is retried. */
function once(work: () => Promise<unknown>) {
  let runs = 0
  return { record: async () => void (runs++ === 0 && (await work())), runs: () => runs }
}

describe('a transaction', () => {
  const folder = (name: string): Relationship[] =>
    Array.from({ length: 2500 }, (_, index) => parseRelationship(`folder:${name}${index}#viewer@user:ada`))

  test.for([
    ['import', undefined],
    ['import with a schema', `${schema}\n\ndefinition another {}`],
  ] as const)('of an %s blocks no other commit, and is invisible before its own', async ([name, text]) => {
    const before = await revision()
    const started = once(async () => {
      await joinGroup()
      expect(await revision()).toBe(before + 1)
      expect(
        (await otherEngine.readRelationships({ resourceIdPrefix: name.replaceAll(' ', '_') }, { limit: 1 })).items,
      ).toEqual([])
      await leaveGroup()
    })
    const relationships = folder(name.replaceAll(' ', '_'))
    await engine.load({ relationships, ...(text && { schema: text }) }, { record: started.record })
    expect(started.runs()).toBe(1)
    expect(await revision()).toBe(before + 3)
    await engine.deleteRelationships({ resourceType: 'folder' })
    await engine.writeSchema(schema)
  })

  test('of a schema change, or of a write with preconditions, blocks no other commit', async () => {
    const before = await revision()
    const duringSchemaWrite = once(joinGroup)
    await engine.writeSchema(schemaWithoutBan, { record: duringSchemaWrite.record })
    const duringWrite = once(leaveGroup)
    const filter = { resourceType: 'folder', resourceId: 'pre' }
    const preconditions = [{ operation: 'mustNotMatch' as const, filter }]
    await engine.writeRelationships(parseUpdates('+folder:pre#viewer@user:ada'), preconditions, duringWrite)
    expect([duringSchemaWrite.runs(), duringWrite.runs()]).toEqual([1, 1])
    expect(await revision()).toBe(before + 4)
    await engine.writeSchema(schema)
  })

  test('of an import that fails halfway changes nothing', async () => {
    const relationships = [...folder('half'), parseRelationship('folder:half#nobody@user:ada')]
    const before = await revision()
    const text = `${schema}\n\ndefinition third {}`
    await expect(engine.load({ relationships, schema: text })).rejects.toMatchObject({ code: 'unknown-relation' })
    const late = engine.load(
      { relationships: folder('half'), schema: text },
      { record: () => Promise.reject(new Error('no audit')) },
    )
    await expect(late).rejects.toThrow('no audit')
    expect(await revision()).toBe(before)
    expect((await engine.readRelationships({ resourceIdPrefix: 'half' }, { limit: 1 })).items).toEqual([])
    expect((await engine.readSchema()).text).not.toContain('third')
  })
})

describe('concurrent changes', () => {
  const mustNot = (resourceId: string) => [
    { operation: 'mustNotMatch' as const, filter: { resourceType: 'folder', resourceId } },
  ]

  test('fail the precondition of a write and of a deletion', async () => {
    const takeSeat = () => otherEngine.writeRelationships(parseUpdates('+folder:seat#viewer@user:bob'))
    const concurrentWrite = once(takeSeat)
    const write = engine.writeRelationships(
      parseUpdates('+folder:seat#viewer@user:ada'),
      mustNot('seat'),
      concurrentWrite,
    )
    await expect(write).rejects.toMatchObject({ code: 'precondition-failed', field: 'preconditions.0' })
    expect(await read('seat')).toEqual(['folder:seat#viewer@user:bob'])

    await engine.writeRelationships(parseUpdates('+folder:kept#viewer@user:ada'))
    const leave = once(() => otherEngine.writeRelationships(parseUpdates('-folder:seat#viewer@user:bob')))
    const preconditions = [{ operation: 'mustMatch' as const, filter: { subjectType: 'user', subjectId: 'bob' } }]
    const deletion = engine.deleteRelationships(
      { resourceType: 'folder', resourceId: 'kept' },
      { preconditions, ...leave },
    )
    await expect(deletion).rejects.toMatchObject({ code: 'precondition-failed' })
    expect(await read('kept')).toEqual(['folder:kept#viewer@user:ada'])
  })

  test('do not fail an unrelated precondition, or one that only the write itself violates', async () => {
    const concurrentWrite = once(() =>
      otherEngine.writeRelationships(parseUpdates('+folder:elsewhere#viewer@user:bob')),
    )
    await engine.writeRelationships(parseUpdates('+folder:own#viewer@user:ada'), mustNot('own'), concurrentWrite)
    expect(concurrentWrite.runs()).toBe(1)
    expect(await read('own')).toEqual(['folder:own#viewer@user:ada'])
  })

  test('fail a schema change that they do not fit', async () => {
    const ban = once(() => otherEngine.writeRelationships(parseUpdates('+folder:late#banned@user:ada')))
    await expect(engine.writeSchema(schemaWithoutBan, ban)).rejects.toMatchObject({ code: 'schema-in-use' })
    await engine.writeRelationships(parseUpdates('-folder:late#banned@user:ada'))
    const otherSchema = once(() => otherEngine.writeSchema(`${schema}\n\ndefinition between {}`))
    await engine.writeSchema(`${schema}\n\ndefinition last {}`, otherSchema)
    expect(otherSchema.runs()).toBe(2)
    const { text } = await engine.readSchema()
    expect([text.includes('definition last'), text.includes('definition between')]).toEqual([true, false])
    await engine.writeSchema(schema)
  })

  test('let exactly one of several competing writes succeed, and the others fail with precondition-failed', async () => {
    for (let round = 0; round < 5; round++) {
      const line = `+folder:same${round}#viewer@user:ada`
      const takeSeat = () => engine.writeRelationships(parseUpdates(line), mustNot(`same${round}`))
      const results = await Promise.allSettled(Array.from({ length: 6 }, takeSeat))
      const rejected = results.flatMap((item) => (item.status === 'rejected' ? [item.reason.code] : []))
      expect(rejected).toEqual(Array.from({ length: 5 }, () => 'precondition-failed'))
    }
  })

  test('fail the precondition of a write in a transaction of another feature', async () => {
    await otherEngine.writeRelationships(parseUpdates('+folder:feature#viewer@user:bob'))
    const updates = parseUpdates('+folder:feature#viewer@user:eve')
    const failing = transaction(sql, (sql) =>
      writeInTransaction(sql, createSchemaCache(), { updates, preconditions: mustNot('feature') }),
    )
    await expect(failing).rejects.toMatchObject({ code: 'precondition-failed' })
  })
})

test('preconditions match the same relationships as reads, for any combination of fields', async () => {
  const { engine, sql } = await startEngine(
    `use expiration\n\n${schema.replace('viewer: user', 'viewer: user | user:* | user with expiration')}`,
  )
  await engine.writeRelationships(
    parseUpdates(
      '+folder:aa#viewer@user:ada',
      '+folder:ab#viewer@user:*',
      '+folder:ab#banned@user:bob',
      '+folder:b#viewer@user:eve[expiration:2020-01-01T00:00:00Z]',
      '+folder:c#viewer@user:eve[expiration:2999-01-01T00:00:00Z]',
    ),
  )
  await sql`insert into users (id) values ('u')`
  await sql`insert into groups (id, name) values ('g', 'g')`
  await sql`insert into group_members (group_id, user_id) values ('g', 'u')`
  const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 })
  const filter = fc
    .record({
      resourceType: maybe('folder', 'passport/group', 'nothing'),
      resourceId: maybe('aa', 'ab', 'b', 'c', 'g', 'd'),
      resourceIdPrefix: maybe('', 'a', 'ab', '%', 'g'),
      relation: maybe('viewer', 'banned', 'member'),
      subjectType: maybe('user', 'passport/user'),
      subjectId: maybe('ada', 'bob', 'eve', '*', 'u'),
      subjectRelation: maybe('', 'member'),
    })
    .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
  let matchCount = 0
  await fc.assert(
    fc.asyncProperty(fc.array(filter, { minLength: 5, maxLength: 20 }), async (filters) => {
      const read = await Promise.all(filters.map((item) => store.readMatching(sql, item, { limit: 1 })))
      const expected = read.map(({ length }) => length > 0)
      matchCount += expected.filter(Boolean).length
      expect(await store.checkExistence(sql, filters)).toEqual(expected)
    }),
    { numRuns: numRuns / 4 },
  )
  expect(matchCount).toBeGreaterThan(20)
})
