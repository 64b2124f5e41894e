import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { openCheckedDatabase } from './check.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { pathsOf, socketsOf } from './embedded-home.ts'
import { findOwner } from './embedded-owner.ts'
import { serverRole } from './embedded-roles.ts'
import type { RestartListener } from './keep-running.ts'
import { type DatabaseAddress, openDatabase, requestLimits, type Sql } from './sql.ts'
import { type DatabasePaths, explainStartFailure } from './start-failure.ts'

interface OpenDatabase {
  /** For requests, with short time limits. */
  sql: Sql
  /** For background work, with a few connections of its own and long time limits. */
  background: Sql
  /** The location of the embedded database. */
  paths: DatabasePaths | undefined
  /** Ends the connections, and then the database if it was started here. */
  close: () => Promise<void>
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir'>

interface Callbacks {
  /** Called with messages about the start of the embedded database for the operator. */
  onNotice: (line: string) => void
  /** Notified when the embedded database ends unexpectedly, and of its restarts. */
  restartListener?: RestartListener
}

/**
 * Opens the configured database: that of DATABASE_URL, or the embedded one, which is started and kept running. Throws
 * `ConfigError`.
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
    close: async () => {
      await pools.close()
      await embedded.stop()
    },
  }
}

/** Opens the configured database, whose embedded PostgreSQL another process has started. Throws `ConfigError`. */
export async function openRunningDatabase({ databaseUrl, dataDir }: DatabaseConfig): Promise<OpenDatabase> {
  if (databaseUrl) return openOwnDatabase({ databaseUrl, dataDir }, { onNotice: () => {} })
  const paths = pathsOf(resolve(dataDir))
  const address = { socketDirectory: socketsOf(resolve(dataDir)), user: serverRole, database: serverRole }
  const pools = await openPools(address).catch((error) => {
    throw explainStartFailure(error, paths)
  })
  return { ...pools, paths }
}

async function openPools(address: DatabaseAddress) {
  const sql = await openCheckedDatabase(address, { limits: requestLimits })
  const background = openDatabase(address, { maxConnections: 4 })
  const close = async () => {
    await Promise.all([sql.end({ timeout: 2 }), background.end({ timeout: 2 })])
  }
  return { sql, background, close }
}

/** Opens the database for a command, with long time limits; a server may be running on the same data. */
export async function openSharedDatabase(
  config: DatabaseConfig,
  onNotice: (line: string) => void,
): Promise<Pick<OpenDatabase, 'sql' | 'close'>> {
  const dataDir = resolve(config.dataDir)
  if (config.databaseUrl || !findOwner(dataDir)) {
    const { background, close } = await openOwnDatabase(config, { onNotice })
    return { sql: background, close }
  }
  const sql = await openCheckedDatabase({ socketDirectory: socketsOf(dataDir), database: serverRole, user: serverRole })
  return { sql, close: () => sql.end({ timeout: 2 }) }
}
