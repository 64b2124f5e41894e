import type { Relationship } from '@passport/permissions/relationship'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import type { EmbeddedEngine } from './embedded.ts'
import * as store from './store.ts'
import { anotherPool, engineOn, lines, one, startEngine, updatesOf } from './test-engines.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

/** What a write found holds until its commit, and others do not wait for it before that. */

const schema = `definition user {}

definition folder {
  relation viewer: user
  relation banned: user
  permission view = viewer - banned
}`
const without = schema.replace('  relation banned: user\n', '').replace(' - banned', '')

let engine: EmbeddedEngine
let sql: Sql
/** Of another process, which waits for no lock: what it would wait for makes it fail. */
let impatient: Sql
let other: EmbeddedEngine
beforeAll(async () => {
  ;({ engine, sql } = await startEngine(schema))
  impatient = await anotherPool(sql, { settings: { lock_timeout: '2s' } })
  other = await engineOn(impatient)
  await sql`insert into users (id) values ('u')`
  await sql`insert into groups (id, name) values ('g', 'g')`
})

const joinGroup = () => impatient`insert into group_members (group_id, user_id) values ('g', 'u')`
const leaveGroup = () => impatient`delete from group_members where group_id = 'g' and user_id = 'u'`
const read = async (resourceId: string) => lines((await engine.readRelationships({ resourceId }, { limit: 100 })).items)
const revision = async () => {
  const [head] = await sql<{ rev: number }[]>`select rev::integer as rev from relationship_head`
  return head?.rev ?? Number.NaN
}

/** Does it once, however often a write is run. */
function once(work: () => Promise<unknown>) {
  let runs = 0
  return { record: async () => void (runs++ === 0 && (await work())), runs: () => runs }
}

describe('others commit while', () => {
  const folder = (name: string): Relationship[] =>
    Array.from({ length: 2500 }, (_, at) => one(`folder:${name}${at}#viewer@user:ada`))

  test.for([
    ['an import', undefined],
    ['an import with a schema', `${schema}\n\ndefinition another {}`],
  ] as const)('%s is written, and neither is there before it is committed', async ([name, text]) => {
    const before = await revision()
    const started = once(async () => {
      await joinGroup()
      expect(await revision()).toBe(before + 1)
      expect(
        (await other.readRelationships({ resourceIdPrefix: name.replaceAll(' ', '_') }, { limit: 1 })).items,
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

  test('a schema is checked, and a write with preconditions is made', async () => {
    const before = await revision()
    const ofSchema = once(joinGroup)
    await engine.writeSchema(without, { record: ofSchema.record })
    const ofWrite = once(leaveGroup)
    const filter = { resourceType: 'folder', resourceId: 'pre' }
    const preconditions = [{ operation: 'mustNotMatch' as const, filter }]
    await engine.writeRelationships(updatesOf('+folder:pre#viewer@user:ada'), preconditions, ofWrite)
    expect([ofSchema.runs(), ofWrite.runs()]).toEqual([1, 1])
    expect(await revision()).toBe(before + 4)
    await engine.writeSchema(schema)
  })

  test('an import fails in its middle, and nothing of it is there', async () => {
    const relationships = [...folder('half'), one('folder:half#nobody@user:ada')]
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

describe('what comes meanwhile counts', () => {
  const mustNot = (resourceId: string) => [
    { operation: 'mustNotMatch' as const, filter: { resourceType: 'folder', resourceId } },
  ]

  test('for a precondition, of a write and of a deletion', async () => {
    const take = () => other.writeRelationships(updatesOf('+folder:seat#viewer@user:bob'))
    const meanwhile = once(take)
    const write = engine.writeRelationships(updatesOf('+folder:seat#viewer@user:ada'), mustNot('seat'), meanwhile)
    await expect(write).rejects.toMatchObject({ code: 'precondition-failed', field: 'preconditions.0' })
    expect(await read('seat')).toEqual(['folder:seat#viewer@user:bob'])

    await engine.writeRelationships(updatesOf('+folder:kept#viewer@user:ada'))
    const leave = once(() => other.writeRelationships(updatesOf('-folder:seat#viewer@user:bob')))
    const preconditions = [{ operation: 'mustMatch' as const, filter: { subjectType: 'user', subjectId: 'bob' } }]
    const deletion = engine.deleteRelationships(
      { resourceType: 'folder', resourceId: 'kept' },
      { preconditions, ...leave },
    )
    await expect(deletion).rejects.toMatchObject({ code: 'precondition-failed' })
    expect(await read('kept')).toEqual(['folder:kept#viewer@user:ada'])
  })

  test('but not where it is about something else, or about what the write itself makes', async () => {
    const meanwhile = once(() => other.writeRelationships(updatesOf('+folder:elsewhere#viewer@user:bob')))
    await engine.writeRelationships(updatesOf('+folder:own#viewer@user:ada'), mustNot('own'), meanwhile)
    expect(meanwhile.runs()).toBe(1)
    expect(await read('own')).toEqual(['folder:own#viewer@user:ada'])
  })

  test('for a schema, which is refused for what it would leave with nothing to stand on', async () => {
    const ban = once(() => other.writeRelationships(updatesOf('+folder:late#banned@user:ada')))
    await expect(engine.writeSchema(without, ban)).rejects.toMatchObject({ code: 'schema-in-use' })
    await engine.writeRelationships(updatesOf('-folder:late#banned@user:ada'))
    const otherSchema = once(() => other.writeSchema(`${schema}\n\ndefinition between {}`))
    await engine.writeSchema(`${schema}\n\ndefinition last {}`, otherSchema)
    expect(otherSchema.runs()).toBe(2)
    const { text } = await engine.readSchema()
    expect([text.includes('definition last'), text.includes('definition between')]).toEqual([true, false])
    await engine.writeSchema(schema)
  })

  test('of many who want the same, one gets it, and whoever has it says why', async () => {
    for (let round = 0; round < 5; round++) {
      const line = `+folder:same${round}#viewer@user:ada`
      const take = () => engine.writeRelationships(updatesOf(line), mustNot(`same${round}`))
      const results = await Promise.allSettled(Array.from({ length: 6 }, take))
      const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
      expect(refused).toEqual(Array.from({ length: 5 }, () => 'precondition-failed'))
    }
  })

  test('in the transaction of another room too', async () => {
    await other.writeRelationships(updatesOf('+folder:room#viewer@user:bob'))
    const failing = transaction(sql, (sql) =>
      engine.writeIn(sql, updatesOf('+folder:room#viewer@user:eve'), undefined, mustNot('room')),
    )
    await expect(failing).rejects.toMatchObject({ code: 'precondition-failed' })
  })
})

test('preconditions find what a read finds, whatever fields they have', async () => {
  const { engine, sql } = await startEngine(
    `use expiration\n\n${schema.replace('viewer: user', 'viewer: user | user:* | user with expiration')}`,
  )
  await engine.writeRelationships(
    updatesOf(
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
  let there = 0
  await fc.assert(
    fc.asyncProperty(fc.array(filter, { minLength: 5, maxLength: 20 }), async (filters) => {
      const read = await Promise.all(filters.map((one) => store.readMatching(sql, one, { limit: 1 })))
      const expected = read.map(({ length }) => length > 0)
      there += expected.filter(Boolean).length
      expect(await store.areAny(sql, filters)).toEqual(expected)
    }),
    { numRuns: numRuns / 4 },
  )
  expect(there).toBeGreaterThan(20)
})
