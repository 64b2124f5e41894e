import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { homeOf } from './database/embedded-home.ts'
import { testSecret } from './test-database.ts'
import { canSignIn, databaseSettings, stop, useProcesses } from './test-processes.ts'
import { createTestDatabase } from './test-service.ts'

const processes = useProcesses()

test('the first start prints the address, the people and their password, and keeps everything for the next', {
  timeout: 60_000,
}, async () => {
  const first = await processes.startServer()
  const told = first.output()
  expect(told).toContain(`Stage Passport is ready at ${first.url}`)
  expect(told).toMatch(/ada {3}Passport\.Admin, Passport\.Developer\n.*dev {3}Passport\.Developer\n.*eve {3}no role/)
  expect(told).toContain(`Data lives in ${homeOf(processes.dataDir)}`)
  const { password } = first
  expect(await canSignIn(first.url, 'ada', password)).toBe(true)
  expect(readFileSync(join(processes.dataDir, 'secret'), 'utf8').length).toBeGreaterThan(40)
  expect(await stop(first, 'SIGTERM')).toMatchObject({ code: 0 })

  const second = await processes.startServer({ PORT: new URL(first.url).port })
  expect(second.output()).not.toContain(password)
  expect(second.output()).toContain('Everything from before is still here')
  expect(await canSignIn(second.url, 'ada', password)).toBe(true)

  const changed = await processes.run('commands/password.ts', ['ada'], { PORT: new URL(second.url).port }).ended
  const next = /is now {2}(\S+)/.exec(changed.output)?.[1] ?? ''
  expect(await canSignIn(second.url, 'ada', password)).toBe(false)
  expect(await canSignIn(second.url, 'ada', next)).toBe(true)
  const { code, seconds } = await stop(second, 'SIGINT')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(10)
  expect(existsSync(join(homeOf(processes.dataDir), 'tables/postmaster.pid'))).toBe(false)
})

describe('what stops the start is told in a line', () => {
  test.for([
    ['a wrong setting', { PORT: 'abc' }, 'PORT: '],
    [
      'a database that is not there',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x', PASSPORT_SECRET: testSecret },
      'DATABASE_URL: the database does not let us in',
    ],
  ] as const)('%s', async ([, env, line]) => {
    const { code, output } = await processes.run('main.ts', [], env).ended
    expect(code).toBe(1)
    expect(output).toContain(line)
    expect(output).not.toContain('    at ')
  })

  test('a port that is taken', async () => {
    const first = await processes.startServer()
    const second = await processes.run('main.ts', [], { PORT: new URL(first.url).port }).ended
    expect(second).toMatchObject({ code: 1, output: expect.stringContaining('is taken. Set PORT to another one.') })
  })
})

test('two servers that start at once on one database both come up', async () => {
  const env = await databaseSettings(await createTestDatabase({}, 'template1'))
  const servers = await Promise.all([
    processes.startServer(env),
    processes.startServer(env),
    processes.startServer(env),
  ])
  for (const { url } of servers) expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const keys = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/connect/jwks`)).text()))
  expect(new Set(keys).size).toBe(1)
})
