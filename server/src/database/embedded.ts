import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cleanUpAfterCrash, endPostmaster, isAlive } from './embedded-cleanup.ts'
import { adoptTables, chownAll, createDirectories, createHome, type Home, pathsOf } from './embedded-home.ts'
import { type Claim, type ClaimOptions, claimDataDirectory } from './embedded-owner.ts'
import { prepareRoles, serverRole, superuser } from './embedded-roles.ts'
import { keepRunning, type RestartListener } from './keep-running.ts'
import type { DatabaseAddress } from './sql.ts'
import { type DatabasePaths, explainFileFailure, explainOutput } from './start-failure.ts'

export interface EmbeddedPostgres {
  address: DatabaseAddress
  /** The location of the tables, outside the data directory if another user could not reach that. */
  paths: DatabasePaths
  /** Waits for commands that use the database, and requests a fast shutdown. End the connections first: a busy one is cut. */
  stop: () => Promise<void>
}

export interface EmbeddedOptions {
  /** False trades safety for speed in tests: a power cut may then lose data. */
  fsync?: boolean
  maxConnections?: number
  /** Notified when PostgreSQL ends unexpectedly, and of its restarts. */
  restartListener?: RestartListener
  /** Called with messages about the start and the end for the operator. */
  onNotice?: (line: string) => void
  isCommand?: ClaimOptions['isCommand']
  stopping?: ClaimOptions['stopping']
}

const startTimeoutMs = 30_000

/**
 * Starts the bundled PostgreSQL on the data in `dataDir`, which the first start creates; it listens on a Unix socket
 * only. Cleans up after a killed server first, and restarts PostgreSQL whenever it ends unexpectedly. Throws like
 * `claimDataDirectory`, and `ConfigError` if PostgreSQL cannot start.
 */
export async function startEmbeddedPostgres(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const { end, release } = await claim(dataDir, options)
  let home: Home | undefined
  let child: ChildProcess | undefined
  try {
    const paths = createHome(dataDir)
    home = paths
    await cleanUpAfterCrash(paths.tables, paths.sockets)
    adoptTables(paths, options.onNotice)
    const isNew = !existsSync(paths.tables)
    if (isNew) initialise(paths)
    child = await launch(paths, options)
    await prepareRoles({ socketDirectory: paths.sockets, isNew, onNotice: options.onNotice })
    const address = { socketDirectory: paths.sockets, user: serverRole, database: serverRole }
    const relaunch = async () => {
      await cleanUpAfterCrash(paths.tables, paths.sockets)
      return launch(paths, options)
    }
    const stopRestarts = keepRunning(child, relaunch, options.restartListener ?? silentListener)
    return {
      address,
      paths,
      stop: async () => {
        await end(options.onNotice ?? (() => {}))
        const { pid } = await stopRestarts()
        if (pid) await endPostmaster(pid, paths.tables)
        release()
      },
    }
  } catch (error) {
    if (home && child?.pid) await endPostmaster(child.pid, home.tables)
    release()
    const explained = explainFileFailure(error, pathsOf(dataDir))
    throw (home && explained === error && explainCrash(home)) || explained
  }
}

/** Returns the reason in the log if PostgreSQL started but cannot serve; undefined if the log has none. */
function explainCrash(home: Home): Error | undefined {
  const log = readOrEmpty(home.log)
  const text = log.slice(log.lastIndexOf('starting PostgreSQL'))
  return /FATAL|PANIC/.test(text) ? explainOutput(text, home, home.runAs.uid ?? process.getuid?.()) : undefined
}

async function claim(dataDir: string, options: ClaimOptions): Promise<Claim> {
  try {
    createDirectories(dataDir)
    return await claimDataDirectory(dataDir, options)
  } catch (error) {
    throw explainFileFailure(error, pathsOf(dataDir))
  }
}

const silentListener: RestartListener = { onEnded() {}, onRestarted() {}, onFailed() {}, onGiveUp() {} }

/** Ctrl-C is for Passport, which then ends PostgreSQL. An option of `spawnSync` too, which its types lack. */
const ownProcessGroup = { detached: true }

/**
 * Creates the tables in a temporary directory and renames it when complete, so that an interrupted start leaves no
 * partial tables.
 */
function initialise(home: Home) {
  const { binaries, tables, runAs, initialiseAs, environment } = home
  const unfinished = `${tables}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  chownAll(unfinished, initialiseAs)
  const encoding = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const { status, stderr, error } = spawnSync(
    join(binaries, 'bin/initdb'),
    ['--pgdata', unfinished, '--username', superuser, '--auth=trust', ...encoding],
    { ...initialiseAs, ...ownProcessGroup, env: environment, encoding: 'utf8', cwd: '/' },
  )
  if (status !== 0) throw explainOutput(error?.message ?? stderr, home, runAs.uid ?? process.getuid?.())
  chownAll(unfinished, runAs)
  renameSync(unfinished, tables)
}

async function launch(home: Home, { fsync = true, maxConnections = 50 }: EmbeddedOptions): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: home.sockets,
    unix_socket_permissions: '0700',
    max_connections: maxConnections,
    shared_buffers: '64MB',
    // An index lookup costs little more than a sequential read: the disk has no seek time, and most data is in memory.
    random_page_cost: '1.1',
    io_method: 'sync',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    timezone: 'UTC',
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // A file, not a pipe: PostgreSQL outlives a killed server and must not fail at writing its log.
  const { log, length } = openLog(home.log)
  const child = spawn(join(home.binaries, 'bin/postgres'), ['-D', home.tables, ...args], {
    ...home.runAs,
    env: home.environment,
    ...ownProcessGroup,
    cwd: '/',
    stdio: ['ignore', log, log],
  })
  child.unref()
  closeSync(log)
  let failure: Error | undefined
  child.on('error', (error) => {
    failure = error
  })
  for (const startedAt = Date.now(); Date.now() - startedAt < startTimeoutMs; await delay(5)) {
    if (failure || child.exitCode !== null || child.signalCode !== null) break
    if (child.pid && isReady(home.tables, child.pid)) return child
  }
  if (child.pid && isAlive(child.pid)) await endPostmaster(child.pid, home.tables)
  const output = failure?.message ?? readOrEmpty(home.log).slice(length)
  throw explainOutput(output, home, home.runAs.uid ?? process.getuid?.())
}

const maxLogBytes = 10 * 1024 * 1024

/**
 * Opens the log for appending, so that the last lines before a crash are kept; `length` is that of the existing text. A
 * log over `maxLogBytes` is first renamed to `.old`.
 */
function openLog(path: string): { log: number; length: number } {
  if (existsSync(path) && statSync(path).size > maxLogBytes) renameSync(path, `${path}.old`)
  const log = openSync(path, 'a')
  return { log, length: readOrEmpty(path).length }
}

/** Reports whether PostgreSQL is ready: the pid file has the postmaster's id in line 1 and its state in line 8. */
function isReady(tables: string, pid: number): boolean {
  const lines = readOrEmpty(join(tables, 'postmaster.pid')).split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
