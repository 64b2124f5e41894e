import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { testSecret } from '../test-database.ts'
import { useProcesses } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0
if (!isInstalled) console.warn('Skipped: pgbouncer is not installed.')

const processes = useProcesses()

const findFreePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** Starts pgbouncer in front of a new database; returns the settings of a server that uses it. */
async function startPooler(mode: string, extra: string) {
  const sql = await createTestDatabase()
  const [database] = await sql<{ name: string }[]>`select current_database() as name`
  const socketDirectory = inject('socketDirectory')
  // pgbouncer does not run as root, and only PostgreSQL's user can reach the socket.
  const { uid, gid } = statSync(socketDirectory)
  const directory = mkdtempSync(join(tmpdir(), 'passport-pooler-'))
  const file = join(directory, 'pgbouncer.ini')
  const port = await findFreePort()
  writeFileSync(
    file,
    `[databases]
${database?.name} = host=${socketDirectory} user=passport
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout
${extra}
`,
  )
  chownSync(directory, uid, gid)
  chmodSync(file, 0o644)
  const asRoot = process.getuid?.() === 0 ? { uid, gid } : {}
  const pooler = spawn('pgbouncer', [file], { ...asRoot, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => {
    pooler.kill('SIGKILL')
    rmSync(directory, { recursive: true })
  })
  let log = ''
  pooler.stderr.on('data', (text) => {
    log += text
  })
  await expect.poll(() => log).toContain('process up')
  return { DATABASE_URL: `postgres://passport@127.0.0.1:${port}/${database?.name}`, PASSPORT_SECRET: testSecret }
}

test.runIf(isInstalled).for([
  ['', 'can run each transaction on a different server connection'],
  ['server_round_robin = 1', 'can run each transaction on a different server connection'],
  ['default_pool_size = 1', 'did not provide two connections within 5 s'],
] as const)('the start fails behind a pooler in transaction mode with the setting “%s”', async ([extra, line]) => {
  const { code, output } = await processes.run('main.ts', [], await startPooler('transaction', extra)).exited
  expect([code, output]).toEqual([1, expect.stringContaining(`DATABASE_URL: the connection pooler ${line}`)])
  expect(output).not.toContain('    at ')
})

test.runIf(isInstalled)('the server becomes ready behind a pooler in session mode', async () => {
  const { url } = await processes.startServer(await startPooler('session', ''))
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})
