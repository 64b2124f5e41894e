import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { isAlive } from './embedded-cleanup.ts'
import { openDatabase } from './sql.ts'
import { expectRowsKept, kill, readPostmasterPid, startInChildProcess, useTestDirectory } from './test-embedded.ts'

const directory = useTestDirectory()

test('the embedded PostgreSQL keeps its data, listens on a socket only, and uses UTF-8', async () => {
  await expectRowsKept(directory.dataDir, 0)
  await expectRowsKept(directory.dataDir, 1)
  const postgres = await startEmbeddedPostgres(directory.dataDir)
  const sql = openDatabase(postgres.address)
  const [row] = await sql`
    select current_setting('listen_addresses') as listens, pg_encoding_to_char(encoding) as encoding, lower('É') as lower
    from pg_database where datname = current_database()`
  expect(row).toEqual({ listens: '', encoding: 'UTF8', lower: 'é' })
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

test('a second server on the same data is rejected with the process id of the first', async () => {
  const child = await startInChildProcess(directory)
  await expect(startEmbeddedPostgres(directory.dataDir)).rejects.toThrow(
    `Another Passport (process ${child.pid}) uses ${directory.dataDir}.`,
  )
})
