import { type Config, ConfigError, loadConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { openSharedDatabase } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'

/**
 * Runs a command on the configured database, whether or not a server is running on it. Prints an error and sets the
 * exit code 1.
 */
export async function runOnDatabase(command: (sql: Sql, config: Config) => Promise<void>): Promise<void> {
  try {
    const config = loadConfig(process.env)
    const database = await openSharedDatabase(config, console.error)
    try {
      await migrate(database.sql, new URL('../../migrations/', import.meta.url))
      await command(database.sql, config)
    } finally {
      await database.close()
    }
  } catch (error) {
    console.error(error instanceof ConfigError || error instanceof UsageError ? error.message : error)
    process.exitCode = 1
  }
}

/** An expected error, such as invalid arguments. Only its message is printed. */
export class UsageError extends Error {}
