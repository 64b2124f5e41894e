import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { isAlive } from './embedded-cleanup.ts'
import { socketsOf } from './embedded-home.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './sql.ts'
import { expectRowsKept, kill, readPostmasterPid, startInChildProcess, useTestDirectory } from './test-embedded.ts'
import { expectPlainRole, restoreFormerRoles } from './test-former-roles.ts'

const directory = useTestDirectory()
const migrations = new URL('../../migrations/', import.meta.url)

test('the embedded PostgreSQL keeps its data, listens on a socket only, and uses UTF-8', async () => {
  await expectRowsKept(directory.dataDir, 0)
  await expectRowsKept(directory.dataDir, 1)
  const postgres = await startEmbeddedPostgres(directory.dataDir)
  const sql = openDatabase(postgres.address)
  const [row] = await sql`
    select current_setting('listen_addresses') as listens, pg_encoding_to_char(encoding) as encoding, lower('É') as lower
    from pg_database where datname = current_database()`
  expect(row).toEqual({ listens: '', encoding: 'UTF8', lower: 'é' })
  const [socketDirectory, other] = [socketsOf(directory.dataDir), inject('socketDirectory')]
  expect(statSync(socketDirectory).mode & 0o777).toBe(0o700)
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(socketDirectory)
    // The PostgreSQL of another data directory, that of all tests, has another user, which cannot open this socket.
    expect(statSync(other).uid).not.toBe(uid)
    const canList = (path: string) => spawnSync('/bin/ls', [path], { uid, gid, cwd: '/' }).status === 0
    expect([canList(socketDirectory), canList(other)]).toEqual([true, false])
  }
  await sql.end()
  await postgres.stop()
})

test('the embedded PostgreSQL is restarted if a killed server left it running', async () => {
  await expectRowsKept(directory.dataDir, 0)
  const child = await startInChildProcess(directory)
  const orphan = readPostmasterPid(directory.dataDir)
  await kill(child)
  expect(isAlive(orphan)).toBe(true)
  await expectRowsKept(directory.dataDir, 1)
  expect(isAlive(orphan)).toBe(false)
})

test('the role of the server is no superuser, and owns what it created', async () => {
  const postgres = await startEmbeddedPostgres(directory.dataDir)
  const sql = openDatabase(postgres.address)
  await migrate(sql, migrations)
  await expectPlainRole(sql)
  await sql.end()
  await postgres.stop()
  await restoreFormerRoles(directory.dataDir)

  // The next start demotes the superuser of an earlier release, once.
  const notices: string[] = []
  for (const round of [1, 2]) {
    const restarted = await startEmbeddedPostgres(directory.dataDir, { onNotice: (line) => notices.push(line) })
    const sql = openDatabase(restarted.address)
    await expectPlainRole(sql)
    // A later migration can change all objects.
    await sql.unsafe(`alter table users add column added_${round} text`)
    expect(await migrate(sql, migrations)).toEqual([])
    await sql.end()
    await restarted.stop()
  }
  expect(notices).toEqual([expect.stringContaining('no superuser any more')])
})

test('a second server on the same data is rejected with the process id of the first', async () => {
  const child = await startInChildProcess(directory)
  await expect(startEmbeddedPostgres(directory.dataDir)).rejects.toThrow(
    `Another Passport (process ${child.pid}) uses ${directory.dataDir}.`,
  )
})
