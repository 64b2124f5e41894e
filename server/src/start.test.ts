import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestBrowser } from '@passport/world/browser'
import { type Running, run as runAlone, runServer } from '@passport/world/process'
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { homeOf } from './database/embedded-home.ts'
import { isAlive } from './database/embedded-remains.ts'
import { openDatabase } from './database/sql.ts'
import { testSecret } from './test-database.ts'

/** The server as it is started by hand: a process of its own, and the commands beside it. */

let dataDir: string
const running: Running[] = []

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passport-start-'))
  chmodSync(dataDir, 0o755)
})
// Those that still run stop by themselves: a database would outlive a server that is killed.
afterEach(() => Promise.all(running.splice(0).map((one) => stop(one, 'SIGTERM'))), 20_000)
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function run(file: string, args: string[] = [], env: Record<string, string> = {}): Running {
  const started = runAlone(file, args, { DATA_DIR: dataDir, PORT: '0', ...env })
  running.push(started)
  return started
}

async function startServer(env: Record<string, string> = {}) {
  const server = await runServer({ DATA_DIR: dataDir, ...env })
  running.push(server)
  return server
}

async function stop({ kill, ended }: Running, signal: NodeJS.Signals) {
  const since = Date.now()
  kill(signal)
  const { code } = await ended
  return { code, seconds: (Date.now() - since) / 1000 }
}

async function signIn(url: string, name: string, password: string) {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  return page.url.includes('/app/login')
}

test('the first start prints the address, the people and their password, and keeps everything for the next', {
  timeout: 60_000,
}, async () => {
  const first = await startServer()
  const told = first.output()
  expect(told).toContain(`Stage Passport is ready at ${first.url}`)
  expect(told).toMatch(/ada {3}Passport\.Admin, Passport\.Developer\n.*dev {3}Passport\.Developer\n.*eve {3}no role/)
  expect(told).toContain(`Data lives in ${homeOf(dataDir)}`)
  const { password } = first
  expect(await signIn(first.url, 'ada', password)).toBe(true)
  expect(readFileSync(join(dataDir, 'secret'), 'utf8').length).toBeGreaterThan(40)
  expect(await stop(first, 'SIGTERM')).toMatchObject({ code: 0 })

  const second = await startServer({ PORT: new URL(first.url).port })
  expect(second.output()).not.toContain(password)
  expect(second.output()).toContain('Everything from before is still here')
  expect(await signIn(second.url, 'ada', password)).toBe(true)

  const changed = await run('commands/password.ts', ['ada'], { PORT: new URL(second.url).port }).ended
  const next = /is now {2}(\S+)/.exec(changed.output)?.[1] ?? ''
  expect(await signIn(second.url, 'ada', password)).toBe(false)
  expect(await signIn(second.url, 'ada', next)).toBe(true)
  const { code, seconds } = await stop(second, 'SIGINT')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(10)
  expect(existsSync(join(homeOf(dataDir), 'tables/postmaster.pid'))).toBe(false)
})

test('a request that does not end holds the stop up, and not for 10 seconds', async () => {
  const server = await startServer()
  const { host, port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  const cut = once(socket, 'close')
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\nExpect: 100-continue'
  socket.write(`POST /connect/token HTTP/1.1\r\nHost: ${host}\r\n${form}\r\n\r\n`)
  await once(socket, 'data')
  const { code, seconds } = await stop(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeGreaterThan(4)
  expect(seconds).toBeLessThan(10)
  await cut
})

describe('a signal leaves no database behind', () => {
  const postmasterOf = (directory: string) => {
    const file = join(homeOf(directory), 'tables/postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  }
  const newDirectory = () => {
    const directory = mkdtempSync(join(tmpdir(), 'passport-signal-'))
    chmodSync(directory, 0o755)
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  }

  test.for(['SIGINT', 'SIGTERM'] as const)('when it is %s and comes during the start', async (signal) => {
    const directory = newDirectory()
    const server = run('main.ts', [], { DATA_DIR: directory })
    await expect.poll(() => postmasterOf(directory), { interval: 1, timeout: 15_000 }).toBeGreaterThan(0)
    const postmaster = postmasterOf(directory)
    server.kill(signal)
    const { code, output } = await server.ended
    expect([code, output]).toEqual([0, ''])
    expect([postmasterOf(directory), isAlive(postmaster)]).toEqual([0, false])
  })

  test('when it comes again and again', async () => {
    const directory = newDirectory()
    const server = await startServer({ DATA_DIR: directory })
    const postmaster = postmasterOf(directory)
    expect(isAlive(postmaster)).toBe(true)
    const again = setInterval(() => server.kill('SIGINT'), 5)
    const { code } = await server.ended.finally(() => clearInterval(again))
    expect(code).toBe(0)
    expect([postmasterOf(directory), isAlive(postmaster)]).toEqual([0, false])
  })
})

describe('the commands', () => {
  test('make the first administrator, also of someone whom nobody knows yet', async () => {
    const env = { PORT: '3999' }
    const added = await run('commands/password.ts', ['carol', '--add', 'Carol Diaz', 'carol@stage.example'], env).ended
    const grant = /npm run admin -- grant (\S+) (\S+)/.exec(added.output)
    const granted = await run('commands/admin.ts', ['grant', grant?.[1] ?? '', grant?.[2] ?? ''], env).ended
    expect(granted.output).toContain('is now an administrator')
    const again = await run('commands/admin.ts', ['grant', grant?.[1] ?? '', grant?.[2] ?? ''], env).ended
    expect(again.output).toContain('was already an administrator')
  })

  test('add someone, with an account unless there is one', async () => {
    const add = (name: string) =>
      run('commands/password.ts', [name, '--add', 'Dora Diaz', 'dora@stage.example'], { PORT: '3999' }).ended
    expect((await add('dora')).output).not.toContain('There is an account')
    expect((await add('dora2')).output).toContain('There is an account with that email already')
    expect(await add('dora')).toMatchObject({ code: 1, output: 'There is a dora already.\n' })
  })

  test('say how they are used', async () => {
    const misused = await run('commands/admin.ts', ['make', 'me', 'king']).ended
    expect(misused).toMatchObject({ code: 1, output: expect.stringContaining('npm run admin -- grant <issuer> <sub>') })
  })

  test('keep the directory in a file', async () => {
    const file = join(dataDir, 'passport.json')
    const config = (...args: string[]) => run('commands/config.ts', args).ended
    expect(await config('export', file)).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, roles: [], orgs: [], groups: [] })
    expect(await config('diff', file)).toMatchObject({ code: 0, output: 'There is no difference.\n' })
    const role = { name: 'Stage.Editor', description: 'Edits stages' }
    writeFileSync(file, JSON.stringify({ version: 1, roles: [role], orgs: [], groups: [] }))
    expect(await config('diff', file)).toMatchObject({ code: 1, output: 'added    role Stage.Editor\n' })
    expect(await config('apply', file)).toMatchObject({ code: 0, output: 'added    role Stage.Editor\n' })
    expect(await config('apply', file)).toMatchObject({
      code: 0,
      output: expect.stringContaining('Nothing was changed'),
    })
    writeFileSync(file, JSON.stringify({ version: 1, roles: [{ ...role, name: 'x' }], orgs: [], groups: [] }))
    const faulty = await config('apply', file)
    expect(faulty).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^Nothing was changed\.\nroles\[0\]\.name: /),
    })
    writeFileSync(file, JSON.stringify({ version: 1, roles: [], orgs: [], groups: [] }))
    expect((await config('apply', file)).output).toContain('1 that the file does not have stays')
    expect((await config('apply', file, '--prune', '--yes')).output).toBe('deleted  role Stage.Editor\n')
    expect(await config('diff', file)).toMatchObject({ code: 0 })
    expect(await config('rename', file)).toMatchObject({
      code: 2,
      output: expect.stringContaining('npm run config --'),
    })
  }, 60_000)

  test('let no server start with the demonstration people where others can reach it, until they are dismissed', async () => {
    const open = { HOST: '0.0.0.0', PUBLIC_URL: 'https://id.example' }
    const refused = await run('main.ts', [], open).ended
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('npm run admin -- dismiss-cast') })
    const dismissed = await run('commands/admin.ts', ['dismiss-cast']).ended
    expect(dismissed.output).toContain('3 demonstration people are gone.')
    const server = await startServer(open)
    expect(server.output()).toContain('"msg":"ready"')
    expect(server.output()).not.toContain('password')
  })

  test('delete everything, once they are told to', async () => {
    const asked = await run('commands/reset.ts').ended
    expect(asked.output).toContain('Type yes')
    expect(existsSync(dataDir)).toBe(true)
    expect((await run('commands/reset.ts', ['--yes']).ended).output).toContain('All data is gone.')
    expect(existsSync(dataDir)).toBe(false)
  })
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
    const { code, output } = await run('main.ts', [], env).ended
    expect(code).toBe(1)
    expect(output).toContain(line)
    expect(output).not.toContain('    at ')
  })

  test('a port that is taken', async () => {
    const first = await startServer()
    const second = await run('main.ts', [], { PORT: new URL(first.url).port }).ended
    expect(second).toMatchObject({ code: 1, output: expect.stringContaining('is taken. Set PORT to another one.') })
  })
})

test('two servers that start at once on one database both come up', async () => {
  const socketDirectory = inject('socketDirectory')
  const admin = openDatabase({ socketDirectory, database: 'postgres', user: 'passport' }, { maxConnections: 1 })
  const name = `together_${process.pid}`
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const url = `postgres://passport@localhost/${name}?host=${encodeURIComponent(socketDirectory)}`
  const env = { DATABASE_URL: url, PASSPORT_SECRET: testSecret }
  const servers = await Promise.all([startServer(env), startServer(env), startServer(env)])
  for (const { url } of servers) expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const keys = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/connect/jwks`)).text()))
  expect(new Set(keys).size).toBe(1)
})
