import { setTimeout as delay } from 'node:timers/promises'
import { endpoints } from '@passport/contract/api'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { testSecret } from '../test-database.ts'
import { useProcesses } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'
import { openDatabase } from './sql.ts'
import { startTestProxy, type TestProxy } from './test-proxy.ts'

const clientCount = 16
const processes = useProcesses()
let proxy: TestProxy
let url: string
let browser: TestBrowser

beforeAll(async () => {
  proxy = await startTestProxy()
})
beforeEach(async () => {
  await proxy.restore()
  const sql = await createTestDatabase()
  const DATABASE_URL = proxy.url(sql.options.database ?? '')
  const game = { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] }
  const CLIENTS = JSON.stringify([game])
  const server = await processes.startServer({ DATABASE_URL, PASSPORT_SECRET: testSecret, LOG_LEVEL: 'info', CLIENTS })
  url = server.url
  browser = createTestBrowser(url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password: server.password })
})

async function request(path: string, method = 'GET') {
  const startedAt = performance.now()
  const headers = { 'sec-fetch-site': 'same-origin', ...(method !== 'GET' && { 'content-type': 'application/json' }) }
  const response = await browser.send(new URL(path, url).href, {
    method,
    headers,
    ...(method !== 'GET' && { body: '{}' }),
  })
  await response.arrayBuffer()
  return { status: response.status, retryAfter: response.headers.get('retry-after'), ms: performance.now() - startedAt }
}
const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

test.for([200, 1000])('at most one request per client fails if connections are cut for %i ms', async (cutMs) => {
  const stopping = new AbortController()
  let lastFailureAt = 0
  const run = async () => {
    const client = { failures: 0, slowestMs: 0 }
    while (!stopping.signal.aborted) {
      const { status, ms } = await request('/passport/apphelper/user')
      client.slowestMs = Math.max(client.slowestMs, ms)
      if (status === 200) continue
      client.failures++
      lastFailureAt = performance.now()
    }
    return client
  }
  const running = Array.from({ length: clientCount }, run)
  await delay(500)
  await proxy.cut()
  await delay(cutMs)
  await proxy.restore()
  const restoredAt = performance.now()
  await delay(3000)
  stopping.abort()
  const all = await Promise.all(running)
  const worst = Math.max(...all.map(({ failures }) => failures))
  const slowest = Math.max(...all.map(({ slowestMs }) => slowestMs))
  const lateMs = Math.max(0, lastFailureAt - restoredAt)
  console.log(
    `cut for ${cutMs} ms, ${clientCount} clients: at most ${worst} failed requests per client, slowest request ${formatSeconds(slowest)}, last failure ${formatSeconds(lateMs)} after the restore`,
  )
  expect(worst).toBeLessThanOrEqual(1)
  expect(slowest).toBeLessThanOrEqual(cutMs + 2000)
  expect(lateMs).toBeLessThanOrEqual(2000)
})

test('calls get 503 within 2 s while the database is silent, and liveness stays 200', async () => {
  const calls = [...endpoints.values()].filter(({ path }) => path !== '/healthz')
  proxy.silence()
  const responses = await Promise.all(
    calls.map(async ({ method, path }) => {
      const filled = path.replace(/\{[^}]+\}/g, '0199c0de-0000-7000-8000-000000000000')
      return { call: `${method} ${path}`, ...(await request(filled, method)) }
    }),
  )
  const slowest = Math.max(...responses.map(({ ms }) => ms))
  const unavailable = responses.filter(({ status }) => status === 503)
  expect((await request('/healthz')).status).toBe(200)
  const ready = await request('/readyz')
  const token = await fetch(`${url}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'game', refresh_token: 'unknown' }),
  })
  const silentAt = performance.now()
  await proxy.restore()
  await expect.poll(async () => (await request('/passport/apphelper/user')).status, { interval: 20 }).toBe(200)
  const recoveryMs = performance.now() - silentAt
  console.log(
    `silent database: ${responses.length} calls at once, ${unavailable.length} of them 503, slowest ${formatSeconds(slowest)}; ` +
      `/readyz ${ready.status} in ${formatSeconds(ready.ms)}; first response ${formatSeconds(recoveryMs)} after the restore`,
  )
  expect(responses.filter(({ status }) => status >= 500 && status !== 503)).toEqual([])
  expect(unavailable.filter(({ retryAfter }) => retryAfter === null)).toEqual([])
  expect(unavailable.length).toBeGreaterThan(calls.length / 2)
  expect(ready.status).toBe(503)
  expect(ready.ms).toBeLessThanOrEqual(2000)
  expect(token.status).toBe(503)
  expect(token.headers.get('retry-after')).not.toBeNull()
  expect(slowest).toBeLessThanOrEqual(2500)
  expect(recoveryMs).toBeLessThanOrEqual(2000)
})

test('a slow statement does not count as silence', async () => {
  const sql = await createTestDatabase()
  const proxied = openDatabase({ url: proxy.url(sql.options.database ?? '') }, { maxConnections: 1 })
  expect(await proxied`select 1 as one from pg_sleep(4)`).toEqual([{ one: 1 }])
  await proxied.end()
})

test('a single silent connection is dropped when its statement times out', async () => {
  const sql = await createTestDatabase()
  const limits = { waitMs: 1000, statementMs: 1000 }
  const far = openDatabase({ url: proxy.url(sql.options.database ?? '') }, { limits })
  await far`select 1`
  proxy.silenceOpen()
  const startedAt = performance.now()
  await expect(far`select 1`).rejects.toMatchObject({ code: 'CONNECTION_SILENT' })
  expect(performance.now() - startedAt).toBeGreaterThan(5000)
  expect(await far`select 1 as one`).toEqual([{ one: 1 }])
  await far.end()
})
