import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { openCheckedDatabase } from './check.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { socketsOf } from './embedded-home.ts'
import { livingOwner } from './embedded-owner.ts'
import type { Sql } from './sql.ts'

export interface OpenDatabase {
  sql: Sql
  /** Where the tables of the embedded one are. */
  home: string | undefined
  /** Ends the connections, then the database where it was started here. */
  close: () => Promise<void>
}

type Where = Pick<Config, 'databaseUrl' | 'dataDir'>

/** Opens the database of the configuration: that of DATABASE_URL, or the embedded one, which it starts. */
export async function openOwnDatabase({ databaseUrl, dataDir }: Where): Promise<OpenDatabase> {
  if (databaseUrl) {
    const sql = await openCheckedDatabase({ url: databaseUrl })
    return { sql, home: undefined, close: () => sql.end({ timeout: 2 }) }
  }
  const embedded = await startEmbeddedPostgres(resolve(dataDir))
  const sql = await openCheckedDatabase(embedded.address).catch(async (error) => {
    await embedded.stop()
    throw error
  })
  return {
    sql,
    home: embedded.home,
    close: async () => {
      await sql.end({ timeout: 2 })
      await embedded.stop()
    },
  }
}

/** Like `openOwnDatabase`, and beside a server that runs on the same data. */
export async function openSharedDatabase(where: Where): Promise<OpenDatabase> {
  const dataDir = resolve(where.dataDir)
  if (where.databaseUrl || !livingOwner(dataDir)) return openOwnDatabase(where)
  const sql = await openCheckedDatabase({ socketDirectory: socketsOf(dataDir), database: 'passport', user: 'passport' })
  return { sql, home: undefined, close: () => sql.end({ timeout: 2 }) }
}
