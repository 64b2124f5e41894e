import { type Config, ConfigError, loadConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { openSharedDatabase } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'

/** Runs a command on the database of the configuration, whether a server runs on it or not, and ends the process. */
export async function runOnDatabase(command: (sql: Sql, config: Config) => Promise<void>): Promise<void> {
  try {
    const config = loadConfig(process.env)
    const database = await openSharedDatabase(config)
    try {
      await migrate(database.sql, new URL('../../migrations/', import.meta.url))
      await command(database.sql, config)
    } finally {
      await database.close()
    }
  } catch (error) {
    console.error(error instanceof ConfigError || error instanceof Misuse ? error.message : error)
    process.exitCode = 1
  }
}

/** The command was called with words that it does not take; the message says which it does. */
export class Misuse extends Error {}
