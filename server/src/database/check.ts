import { ConfigError } from '../config.ts'
import { type DatabaseAddress, isDatabaseUnavailable, openDatabase, type Sql } from './sql.ts'

/** Opens a database and makes sure that Passport can live there. Throws `ConfigError`, which stops the start with a line. */
export async function openCheckedDatabase(address: DatabaseAddress): Promise<Sql> {
  const sql = openDatabase(address)
  try {
    const [found] = await sql<{ encoding: string; version: number }[]>`
      select pg_encoding_to_char(encoding) as encoding, current_setting('server_version_num')::integer as version
      from pg_database where datname = current_database()`
    if (found?.encoding !== 'UTF8')
      throw new ConfigError([`DATABASE_URL: the database is in ${found?.encoding}, and must be in UTF8`])
    if (found.version < 140_000) throw new ConfigError(['DATABASE_URL: PostgreSQL 14 or later is needed'])
    return sql
  } catch (error) {
    await sql.end({ timeout: 1 })
    if (error instanceof ConfigError) throw error
    const { message, code } = error as { message: string; code?: string }
    if (isDatabaseUnavailable(error) || code === '28P01' || code === '3D000' || code === '28000') {
      throw new ConfigError([`DATABASE_URL: the database does not let us in: ${message}`])
    }
    throw error
  }
}
