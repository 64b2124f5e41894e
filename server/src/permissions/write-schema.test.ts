import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EmbeddedEngine } from './embedded.ts'
import { differencesOf } from './schema-differences.ts'
import { anotherPool, engineOn, startEngine, updatesOf } from './test-engines.ts'

/** What is stored has to be what could be written under the schema that comes. */

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
let other: EmbeddedEngine
beforeAll(async () => {
  const started = await startEngine(schema(numbers))
  engine = started.engine
  other = await engineOn(await anotherPool(started.sql))
})
beforeEach(async () => {
  await engine.deleteRelationships({ resourceType: 'document' })
  await engine.writeSchema(schema(numbers))
})
const write = (...lines: string[]) => engine.writeRelationships(updatesOf(...lines))
const blockingOf = async (text: string) => {
  const [difference] = await differencesOf(engine, text)
  return difference?.blocking
}

describe('a caveat whose parameter is of another type', () => {
  const durations = schema('size duration, most duration')

  test('is refused for the values that are stored, with their count and one of them', async () => {
    await write(
      '+document:a#viewer@user:ann[within:{"most":5}]',
      '+document:a#viewer@user:ben[within:{"most":7}]',
      '+document:a#viewer@user:cyd[within]',
      '+document:a#viewer@user:dan',
    )
    expect(await blockingOf(durations)).toBe(2)
    await expect(engine.writeSchema(durations)).rejects.toMatchObject({
      code: 'schema-in-use',
      field: 'schema',
      message: expect.stringMatching(
        /^There are 2 relationships with values that the caveat could not take: 2 of within, such as document:a#viewer@user:(ann\[within:\{"most":5\}\]|ben\[within:\{"most":7\}\]) \(.*`most`.*\)\.$/,
      ),
    })
    expect((await engine.readSchema()).text).toContain(numbers)
    await write('-document:a#viewer@user:ann', '-document:a#viewer@user:ben')
    await engine.writeSchema(durations)
  })

  test('is taken where every value is of the new type too, or has expired', async () => {
    await write('+document:a#viewer@user:ann[within:{"most":5}]')
    await engine.writeSchema(schema('size double, most double'))
    const expiring = 'user with within | user with within and expiration'
    await engine.writeSchema(schema(numbers, expiring))
    await write('~document:a#viewer@user:ann[within:{"most":5}][expiration:2020-01-01T00:00:00Z]')
    expect(await blockingOf(schema('size duration, most duration', expiring))).toBe(0)
    await engine.writeSchema(schema('size duration, most duration', expiring))
  })

  test('is refused for a value that somebody else stores while it is checked', async () => {
    let runs = 0
    const record = async () => {
      if (runs++ === 0) await other.writeRelationships(updatesOf('+document:b#viewer@user:ann[within:{"most":5}]'))
    }
    await expect(engine.writeSchema(durations, { record })).rejects.toMatchObject({ code: 'schema-in-use' })
    // And nobody stores one after it that was checked before it.
    const write = () => other.writeRelationships(updatesOf('~document:c#viewer@user:ann[within:{"most":5}]'))
    await engine.deleteRelationships({ resourceType: 'document' })
    const both = await Promise.allSettled([engine.writeSchema(durations), write()])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

test('a parameter that goes takes its stored values into account, and one that comes does not', async () => {
  await write('+document:a#viewer@user:ann[within:{"most":5}]')
  const one = schema('size int', undefined, 'size <= 10')
  expect(await blockingOf(one)).toBe(1)
  await expect(engine.writeSchema(one)).rejects.toThrow('has no parameter `most`')
  await engine.writeSchema(schema('size int, most int, least int', undefined, 'size <= most && size >= least'))
})

describe('a relation that asks for more', () => {
  test.for([
    ['user with within', 'with user.'],
    ['user with within | user with expiration', 'with user.'],
    ['user', 'with user with within.'],
    ['user with within and expiration | user', 'with user with within.'],
  ] as const)('is refused where there is less: %s', async ([viewer, kind]) => {
    await write('+document:a#viewer@user:ann', '+document:b#viewer@user:ann[within:{"most":5}]')
    const text = schema(numbers, viewer)
    await expect(engine.writeSchema(text)).rejects.toMatchObject({
      code: 'schema-in-use',
      message: `There is 1 relationship with nothing to stand on then: 1 of document#viewer ${kind}`,
    })
  })

  test('tells all that stands in the way at once', async () => {
    await write('+document:a#viewer@user:ann', '+document:b#viewer@user:ann[within:{"most":5}]')
    await expect(engine.writeSchema(schema('size duration, most duration', 'user with within'))).rejects.toThrow(
      /^There is 1 relationship with nothing to stand on then: .+\. There is 1 relationship with values that the caveat could not take: .+\.$/,
    )
  })
})
