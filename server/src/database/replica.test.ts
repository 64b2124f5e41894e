import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCheckedDatabase } from './check.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { createHome, type Home } from './embedded-home.ts'

/** Starts the embedded PostgreSQL with the settings of a database that has replicas; returns a function that stops it. */
async function launch(home: Home): Promise<() => Promise<void>> {
  const settings = ['listen_addresses=', `unix_socket_directories=${home.sockets}`, 'wal_level=replica', 'fsync=off']
  const args = ['-D', home.tables, ...settings.flatMap((setting) => ['-c', setting])]
  const postgres = spawn(join(home.binaries, 'bin/postgres'), args, {
    ...home.runAs,
    env: home.environment,
    cwd: '/',
    stdio: 'ignore',
  })
  const exited = once(postgres, 'exit')
  const readState = () => readFileSync(join(home.tables, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim()
  await expect.poll(readState).toBe('ready')
  return async () => {
    postgres.kill('SIGINT')
    await exited
  }
}

test('the start is refused with a replica', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-replica-'))
  chmodSync(dataDir, 0o755)
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const embedded = await startEmbeddedPostgres(dataDir, { fsync: false })
  await embedded.stop()
  const home = createHome(dataDir)
  // A replica refuses the log of a database that cannot have one.
  await (await launch(home))()
  const signal = join(home.tables, 'standby.signal')
  writeFileSync(signal, '')
  if (home.runAs.uid !== undefined) chownSync(signal, home.runAs.uid, home.runAs.gid ?? -1)
  onTestFinished(await launch(home))
  const url = `postgres://passport@localhost/passport?host=${encodeURIComponent(home.sockets)}`
  await expect(openCheckedDatabase({ url })).rejects.toThrow(
    'DATABASE_URL: cannot connect to the database: The database is a replica, which cannot write. Use the address of the primary.',
  )
})
