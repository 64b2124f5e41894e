import { getActivity } from '@passport/contract/health'
import { createTestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bucketLimitsMs, createActivity } from '../http/activity.ts'
import { createDatabaseEnvironment, useProcesses } from '../test-processes.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import * as store from './activity-store.ts'
import { foldActivity } from './fold-activity.ts'
import { estimatePercentile } from './percentile.ts'

const processes = useProcesses()
const request = { method: 'GET', route: '/x', status: 200, code: undefined, seconds: 0.004, isStream: false }
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const read = async (service: TestService, days: '1' | '30' = '1') =>
  (await service.as('ada')).call(getActivity, { query: { days } })
const sum = (rows: { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)

test('the numbers of two server processes add up, with the minute in which they stop', async () => {
  const service = await startTestService()
  const environment = await createDatabaseEnvironment(service.sql)
  const servers = await Promise.all([processes.startServer(environment), processes.startServer(environment)])
  for (const [index, { url }] of servers.entries()) {
    for (let number = 0; number < 5 + index; number++) {
      const response = await fetch(`${url}/passport/info/version`)
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ name: 'passport' })])
    }
    const rejected = await fetch(`${url}/passport/admin/overview`)
    expect([rejected.status, (await rejected.json()) as object]).toMatchObject([401, { code: 'not-signed-in' }])
    const browser = createTestBrowser(url)
    const page = await browser.submit(await browser.open('/login?idp=local'), { name: 'ada', password: 'wrong' })
    await browser.submit(page, { name: 'ada', password: demoPassword })
  }
  expect((await service.sql`select id from instances`).length).toBe(2)
  for (const { kill, exited } of servers) {
    kill('SIGTERM')
    await exited
  }
  expect((await service.sql`select id from instances`).length).toBe(0)
  const { hours, failures, errors, routes } = await read(service)
  expect(hours).toHaveLength(24)
  expect(hours.reduce((total, { signIns }) => total + signIns.succeeded, 0)).toBe(2)
  expect(failures).toEqual([{ reason: 'password-wrong', count: 2 }])
  expect(errors).toContainEqual({ code: 'not-signed-in', status: 401, count: 2 })
  expect(routes.find(({ route }) => route === 'GET /passport/info/version')).toMatchObject({ count: 11, errors: 0 })
  const instances = await service.sql`select distinct instance from activity_minutes where instance <> ''`
  expect(instances).toHaveLength(2)
}, 60_000)

describe('the counter of a process', () => {
  test('counts by minute, route and code, and takes only minutes that have ended', () => {
    let now = 10 * minuteMs
    const activity = createActivity(() => now)
    activity.countRequest(request)
    activity.countRequest({ ...request, seconds: 9 })
    activity.countRequest({ ...request, status: 404, code: 'group-not-found' })
    activity.countSignIn('succeeded')
    expect(activity.take()).toEqual([])
    now += minuteMs
    activity.countRequest(request)
    const taken = activity.take()
    expect(taken.map(({ route, code, status, count }) => [route, code, status, count])).toEqual([
      ['GET /x', '200', 200, 2],
      ['GET /x', 'group-not-found', 404, 1],
      ['sign-in', 'succeeded', null, 1],
    ])
    expect(taken[0]).toMatchObject({
      minute: '1970-01-01T00:10:00.000Z',
      buckets: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    })
    activity.restore(taken)
    expect(activity.take()).toEqual(taken)
    expect(activity.take(true).map(({ count }) => count)).toEqual([1])
    expect(activity.take(true)).toEqual([])
  })

  test('ignores monitoring, files and streams', () => {
    const activity = createActivity()
    for (const route of ['/healthz', '/readyz', '/metrics', '/app/*']) activity.countRequest({ ...request, route })
    activity.countRequest({ ...request, isStream: true })
    expect(activity.take(true)).toEqual([])
  })

  test('keeps a bounded number of rows', () => {
    const activity = createActivity()
    for (let number = 0; number < 25_000; number++) activity.countRequest({ ...request, route: `/${number}` })
    expect(activity.take(true).length).toBe(20_000)
  })
})

describe('the stored activity', () => {
  test('is folded into hours after a day, is the same after it, and is deleted after 400 days', async () => {
    const service = await startTestService()
    const { sql } = service
    const buckets = (count: number) => bucketLimitsMs.map((_, index) => (index === 3 ? count : 0)).concat(0)
    const row = (ageMs: number, count: number, code = '200', route = 'GET /y') => ({
      minute: new Date(Math.floor((Date.now() - ageMs) / minuteMs) * minuteMs).toISOString(),
      route,
      code,
      status: code === '200' ? 200 : null,
      count,
      buckets: buckets(code === '200' ? count : 0),
    })
    const old = [row(3 * dayMs, 4), row(3 * dayMs, 2, 'succeeded', 'sign-in'), row(26 * 60 * minuteMs, 3)]
    for (const instance of ['a', 'b']) {
      await store.insertMinutes(sql, instance, [...old, row(minuteMs, 5)])
      // A lost response makes the server repeat the call.
      await store.insertMinutes(sql, instance, [...old, row(minuteMs, 5)])
    }
    await store.insertMinutes(sql, '', [{ ...row(3 * dayMs, 7, 'active', 'sessions') }])
    await sql`
      insert into activity_hours (hour, route, code, status, count, buckets)
      values (now() - interval '401 days', 'GET /y', '200', 200, 1, array_fill(0, array[12])),
        (now() - interval '399 days', 'GET /y', '200', 200, 1, array_fill(0, array[12]))`
    const before = await read(service, '30')
    expect(before.hours).toHaveLength(720)
    expect(before.routes).toEqual([{ route: 'GET /y', count: 24, errors: 0, p50Ms: 7.5, p95Ms: 9.8 }])
    expect(before.hours.reduce((total, { signIns }) => total + signIns.succeeded, 0)).toBe(4)
    expect(Math.max(...before.hours.map(({ sessions }) => sessions ?? 0))).toBe(7)

    await foldActivity(sql)
    expect(await read(service, '30')).toEqual(before)
    expect((await sql`select 1 from activity_minutes`).length).toBe(2)
    expect((await sql`select 1 from activity_hours where hour < now() - interval '400 days'`).length).toBe(0)
    expect((await sql`select 1 from activity_hours where hour < now() - interval '390 days'`).length).toBe(1)

    // A server whose database was away for a day adds to an hour that is folded already.
    await store.insertMinutes(sql, 'late', [row(3 * dayMs, 6)])
    await foldActivity(sql)
    expect(sum((await read(service, '30')).routes)).toBe(30)
    const ada = await service.as('ada')
    expect(await recordStatements(sql, () => ada.call(getActivity, { query: { days: '30' } }))).toHaveLength(4)
  })

  test('has the number of sessions in use', async () => {
    const service = await startTestService()
    const [ada] = [await service.as('ada'), await service.as('eve')]
    await service.sql`update sessions set last_seen_at = now() - interval '2 hours' where user_id = ${ada.id}`
    await service.as('dev')
    const job = service.jobs.find(({ name }) => name === 'health')
    await job?.run()
    await job?.run()
    expect((await read(service)).hours.at(-1)).toMatchObject({ sessions: 2, requests: 0 })
  })

  test('is written by a beat, and kept while the database is away', async () => {
    const service = await startTestService()
    const { activity } = service.services
    activity.restore([
      {
        minute: new Date(0).toISOString(),
        route: 'GET /z',
        code: '200',
        status: 200,
        count: 2,
        buckets: Array(12).fill(0),
      },
    ])
    await service.sql`alter table activity_minutes rename to away`
    await expect(service.instance.beat()).rejects.toThrow()
    await service.sql`alter table away rename to activity_minutes`
    await service.instance.beat()
    const rows =
      await service.sql`select route, count::int from activity_minutes where instance = ${service.instance.id}`
    expect(rows).toEqual([{ route: 'GET /z', count: 2 }])
  })
})

test('a process has a row from its first beat until it stops', async () => {
  const service = await startTestService()
  const countRows = async () => (await service.sql`select id from instances`).length
  const stop = service.instance.start()
  await expect.poll(countRows).toBe(1)
  await stop()
  expect(await countRows()).toBe(0)
})

test('a percentile lies within the limits of its bucket, and grows with its share', () => {
  const histogram = fc.array(fc.nat({ max: 1000 }), { minLength: 12, maxLength: 12 })
  fc.assert(
    fc.property(histogram, fc.double({ min: 0.01, max: 1, noNaN: true }), (buckets, share) => {
      const value = estimatePercentile(buckets, share)
      const total = buckets.reduce((all, count) => all + count, 0)
      if (total === 0) return value === null
      let below = 0
      const bucket = buckets.findIndex((count) => {
        below += count
        return count > 0 && below >= total * share
      })
      const [lower, upper] = [bucketLimitsMs[bucket - 1] ?? 0, bucketLimitsMs[bucket] ?? 2500]
      const isWithin = value !== null && value >= lower - 0.05 && value <= upper + 0.05
      return isWithin && value <= (estimatePercentile(buckets, 1) ?? 0)
    }),
  )
})
