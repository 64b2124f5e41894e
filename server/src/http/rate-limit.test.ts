import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import {
  type CountedAttempt,
  createAddressFailureCounter,
  createAttemptCounters,
  createFailureCounter,
  siteFactor,
} from './counters.ts'
import { Problem } from './problem.ts'
import { createAddressLimiter, createLimiter, limitByAddress } from './rate-limit.ts'
import { networkOf } from './visit.ts'

const { sql } = await startTestService()
const limits = {
  network: { name: 'network', maxFailures: 4, lockSeconds: 60 },
  name: { name: 'name', maxFailures: 2, lockSeconds: 60 },
  account: { name: 'account', maxFailures: 3, lockSeconds: 600 },
} as const

/** A network is one of an IPv6 site. */
interface Keys {
  network: string | undefined
  name: string
  account: string | undefined
}
const siteOfNetwork = (network: string) => (network.startsWith('x') ? 'site x' : undefined)

/** The counters, one by one. */
function createSeparately(prefix: string) {
  const create = ({ name, maxFailures, lockSeconds }: (typeof limits)[keyof typeof limits], factor = 1) =>
    createFailureCounter(sql, prefix + name, maxFailures * factor, lockSeconds)
  const [sites, networks] = [create(limits.network, siteFactor), create(limits.network)]
  const [names, accounts] = [create(limits.name), create(limits.account)]
  const listCounters = ({ network, name, account }: Keys) => {
    const site = network && siteOfNetwork(network)
    return [
      ...(site ? [{ counter: sites, key: site }] : []),
      ...(network ? [{ counter: networks, key: network }] : []),
      { counter: names, key: name },
      ...(account ? [{ counter: accounts, key: account }] : []),
    ]
  }
  return {
    begin: async (keys: Keys) => {
      const begun: (() => Promise<void>)[] = []
      for (const { counter, key } of listCounters(keys)) {
        const seconds = await counter.begin(key)
        if (seconds > 0) {
          for (const cancel of begun) await cancel()
          return seconds
        }
        begun.push(() => counter.cancel(key))
      }
      return 0
    },
    succeed: async (keys: Keys) => {
      for (const { counter, key } of listCounters(keys))
        await (counter === names ? counter.reset(key) : counter.cancel(key))
    },
    fail: async (keys: Keys) => {
      for (const { counter, key } of listCounters(keys)) await counter.fail(key)
    },
  }
}

function createTogether(prefix: string) {
  const withPrefix = <L extends { name: string }>(limit: L) => ({ ...limit, name: prefix + limit.name })
  const counters = createAttemptCounters(sql, {
    network: withPrefix(limits.network),
    name: withPrefix(limits.name),
    account: withPrefix(limits.account),
  })
  const toKeys = ({ network, name }: Keys) => ({ site: network && siteOfNetwork(network), network, name })
  return {
    begin: async (keys: Keys) => {
      const account = keys.account === undefined ? undefined : sql`lower(${keys.account.toUpperCase()})`
      const { parts, counted } = counters.count(toKeys(keys), account)
      const [row] = await sql<{ counted: CountedAttempt[] }[]>`with ${parts} select ${counted} as counted`
      return counters.conclude(toKeys(keys), row?.counted ?? [])
    },
    succeed: async (keys: Keys, isRight = true) => {
      await sql`with ${counters.succeed(toKeys(keys), keys.account, sql`${isRight}`)} select`
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
  const optional = fc.option(key, { nil: undefined })
  const keys = fc.record({
    network: fc.option(fc.constantFrom('x', 'x2', 'y'), { nil: undefined }),
    name: key,
    account: optional,
  })
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
  const keys = { network: 'x', name: 'x', account: 'x' }
  const seconds: number[] = []
  for (let attempt = 0; attempt < 4; attempt++) seconds.push(await counters.begin(keys))
  expect(seconds).toEqual([0, 0, 60, 60])
  await sql`update rate_limits set expire = ${Date.now() - 1}`
  await counters.succeed(keys)
  expect(await counters.begin(keys)).toBe(0)
  expect((await readRows('a')).map(({ points }) => points)).toEqual([1, 1, 1, 1])
})

test('of many attempts at once, as many as are allowed pass', async () => {
  await sql`delete from rate_limits`
  const counters = createTogether('a')
  const seconds = await Promise.all(
    Array.from({ length: 16 }, () => counters.begin({ network: 'x', name: 'x', account: 'x' })),
  )
  expect(seconds.filter((wait) => wait === 0)).toHaveLength(2)
})

test('the failures of an IPv6 /48 are counted as well, 20 times as many', async () => {
  await sql`delete from rate_limits`
  const counter = createAddressFailureCounter(sql, { name: 'each', maxFailures: 2, lockSeconds: 60, networkOf })
  const ipAt = (index: number) => `2001:db8:1:${index.toString(16)}::1`
  for (let index = 0; index < 40; index++) expect(await counter.begin(ipAt(index))).toBe(0)
  expect(await counter.begin(ipAt(40))).toBeGreaterThan(0)
  expect(await counter.begin('2001:db8:2::1')).toBe(0)
  // An attempt beyond the limit was counted, too.
  for (const ip of [ipAt(0), ipAt(1)]) await counter.cancel(ip)
  expect(await counter.begin(ipAt(40))).toBe(0)
  for (const ip of ['203.0.113.1', '203.0.113.2']) expect(await counter.begin(ip)).toBe(0)
  expect(await counter.begin('203.0.113.3')).toBeGreaterThan(0)
})

test('of a /48, 20 times the requests of a /64 are allowed, in a table and in memory', async () => {
  const limit = { name: 'some', requests: 2, perSeconds: 60 }
  for (const consume of [createAddressLimiter(sql, limit), limitByAddress(limit, createLimiter)]) {
    const from = (ip: string) =>
      consume({ ip }).then(
        () => 'passed',
        (error) => (error instanceof Problem ? error.status : error),
      )
    const ipAt = (index: number) => `2001:db8:1:${index.toString(16)}::1`
    // The third of a network is refused, and does not count for the others.
    for (let index = 0; index < 3; index++) expect(await from(ipAt(0))).toBe(index < 2 ? 'passed' : 429)
    for (let index = 1; index < 39; index++) expect(await from(ipAt(index))).toBe('passed')
    expect(await from(ipAt(39))).toBe(429)
    expect(await from('2001:db8:2::1')).toBe('passed')
  }
})
