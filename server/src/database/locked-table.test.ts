import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { basic, post, startShop } from '../provider/test-shop.ts'
import { createTestDatabase } from '../test-service.ts'
import { countWaiting } from './pool.ts'
import { openDatabase, requestLimits, type Sql } from './sql.ts'
import { startTestProxy } from './test-proxy.ts'

const proxy = await startTestProxy()

/** Opens a pool with the limits of requests on the database of another one. */
function openForRequests({ options }: Sql, maxConnections: number, limits = requestLimits): Sql {
  const sql = openDatabase({ url: proxy.url(options.database ?? '') }, { maxConnections, limits })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

/** Locks a table against all others, until the end of the test or the call of the returned function. */
async function lockTable(owner: Sql, table: string) {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sql = openForRequests(owner, 1)
  const holding = sql.begin(async (sql) => {
    await sql`lock table ${sql(table)} in access exclusive mode`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const release = () => {
    released.resolve()
    return holding
  }
  onTestFinished(async () => void (await release()))
  return release
}

const catchError = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => undefined,
    (error) => error,
  )

test('requests that need a locked table get 503, and all others are answered', async () => {
  const { service } = await startShop({ limits: requestLimits })
  const ada = await service.as('ada')
  const release = await lockTable(service.sql, 'sessions')
  const readBlocked = async () => {
    const response = await ada.fetch('/passport/apphelper/user')
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code, response.headers.get('retry-after')]
  }
  const busy = [503, 'database-busy', '5']
  const readOthers = async () => [
    (await fetch(`${service.url}/readyz`)).status,
    (await fetch(`${service.url}/connect/jwks`)).status,
    (
      await fetch(
        `${service.url}/connect/token`,
        post({ grant_type: 'client_credentials', scope: 'permissions.read' }, basic()),
      )
    ).status,
  ]
  // Before and after the first lock timeout, many more than there are connections.
  for (let round = 0; round < 2; round++) {
    const crowd = Promise.all(Array.from({ length: 40 }, readBlocked))
    expect(await readOthers()).toEqual([200, 200, 200])
    expect(new Set((await crowd).map(String))).toEqual(new Set([String(busy)]))
  }
  await release()
  await expect.poll(async () => (await readBlocked())[0]).toBe(200)
})

test('a blocked statement leaves most connections to others, until one succeeds', async () => {
  const owner = await createTestDatabase()
  await owner`create table locked (word text)`
  const limits = { ...requestLimits, lockMs: 100 }
  const sql = openForRequests(owner, 10, limits)
  const release = await lockTable(owner, 'locked')
  const read = () => catchError(sql`select word from locked`)
  const codes = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, read))).map((error) => (error as { code?: string })?.code)
  expect(await codes(1)).toEqual(['55P03'])
  const counts = Object.groupBy(await codes(40), (code) => code ?? 'none')
  expect([counts['55P03']?.length, counts['STATEMENT_BLOCKED']?.length]).toEqual([4, 36])
  await release()
  await expect.poll(() => codes(1)).toEqual([undefined])
  expect(new Set(await codes(40))).toEqual(new Set([undefined]))
})

test.for([
  ['statements', (sql: Sql) => sql`select word from locked`],
  ['transactions', (sql: Sql) => sql.begin((sql) => sql`select word from locked`)],
] as const)('a burst of %s that wait for a lock leaves connections to all others', async ([, read]) => {
  const owner = await createTestDatabase()
  await owner`create table locked (word text)`
  const sql = openForRequests(owner, 10, { ...requestLimits, lockMs: 30_000 })
  const release = await lockTable(owner, 'locked')
  let settledCount = 0
  const burst = Array.from({ length: 40 }, () => catchError(read(sql)).finally(() => settledCount++))
  for (let round = 0; round < 5; round++) {
    const others = [1, 2, 3, 4].map(() => sql`select 1 as one`)
    await Promise.all([...others, sql.unsafe('select 2'), sql`select 3 as three`])
  }
  expect(settledCount).toBe(0)
  await release()
  await Promise.all(burst)
})

test('no statement follows one that has been running for a second on its connection', async () => {
  const owner = await createTestDatabase()
  await owner`create table locked (word text)`
  const sql = openForRequests(owner, 2, { ...requestLimits, lockMs: 60_000 })
  const release = await lockTable(owner, 'locked')
  const blocked = sql`select word from locked`.then((rows) => [...rows])
  const isOld = async () => {
    const rows = await owner`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and now() - query_start > interval '1.1 seconds'`
    return rows.length
  }
  await expect.poll(isOld, { timeout: 10_000 }).toBe(1)
  expect(await Promise.all([1, 2, 3, 4].map(() => sql`select 1 as one from pg_sleep(0.01)`))).toHaveLength(4)
  await release()
  expect(await blocked).toEqual([])
})

test('statements behind a slow one are counted', async () => {
  const owner = await createTestDatabase()
  await owner`create table locked (word text)`
  const sql = openForRequests(owner, 1, { ...requestLimits, lockMs: 60_000 })
  await sql`select`
  const release = await lockTable(owner, 'locked')
  const all = Promise.all([sql`select word from locked`, sql`select`, sql`select`].map((query) => query.then(() => {})))
  await expect.poll(() => countWaiting(sql), { timeout: 10_000 }).toBe(2)
  await release()
  await all
  expect(countWaiting(sql)).toBe(0)
})

test('the connections of requests have the limits of the guide', async () => {
  const owner = await createTestDatabase()
  const readLimits = async (sql: Sql) =>
    (await sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`)[0]
  expect(await readLimits(openForRequests(owner, 1))).toEqual({ statement: '30s', lock: '3s' })
  expect(await readLimits(owner)).toEqual({ statement: '15min', lock: '0' })
  const guide = readFileSync(new URL('../../../docs/guide/configuration.md', import.meta.url), 'utf8')
  const { waitMs, statementMs, lockMs = 0 } = requestLimits
  expect(guide.replace(/\s+/g, ' ')).toContain(
    `a statement for a request may take ${statementMs / 1000} s, waits ${waitMs / 1000} s for one of 10 connections and ${lockMs / 1000} s for a lock`,
  )
})
