import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Home, makeHome } from './embedded-home.ts'
import { claimDataDirectory } from './embedded-owner.ts'
import { endPostmaster, isAlive, removeRemains } from './embedded-remains.ts'
import { type DatabaseAddress, openDatabase } from './sql.ts'

export interface EmbeddedPostgres {
  address: DatabaseAddress
  /** Where the tables are, which is not under the data directory where another user could not reach that. */
  home: string
  /** Fast shutdown. Connections are to be ended before: one that is being used would be cut. */
  stop: () => Promise<void>
}

export interface EmbeddedOptions {
  /** Where tests trade safety for speed: without it a power cut may lose data. */
  fsync?: boolean
  maxConnections?: number
}

const user = 'passport'
const startTimeoutMs = 30_000

/**
 * Starts the PostgreSQL that comes with Passport, on a Unix socket only, on the data in `dataDir`; makes that on the
 * first start. Whatever a killed predecessor left is cleared away first. Throws where a living one uses the directory.
 */
export async function startEmbeddedPostgres(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true })
  const release = claimDataDirectory(dataDir)
  try {
    const home = makeHome(dataDir)
    await removeRemains(home.tables, home.sockets)
    if (!existsSync(home.tables)) initialise(home)
    const pid = await launch(home, options)
    const address = { socketDirectory: home.sockets, user, database: user }
    await createDatabase(address)
    return {
      address,
      home: home.directory,
      stop: async () => {
        await endPostmaster(pid, home.tables)
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Made beside its place and moved there when whole: a start that is killed half-way leaves nothing that looks ready. */
function initialise({ binaries, tables, runAs, environment }: Home) {
  const unfinished = `${tables}.new`
  rmSync(unfinished, { recursive: true, force: true })
  const encoding = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const { status, stderr, error } = spawnSync(
    join(binaries, 'bin/initdb'),
    ['--pgdata', unfinished, '--username', user, '--auth=trust', ...encoding],
    { ...runAs, env: environment, encoding: 'utf8', cwd: '/' },
  )
  if (status !== 0) throw new Error(`PostgreSQL could not make its tables: ${error?.message ?? stderr}`)
  renameSync(unfinished, tables)
}

async function launch(home: Home, { fsync = true, maxConnections = 50 }: EmbeddedOptions): Promise<number> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: home.sockets,
    unix_socket_permissions: '0700',
    max_connections: maxConnections,
    shared_buffers: '64MB',
    // A row by an index costs hardly more than the next one of the table: the disk has no arm, and most of it is in memory.
    random_page_cost: '1.1',
    io_method: 'sync',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    timezone: 'UTC',
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // A file, not a pipe: PostgreSQL outlives a killed server and must not fail at writing its log. A group of its own:
  // Ctrl-C is for the server, which then stops PostgreSQL after its own connections.
  const log = openSync(home.log, 'w')
  const child = spawn(join(home.binaries, 'bin/postgres'), ['-D', home.tables, ...given], {
    ...home.runAs,
    env: home.environment,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  let failure: Error | undefined
  child.on('error', (error) => {
    failure = error
  })
  for (const since = Date.now(); Date.now() - since < startTimeoutMs; await delay(5)) {
    if (failure || child.exitCode !== null) break
    if (child.pid && isReady(home.tables, child.pid)) return child.pid
  }
  if (child.pid && isAlive(child.pid)) await endPostmaster(child.pid, home.tables)
  throw new Error(`PostgreSQL did not start: ${failure?.message ?? lastLines(home.log)}`)
}

/** The first line of the pid file is the postmaster, the eighth what it is doing. */
function isReady(tables: string, pid: number): boolean {
  const lines = readIfThere(join(tables, 'postmaster.pid')).split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

async function createDatabase(address: { socketDirectory: string; user: string; database: string }) {
  const sql = openDatabase({ ...address, database: 'postgres' }, { maxConnections: 1 })
  try {
    const found = await sql`select 1 from pg_database where datname = ${address.database}`
    if (found.length === 0) await sql.unsafe(`create database ${address.database}`)
  } finally {
    await sql.end()
  }
}

const lastLines = (file: string) => readIfThere(file).trim().split('\n').slice(-5).join('\n')

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
