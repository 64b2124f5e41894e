import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { homeOf } from './database/embedded-home.ts'
import { testSecret } from './test-database.ts'
import { canSignIn, createDatabaseEnvironment, stop, useProcesses } from './test-processes.ts'
import { createTestDatabase, executeAsSuperuser } from './test-service.ts'

const processes = useProcesses()

test('the first start prints the URL, the users and their password, and the next start keeps all data', {
  timeout: 60_000,
}, async () => {
  const first = await processes.startServer()
  const output = first.output()
  expect(output).toContain(`Stage Passport is ready at ${first.url}`)
  expect(output).toMatch(/ada {3}Passport\.Admin, Passport\.Developer\n.*dev {3}Passport\.Developer\n.*eve {3}no role/)
  expect(output).toContain(`Data is stored in ${homeOf(processes.dataDir)}`)
  const { password } = first
  expect(await canSignIn(first.url, 'ada', password)).toBe(true)
  expect(readFileSync(join(processes.dataDir, 'secret'), 'utf8').length).toBeGreaterThan(40)
  expect(await stop(first, 'SIGTERM')).toMatchObject({ code: 0 })

  const second = await processes.startServer({ PORT: new URL(first.url).port })
  expect(second.output()).not.toContain(password)
  expect(second.output()).toContain('Existing data was kept')
  expect(await canSignIn(second.url, 'ada', password)).toBe(true)

  const changed = await processes.run('commands/password.ts', ['ada'], { PORT: new URL(second.url).port }).exited
  const next = /New password of ada: {2}(\S+)/.exec(changed.output)?.[1] ?? ''
  expect(await canSignIn(second.url, 'ada', password)).toBe(false)
  expect(await canSignIn(second.url, 'ada', next)).toBe(true)
  const { code, seconds } = await stop(second, 'SIGINT')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(10)
  expect(existsSync(join(homeOf(processes.dataDir), 'tables/postmaster.pid'))).toBe(false)
})

describe('the start fails with an error without a stack for', () => {
  test.for([
    ['an invalid setting', { PORT: 'abc' }, 'PORT: '],
    [
      'an unreachable database',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x', PASSPORT_SECRET: testSecret },
      'DATABASE_URL: cannot connect to the database',
    ],
    ['a data directory that is a file', { DATA_DIR: '/etc/passwd' }, 'DATA_DIR: /etc/passwd'],
  ] as const)('%s', async ([, env, line]) => {
    const { code, output } = await processes.run('main.ts', [], env).exited
    expect(code).toBe(1)
    expect(output).toContain(line)
    expect(output).not.toContain('    at ')
  })

  test('a secret other than the one of the database', async () => {
    const env = { ...(await createDatabaseEnvironment(await createTestDatabase())), PASSPORT_SECRET: 'x'.repeat(32) }
    const { code, output } = await processes.run('main.ts', [], env).exited
    expect(code).toBe(1)
    expect(output).toContain('PASSPORT_SECRET: the keys in this database are encrypted with another secret')
    expect(output).not.toContain('    at ')
  })

  test('the tables of another version', async () => {
    const sql = await createTestDatabase()
    await sql`insert into migrations (name, sha256) values ('0147_provider.sql', '')`
    const { code, output } = await processes.run('main.ts', [], await createDatabaseEnvironment(sql)).exited
    expect(code).toBe(1)
    expect(output).toContain(
      'Another version of Passport created the tables of this database (0147_provider.sql differs)',
    )
    expect(output).toContain('npm run reset')
    expect(output).not.toContain('    at ')
  })

  test('a database without the right to create tables', async () => {
    const sql = await createTestDatabase({}, 'template1')
    await executeAsSuperuser('postgres', 'create role stranger login')
    const { DATABASE_URL = '', ...env } = await createDatabaseEnvironment(sql)
    const settings = { ...env, DATABASE_URL: DATABASE_URL.replace('passport@', 'stranger@') }
    const { code, output } = await processes.run('main.ts', [], settings).exited
    expect(code).toBe(1)
    expect(output).toContain('DATABASE_URL: the database is not usable: permission denied for schema public')
    expect(output).not.toContain('    at ')
  })

  test('a port in use', async () => {
    const first = await processes.startServer()
    const second = await processes.run('main.ts', [], { PORT: new URL(first.url).port }).exited
    expect(second).toMatchObject({
      code: 1,
      output: expect.stringContaining('is already in use. Set PORT to another port.'),
    })
  })
})

test('a server with a new secret publishes the same keys and logs the re-encryption', async () => {
  const env = await createDatabaseEnvironment(await createTestDatabase({}, 'template1'))
  const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)]
  const fetchKeys = async ({ url }: { url: string }) => (await fetch(`${url}/connect/jwks`)).text()
  const before = await processes.startServer({ ...env, PASSPORT_SECRET: oldSecret })
  const keys = await fetchKeys(before)
  const during = await processes.startServer({ ...env, PASSPORT_SECRET: newSecret, PASSPORT_OLD_SECRETS: oldSecret })
  expect(during.output()).toContain('PASSPORT_OLD_SECRETS is still required: 4 values are not yet encrypted')
  expect(await fetchKeys(during)).toBe(keys)
  await during.waitForOutput(/"count":4,"msg":"resealed"/)
  expect(await fetchKeys(await processes.startServer({ ...env, PASSPORT_SECRET: newSecret }))).toBe(keys)
})

test('servers that start concurrently on one database become ready with the same keys', async () => {
  const env = await createDatabaseEnvironment(await createTestDatabase({}, 'template1'))
  const servers = await Promise.all([
    processes.startServer(env),
    processes.startServer(env),
    processes.startServer(env),
  ])
  for (const { url } of servers) expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const keys = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/connect/jwks`)).text()))
  expect(new Set(keys).size).toBe(1)
})

test('a service that does not respond after the start is logged once, with its setting', async () => {
  const env = await createDatabaseEnvironment(await createTestDatabase())
  const server = await processes.startServer({ ...env, SPICEDB_ENDPOINT: 'http://127.0.0.1:1', SPICEDB_TOKEN: 'x' })
  await server.waitForOutput(/"check":"permissions","setting":"SPICEDB_ENDPOINT"[^\n]*"msg":"check-failed"/)
})
