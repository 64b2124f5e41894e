import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { scimTokenForm } from '../prefixed-token.ts'
import { basic, post, startShop } from '../provider/test-shop.ts'
import { demoPassword } from '../test-service.ts'
import { openCheckedDatabase } from './check.ts'
import { openDatabase, requestLimits, type Sql, transaction } from './sql.ts'
import { startTestProxy } from './test-proxy.ts'

const socketDirectory = inject('socketDirectory')
const proxy = await startTestProxy()
const { service, signIn, signInToShop, buildAuthorizationRequest } = await startShop({ proxy, limits: requestLimits })
const database = service.sql.options.database ?? ''

/** Makes new connections read-only, as behind a proxy that still leads to the former primary. */
async function setReadOnly(isReadOnly: boolean) {
  const admin = openDatabase({ socketDirectory, database: 'postgres', user: 'passport' }, { maxConnections: 1 })
  const change = isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'
  await admin.unsafe(`alter database ${database} ${change}`)
  await admin.end()
}
const readStatus = async (path: string, init?: RequestInit) => (await fetch(service.url + path, init)).status

test('requests get 503 while the database is read-only, and work again without a restart', async () => {
  const browser = await signIn('ada')
  const ada = await service.as('ada')
  const { access_token: accessToken, refresh_token: refreshToken = '' } = await signInToShop(browser)
  const { url: authorizationUrl } = await buildAuthorizationRequest()
  const loginPage = await browser.open('/login')
  await setReadOnly(true)
  onTestFinished(() => setReadOnly(false))
  proxy.reset()
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const responses = {
    readiness: await fetch(`${service.url}/readyz`),
    account: await ada.fetch('/passport/apphelper/user'),
    accountWrite: await ada.fetch(`/passport/preferences/${ada.id}/theme`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"value":"dark"}',
    }),
    refresh: await fetch(
      `${service.url}/connect/token`,
      post({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    ),
    clientCredentials: await fetch(
      `${service.url}/connect/token`,
      post({ grant_type: 'client_credentials', scope: 'permissions.read' }),
    ),
    introspection: await fetch(`${service.url}/connect/introspect`, post({ token: refreshToken })),
    device: await fetch(
      `${service.url}/connect/deviceauthorization`,
      post({ client_id: 'passport-device-test', scope: 'openid' }, {}),
    ),
    userInfo: await fetch(`${service.url}/connect/userinfo`, bearer(accessToken)),
    scim: await fetch(`${service.url}/passport/scim/v2/${randomUUID()}/Users`, bearer(scimTokenForm.generate())),
  }
  for (const [name, response] of Object.entries(responses)) {
    const text = await response.text()
    expect([name, response.status, text]).toEqual([name, 503, expect.not.stringContaining('oops')])
  }
  const authorization = await browser.send(authorizationUrl)
  // The client gets the error if it is in the cache; otherwise it is unknown whether the URL is its own.
  if (authorization.status !== 503) {
    expect(authorization.headers.get('location')).toContain('error=temporarily_unavailable')
  }
  const signInPage = await browser.submit(loginPage, { name: 'ada', password: demoPassword })
  expect(signInPage.status).toBe(503)
  expect(await readStatus('/healthz')).toBe(200)
  await setReadOnly(false)
  const restoredAt = performance.now()
  await expect.poll(() => readStatus('/readyz'), { timeout: 5_000 }).toBe(200)
  expect(performance.now() - restoredAt).toBeLessThan(3_000)
  const refreshed = post({ grant_type: 'refresh_token', refresh_token: refreshToken }, basic())
  expect(await readStatus('/connect/token', refreshed)).toBe(200)
})

test('work waits for a database that can write again, and is rejected after a while', async () => {
  const limits = { ...requestLimits, unreachableMs: 60_000 }
  const sql: Sql = openDatabase({ url: proxy.url(database) }, { limits })
  onTestFinished(() => sql.end({ timeout: 1 }))
  await setReadOnly(true)
  onTestFinished(() => setReadOnly(false))
  proxy.reset()
  const read = sql`select 1 as one`.then((rows) => [...rows])
  const written = transaction(sql, (sql) => sql`create temporary table written ()`)
  const impatient: Sql = openDatabase({ url: proxy.url(database) }, { limits: { ...requestLimits, unreachableMs: 0 } })
  onTestFinished(() => impatient.end({ timeout: 1 }))
  await expect(impatient`select 1`).rejects.toMatchObject({ code: 'CONNECTION_READ_ONLY' })
  await setReadOnly(false)
  expect(await read).toEqual([{ one: 1 }])
  await written
})

test('an open connection that becomes read-only is replaced after its statement', async () => {
  const sql: Sql = openDatabase({ url: proxy.url(database) }, { maxConnections: 1, limits: requestLimits })
  onTestFinished(() => sql.end({ timeout: 1 }))
  await sql`create temporary table of_first_connection ()`
  await sql`set default_transaction_read_only = on`
  const isNew = async () =>
    (await sql`select to_regclass('of_first_connection') is null as is_new`.catch(() => []))[0]?.['isNew']
  await expect.poll(isNew).toBe(true)
})

test('a write of a transaction that is read-only itself does not count as a read-only database', async () => {
  const { sql } = service
  await expect.poll(() => readStatus('/readyz')).toBe(200)
  const write = transaction(sql, async (sql) => {
    await sql`set transaction read only`
    await sql`create table refused ()`
  })
  await expect(write).rejects.toMatchObject({ code: '25006' })
  expect(await readStatus('/readyz')).toBe(200)
})

test('the start is refused with a read-only database', async () => {
  await setReadOnly(true)
  onTestFinished(() => setReadOnly(false))
  await expect(openCheckedDatabase({ url: proxy.url(database) })).rejects.toThrow(
    'DATABASE_URL: cannot connect to the database: The database is read-only.',
  )
})
