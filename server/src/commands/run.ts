import { type Config, ConfigError, loadConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { openSharedDatabase } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'
import { explainStartFailure } from '../database/start-failure.ts'

/**
 * Runs a command on the configured database, whether or not a server is running on it. Prints an error and sets the
 * exit code 1.
 */
export async function runOnDatabase(command: (sql: Sql, config: Config) => Promise<void>): Promise<void> {
  try {
    const config = loadConfig(process.env)
    const database = await openSharedDatabase(config, console.error)
    try {
      await migrate(database.sql, new URL('../../migrations/', import.meta.url)).catch((error) => {
        throw config.databaseUrl ? explainStartFailure(error, undefined) : error
      })
      await command(database.sql, config)
    } finally {
      await database.close()
    }
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof UsageError || isSystemError(error)
    console.error(isExpected ? error.message : error)
    process.exitCode = 1
  }
}

/** Reports whether an error is that of a file, a directory or a connection, whose message names it. */
const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && typeof (error as { syscall?: unknown }).syscall === 'string'

/** An expected error, such as invalid arguments. Only its message is printed. */
export class UsageError extends Error {}
