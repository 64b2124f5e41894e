import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EmbeddedEngine } from './engine.ts'
import { diffWithBlocking } from './schema-conflicts.ts'
import { openLoadedEngine, openPool, parseUpdates, startEngine } from './test-engines.ts'

/* Stored relationships must be valid under the new schema. */

const schema = (head: string, viewer = 'user with within | user', expression = 'size <= most') => `use expiration

caveat within(${head}) {
  ${expression}
}

definition user {}

definition document {
  relation viewer: ${viewer}
  permission view = viewer
}`
const numbers = 'size int, most int'

let engine: EmbeddedEngine
let otherEngine: EmbeddedEngine
beforeAll(async () => {
  const started = await startEngine(schema(numbers))
  engine = started.engine
  otherEngine = await openLoadedEngine(await openPool(started.sql))
})
beforeEach(async () => {
  await engine.deleteRelationships({ resourceType: 'document' })
  await engine.writeSchema(schema(numbers))
})
const write = (...lines: string[]) => engine.writeRelationships(parseUpdates(...lines))
const countBlocking = async (text: string) => {
  const [difference] = await diffWithBlocking(engine, text)
  return difference?.blocking
}

describe('a caveat with a retyped parameter', () => {
  const durations = schema('size duration, most duration')

  test('is rejected for stored values, with their count and an example', async () => {
    await write(
      '+document:a#viewer@user:ann[within:{"most":5}]',
      '+document:a#viewer@user:ben[within:{"most":7}]',
      '+document:a#viewer@user:cyd[within]',
      '+document:a#viewer@user:dan',
    )
    expect(await countBlocking(durations)).toBe(2)
    await expect(engine.writeSchema(durations)).rejects.toMatchObject({
      code: 'schema-in-use',
      field: 'schema',
      message: expect.stringMatching(
        /^2 relationships have values that the new caveat does not accept: 2 of within, such as document:a#viewer@user:(ann\[within:\{"most":5\}\]|ben\[within:\{"most":7\}\]) \(.*`most`.*\)\.$/,
      ),
    })
    expect((await engine.readSchema()).text).toContain(numbers)
    await write('-document:a#viewer@user:ann', '-document:a#viewer@user:ben')
    await engine.writeSchema(durations)
  })

  test('is accepted if every value fits the new type or has expired', async () => {
    await write('+document:a#viewer@user:ann[within:{"most":5}]')
    await engine.writeSchema(schema('size double, most double'))
    const expiring = 'user with within | user with within and expiration'
    await engine.writeSchema(schema(numbers, expiring))
    await write('~document:a#viewer@user:ann[within:{"most":5}][expiration:2020-01-01T00:00:00Z]')
    expect(await countBlocking(schema('size duration, most duration', expiring))).toBe(0)
    await engine.writeSchema(schema('size duration, most duration', expiring))
  })

  test('is rejected for a value stored concurrently', async () => {
    let runs = 0
    const record = async () => {
      if (runs++ === 0)
        await otherEngine.writeRelationships(parseUpdates('+document:b#viewer@user:ann[within:{"most":5}]'))
    }
    await expect(engine.writeSchema(durations, { record })).rejects.toMatchObject({ code: 'schema-in-use' })
    // Nor can a write that was checked earlier be stored after it.
    const write = () => otherEngine.writeRelationships(parseUpdates('~document:c#viewer@user:ann[within:{"most":5}]'))
    await engine.deleteRelationships({ resourceType: 'document' })
    const both = await Promise.allSettled([engine.writeSchema(durations), write()])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

test('a removed parameter is checked against stored values, an added one is not', async () => {
  await write('+document:a#viewer@user:ann[within:{"most":5}]')
  const constantSchema = schema('size int', undefined, 'size <= 10')
  expect(await countBlocking(constantSchema)).toBe(1)
  await expect(engine.writeSchema(constantSchema)).rejects.toThrow('has no parameter `most`')
  await engine.writeSchema(schema('size int, most int, least int', undefined, 'size <= most && size >= least'))
})

describe('a stricter relation', () => {
  test.for([
    ['user with within', 'with user.'],
    ['user with within | user with expiration', 'with user.'],
    ['user', 'with user with within.'],
    ['user with within and expiration | user', 'with user with within.'],
  ] as const)('is rejected if stored relationships do not fit: %s', async ([viewer, kind]) => {
    await write('+document:a#viewer@user:ann', '+document:b#viewer@user:ann[within:{"most":5}]')
    const text = schema(numbers, viewer)
    await expect(engine.writeSchema(text)).rejects.toMatchObject({
      code: 'schema-in-use',
      message: `1 relationship is not allowed by the new schema: 1 of document#viewer ${kind}`,
    })
  })

  test('reports all blocking relationships at once', async () => {
    await write('+document:a#viewer@user:ann', '+document:b#viewer@user:ann[within:{"most":5}]')
    await expect(engine.writeSchema(schema('size duration, most duration', 'user with within'))).rejects.toThrow(
      /^1 relationship is not allowed by the new schema: .+\. 1 relationship has values that the new caveat does not accept: .+\.$/,
    )
  })
})
