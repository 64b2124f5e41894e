import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { type CountedAttempt, createAttemptCounters, createFailureCounter } from './rate-limit.ts'

const { sql } = await startTestService()
const limits = [
  { name: 'first', maxFailures: 4, lockSeconds: 60 },
  { name: 'second', maxFailures: 2, lockSeconds: 60 },
  { name: 'third', maxFailures: 3, lockSeconds: 600 },
] as const
type Keys = readonly [string | undefined, string, string | undefined]

/** The counters, one by one. */
function createSeparately(prefix: string) {
  const [first, second, third] = limits.map(({ name, maxFailures, lockSeconds }) =>
    createFailureCounter(sql, prefix + name, maxFailures, lockSeconds),
  )
  if (!first || !second || !third) throw new Error('Three counters are expected')
  return {
    begin: async ([a, b, c]: Keys) => {
      const firstSeconds = a === undefined ? 0 : await first.begin(a)
      if (firstSeconds > 0) return firstSeconds
      const secondSeconds = await second.begin(b)
      const thirdSeconds = secondSeconds === 0 && c !== undefined ? await third.begin(c) : 0
      if (thirdSeconds > 0) await second.cancel(b)
      if (secondSeconds + thirdSeconds > 0 && a !== undefined) await first.cancel(a)
      return Math.max(secondSeconds, thirdSeconds)
    },
    succeed: async ([a, b, c]: Keys) => {
      await second.reset(b)
      if (a !== undefined) await first.cancel(a)
      if (c !== undefined) await third.cancel(c)
    },
    fail: async ([a, b, c]: Keys) => {
      if (a !== undefined) await first.fail(a)
      if (c !== undefined) await third.fail(c)
      await second.fail(b)
    },
  }
}

function createTogether(prefix: string) {
  const counters = createAttemptCounters(
    sql,
    limits.map((limit) => ({ ...limit, name: prefix + limit.name })) as unknown as typeof limits,
  )
  return {
    begin: async ([a, b, c]: Keys) => {
      const { parts, counted } = counters.count([a, b, c === undefined ? undefined : sql`lower(${c.toUpperCase()})`])
      const [row] = await sql<{ counted: CountedAttempt[] }[]>`with ${parts} select ${counted} as counted`
      return counters.conclude([a, b], row?.counted ?? [])
    },
    succeed: async (keys: Keys, isRight = true) => {
      await sql`with ${counters.succeed(keys, sql`${isRight}`)} select`
    },
  }
}

async function readRows(prefix: string) {
  const rows = await sql<{ key: string; points: number; seconds: number }[]>`
    select substr(key, 2) as key, points, round((expire - ${Date.now()}) / 60000.0)::integer as seconds from rate_limits
    where key like ${`${prefix}%`} order by key`
  return [...rows]
}

test('counters that begin and succeed together count like those that do it one by one', async () => {
  const key = fc.constantFrom('x', 'y')
  const keys = fc.tuple(fc.option(key, { nil: undefined }), key, fc.option(key, { nil: undefined }))
  const step = fc.record({ keys, outcome: fc.constantFrom('right', 'wrong', 'wrong', 'none') })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      await sql`delete from rate_limits`
      const [together, separately] = [createTogether('a'), createSeparately('b')]
      const failing = createSeparately('a')
      for (const { keys, outcome } of steps) {
        const seconds = await together.begin(keys)
        expect(Math.abs(seconds - (await separately.begin(keys)))).toBeLessThanOrEqual(1)
        if (seconds > 0) continue
        await together.succeed(keys, false)
        if (outcome === 'right') await Promise.all([together.succeed(keys), separately.succeed(keys)])
        if (outcome === 'wrong') await Promise.all([failing.fail(keys), separately.fail(keys)])
        expect(await readRows('a')).toEqual(await readRows('b'))
      }
    }),
    { numRuns: 40 },
  )
})

test('an expired counter begins again, and a success takes nothing from it', async () => {
  await sql`delete from rate_limits`
  const counters = createTogether('a')
  const keys = ['x', 'x', 'x'] as const
  const seconds: number[] = []
  for (let attempt = 0; attempt < 4; attempt++) seconds.push(await counters.begin(keys))
  expect(seconds).toEqual([0, 0, 60, 60])
  await sql`update rate_limits set expire = ${Date.now() - 1}`
  await counters.succeed(keys)
  expect(await counters.begin(keys)).toBe(0)
  expect((await readRows('a')).map(({ points }) => points)).toEqual([1, 1, 1])
})

test('of many attempts at once, as many as are allowed pass', async () => {
  await sql`delete from rate_limits`
  const counters = createTogether('a')
  const seconds = await Promise.all(Array.from({ length: 16 }, () => counters.begin(['x', 'x', 'x'])))
  expect(seconds.filter((wait) => wait === 0)).toHaveLength(2)
})
