import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { openCheckedDatabase } from './check.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { pathsOf, socketsOf } from './embedded-home.ts'
import { type ClaimOptions, DataDirectoryInUse, joinDataDirectory } from './embedded-owner.ts'
import { serverRole } from './embedded-roles.ts'
import type { RestartListener } from './keep-running.ts'
import { type DatabaseAddress, isDatabaseUnavailable, openDatabase, requestLimits, type Sql } from './sql.ts'
import { type DatabasePaths, explainStartFailure } from './start-failure.ts'

interface OpenDatabase {
  /** For requests, with short time limits. */
  sql: Sql
  /** For background work, with a few connections of its own and long time limits. */
  background: Sql
  /** The location of the embedded database. */
  paths: DatabasePaths | undefined
  /**
   * Ends the connections, and then the database if it was started here. Waits 2 s for statements and transactions in
   * progress, or not at all; those that it did not wait for are rolled back.
   */
  close: (options?: { isImmediate?: boolean }) => Promise<void>
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir'>

interface Callbacks {
  /** Called with messages about the start and the end of the embedded database for the operator. */
  onNotice: (line: string) => void
  isCommand?: ClaimOptions['isCommand']
  stopping?: ClaimOptions['stopping']
  /** Notified when the embedded database ends unexpectedly, and of its restarts. */
  restartListener?: RestartListener
}

/**
 * Opens the configured database: that of DATABASE_URL, or the embedded one, which is started and kept running. Throws
 * `ConfigError`, and `DataDirectoryInUse` if another process has started that.
 */
export async function openOwnDatabase(
  { databaseUrl, dataDir }: DatabaseConfig,
  callbacks: Callbacks,
): Promise<OpenDatabase> {
  if (databaseUrl) {
    const pools = await openPools({ url: databaseUrl }).catch((error) => {
      throw explainStartFailure(error, undefined)
    })
    return { ...pools, paths: undefined }
  }
  const embedded = await startEmbeddedPostgres(resolve(dataDir), callbacks)
  const pools = await openPools(embedded.address).catch(async (error) => {
    await embedded.stop()
    throw explainStartFailure(error, embedded.paths)
  })
  return {
    ...pools,
    paths: embedded.paths,
    close: async (options) => {
      await pools.close(options)
      await embedded.stop()
    },
  }
}

/** Opens the configured database, whose embedded PostgreSQL another process has started. Throws `ConfigError`. */
export async function openRunningDatabase({ databaseUrl, dataDir }: DatabaseConfig): Promise<OpenDatabase> {
  if (databaseUrl) return openOwnDatabase({ databaseUrl, dataDir }, { onNotice: () => {} })
  const paths = pathsOf(resolve(dataDir))
  const pools = await openPools(addressOf(resolve(dataDir))).catch((error) => {
    throw explainStartFailure(error, paths)
  })
  return { ...pools, paths }
}

const addressOf = (dataDir: string): DatabaseAddress => ({
  socketDirectory: socketsOf(dataDir),
  user: serverRole,
  database: serverRole,
})

async function openPools(address: DatabaseAddress) {
  const sql = await openCheckedDatabase(address, { limits: requestLimits })
  const background = openDatabase(address, { maxConnections: 4 })
  const close: OpenDatabase['close'] = async (options) => {
    const timeout = waitOf(options)
    await Promise.all([sql.end({ timeout }), background.end({ timeout })])
  }
  return { sql, background, close }
}

/** Returns how many seconds the end of the connections waits for work in progress. */
const waitOf = ({ isImmediate = false } = {}): number => (isImmediate ? 0 : 2)

type SharedDatabase = Pick<OpenDatabase, 'sql' | 'close'>

/**
 * Opens the database for a command, with long time limits. A server or another command may be running, starting or ending
 * on the same data.
 */
export async function openSharedDatabase(
  config: DatabaseConfig,
  callbacks: Pick<Callbacks, 'onNotice' | 'stopping'>,
): Promise<SharedDatabase> {
  for (;;) {
    const joined = config.databaseUrl ? undefined : await joinDatabase(resolve(config.dataDir), callbacks.stopping)
    if (joined) return joined
    try {
      const { background, close } = await openOwnDatabase(config, { ...callbacks, isCommand: true })
      return { sql: background, close }
    } catch (error) {
      if (!(error instanceof DataDirectoryInUse)) throw error
    }
  }
}

/** The time for another process to create and start its database. */
const startMs = 60_000

/** Opens the embedded database of another process as its guest; returns undefined if there is none, or if it is ending. */
async function joinDatabase(dataDir: string, stopping: AbortSignal | undefined): Promise<SharedDatabase | undefined> {
  const membership = joinDataDirectory(dataDir)
  if (!membership) return undefined
  const { isValid, leave } = membership
  for (const beganAt = performance.now(); ; await delay(50)) {
    try {
      const sql = await openCheckedDatabase(addressOf(dataDir))
      const close: OpenDatabase['close'] = async (options) => {
        await sql.end({ timeout: waitOf(options) })
        leave()
      }
      return { sql, close }
    } catch (error) {
      const isLate = performance.now() - beganAt > startMs
      if (isValid() && isStarting(error) && !isLate && !stopping?.aborted) continue
      leave()
      stopping?.throwIfAborted()
      if (!isValid()) return undefined
      throw explainStartFailure(error, pathsOf(dataDir))
    }
  }
}

/** Reports whether an error is that of a database which does not accept connections, or lacks its role or itself, yet. */
const isStarting = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || ['28000', '3D000'].includes((error as { code?: string }).code ?? '')
