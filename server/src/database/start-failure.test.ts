import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { ConfigError } from '../config.ts'
import { openOwnDatabase } from './open.ts'
import { explainOutput, explainStartFailure } from './start-failure.ts'

const paths = { directory: '/data/postgres', tables: '/data/postgres/tables', log: '/data/postgres/log' }
const at = '2026-11-22 10:00:00.000 UTC [7] '

test.for([
  [
    'a full disk',
    `${at}FATAL:  could not write lock file "postmaster.pid": No space left on device`,
    'No space left on device. Free some space on the disk of /data/postgres/tables and start again.',
  ],
  [
    'a full disk, whose message is not the last one',
    `${at}PANIC:  could not write to file "pg_wal/x": No space left on device\n${at}LOG:  aborting\n${at}HINT:  Consult recent messages in the server log.`,
    'PostgreSQL failed to start: could not write to file "pg_wal/x": No space left on device',
  ],
  [
    'a read-only disk',
    `${at}FATAL:  could not create lock file "postmaster.pid": Read-only file system`,
    'The disk of /data/postgres/tables is read-only',
  ],
  [
    'tables of another user',
    `${at}FATAL:  data directory "/data/postgres/tables" has wrong ownership\n${at}HINT:  The server must be started by the user that owns the data directory.`,
    'chown -R 999 /data/postgres/tables',
  ],
  [
    'tables that others may read',
    `${at}FATAL:  data directory "/data/postgres/tables" has invalid permissions\n${at}DETAIL:  Permissions should be u=rwx (0700) or u=rwx,g=rx (0750).`,
    'chmod 700 /data/postgres/tables',
  ],
  [
    'tables of another version',
    `${at}FATAL:  database files are incompatible with server\n${at}DETAIL:  The data directory was initialized by PostgreSQL version 17.`,
    'Start the release of Passport that created them',
  ],
  [
    'a damaged file',
    `${at}PANIC:  could not locate a valid checkpoint record at 0/0`,
    'The database files in /data/postgres/tables are damaged. Restore them from a backup',
  ],
  ['an unknown cause', `${at}LOG:  starting\nFATAL:  something new\n`, 'PostgreSQL failed to start: something new'],
  ['no output', '', 'PostgreSQL failed to start.'],
] as const)('the output of a PostgreSQL that failed with %s is explained', ([, output, line]) => {
  const { message } = explainOutput(output, paths, 999)
  expect(message).toContain(line)
  expect(message).toContain('Its log is /data/postgres/log')
})

const createError = (code: string, name = 'Error', path?: string) =>
  Object.assign(new Error(`${code}: the cause`), { code, name, path })

test.for([
  [createError('EROFS', 'Error', '/data/owner.json'), 'The disk of /data/owner.json is read-only'],
  [createError('EACCES', 'Error', '/data/secret'), 'cannot access /data/secret. Change its owner or mode'],
  [createError('ENOSPC'), 'Free some space on the disk of /data/postgres'],
  [createError('ENOTDIR', 'Error', '/data/x'), 'DATA_DIR: /data/x cannot be created because a parent is a file'],
  [createError('53100', 'PostgresError'), 'Free some space on the disk of /data/postgres/tables'],
  [createError('XX001', 'PostgresError'), 'The database files in /data/postgres/tables are damaged'],
] as const)('%s of the embedded database is explained', ([error, line]) => {
  const explained = explainStartFailure(error, paths)
  expect(explained).toBeInstanceOf(ConfigError)
  expect((explained as Error).message).toContain(line)
  expect((explained as Error).cause).toBe(error)
})

test('a missing right to create tables in the database of DATABASE_URL is explained', () => {
  const explained = explainStartFailure(createError('42501', 'PostgresError'), undefined)
  expect(explained).toEqual(new ConfigError(['DATABASE_URL: the database is not usable: 42501: the cause']))
})

test.for([
  [createError('42P01', 'PostgresError')],
  [createError('ECONNREFUSED')],
  [new TypeError('a bug')],
  [new ConfigError(['a setting'])],
])('%s is not explained', ([error]) => {
  expect(explainStartFailure(error, paths)).toBe(error)
})

/** Opens a database that cannot be opened; returns the lines that a start prints. */
async function findLines(databaseUrl: string | undefined, dataDir = '/nowhere'): Promise<string[]> {
  const error: unknown = await openOwnDatabase({ databaseUrl, dataDir }, { onNotice: () => {} }).catch((error) => error)
  if (!(error instanceof ConfigError)) throw new Error('The database was opened', { cause: error })
  return error.message.split('\n')
}

test('every error of the first connection is one line that names DATABASE_URL', async () => {
  const socket = `host=${encodeURIComponent(inject('socketDirectory'))}`
  const causes = {
    'postgres://u@does-not-exist.invalid/x': 'getaddrinfo ENOTFOUND does-not-exist.invalid',
    'postgres://u@127.0.0.1:1/x': 'connect ECONNREFUSED 127.0.0.1:1',
    'postgres://u@192.0.2.1:0/x': 'connect ',
    'postgres://u:%zz@127.0.0.1/x': 'URI malformed',
    'postgres://u@localhost/x?host=/etc/passwd': 'connect ENOTDIR /etc/passwd/.s.PGSQL.5432',
    [`postgres://passport@localhost/nowhere?${socket}`]: 'database "nowhere" does not exist',
    [`postgres://nobody@localhost/postgres?${socket}`]: 'role "nobody" does not exist',
    [`postgres://passport@localhost/postgres?${socket}&sslrootcert=x`]:
      'unrecognized configuration parameter "sslrootcert"',
  }
  const lines = await Promise.all(Object.keys(causes).map((url) => findLines(url)))
  expect(lines).toEqual(
    Object.values(causes).map((cause) => [
      expect.stringContaining(`DATABASE_URL: cannot connect to the database: ${cause}`),
    ]),
  )
})

test('a data directory that cannot be used is one line that names DATA_DIR', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'passport-paths-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const at = (name: string) => join(folder, name)
  writeFileSync(at('file'), '')
  symlinkSync(at('nowhere'), at('link'))
  symlinkSync(at('circle'), at('circle'))
  mkdirSync(at('claimed/owner.json'), { recursive: true })
  mkdirSync(at('occupied'))
  writeFileSync(at('occupied/postgres'), '')
  const directories = ['file', 'file/below', 'link', 'circle', 'claimed', 'occupied', 'x'.repeat(300)].map(at)
  if (process.platform === 'linux') directories.push('/proc/x', '/proc/self/x/y', '/dev/null')
  for (const directory of directories)
    expect(await findLines(undefined, directory)).toEqual([expect.stringMatching(/DATA_DIR/)])
})
