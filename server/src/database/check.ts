import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config.ts'
import { type DatabaseAddress, type DatabaseOptions, openDatabase, type Sql } from './sql.ts'

/** Opens a database and checks that Passport can use it. Throws `ConfigError` if not. */
export async function openCheckedDatabase(address: DatabaseAddress, options: DatabaseOptions = {}): Promise<Sql> {
  let sql: Sql | undefined
  try {
    sql = openDatabase(address, options)
    const [database] = await sql<{ encoding: string; version: number }[]>`
      select pg_encoding_to_char(encoding) as encoding, current_setting('server_version_num')::integer as version
      from pg_database where datname = current_database()`
    if (database?.encoding !== 'UTF8')
      throw new ConfigError([`DATABASE_URL: the database encoding must be UTF8, not ${database?.encoding}`])
    if (database.version < 140_000) throw new ConfigError(['DATABASE_URL: PostgreSQL 14 or later is required'])
    if (await isBehindPooler(sql)) await rejectTransactionPooling(address)
    return sql
  } catch (error) {
    await sql?.end({ timeout: 1 })
    if (error instanceof ConfigError || !('url' in address)) throw error
    throw new ConfigError([`DATABASE_URL: cannot connect to the database: ${formatError(error)}`], { cause: error })
  }
}

/** Returns the message of an error; that of a host with several addresses is empty, and the first one explains it. */
function formatError(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: Error[] }
  return message || (errors?.[0]?.message ?? String(error))
}

/**
 * Reports whether there is a connection pooler in front of the database. A pooler makes up the process id for query
 * cancellation, so the id differs from that of the backend.
 */
async function isBehindPooler(sql: Sql): Promise<boolean> {
  const backends = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return backends.state?.pid !== backends[0]?.pid
}

const poolerTimeoutMs = 5_000

/**
 * Throws `ConfigError` if the transactions of one connection run on different backends, or if the pooler does not
 * provide two connections in time.
 */
async function rejectTransactionPooling(address: DatabaseAddress) {
  const [pinned, competing] = [
    openDatabase(address, { maxConnections: 1 }),
    openDatabase(address, { maxConnections: 1 }),
  ]
  const timeout = new AbortController()
  try {
    const isPinned = await Promise.race([
      isPinnedToBackend(pinned, competing).catch(ignoreSilence),
      delay(poolerTimeoutMs, undefined, { signal: timeout.signal }),
    ])
    if (isPinned === undefined) {
      throw new ConfigError([
        'DATABASE_URL: the connection pooler did not provide two connections within 5 s. Allow Passport at least 18 connections in session mode.',
      ])
    }
    if (!isPinned) {
      throw new ConfigError([
        'DATABASE_URL: the connection pooler can run each transaction on a different server connection (pool_mode = transaction in PgBouncer). Passport uses prepared statements and LISTEN. Set pool_mode = session, or connect to PostgreSQL directly.',
      ])
    }
  } finally {
    timeout.abort()
    await Promise.all([pinned, competing].map((sql) => sql.end({ timeout: 0 })))
  }
}

/** Ignores the error of a silent database, since a pooler without a free backend does not respond. Rethrows others. */
function ignoreSilence(error: { code?: string }): undefined {
  if (error.code !== 'CONNECTION_SILENT') throw error
}

/** Reports whether a connection keeps its backend. With transaction pooling, a competing transaction takes it over. */
async function isPinnedToBackend(pinned: Sql, competing: Sql): Promise<boolean> {
  const pids = new Set<number | undefined>()
  const recordPid = async () => pids.add((await pinned<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid)
  for (let round = 0; round < 3; round++) {
    await recordPid()
    await competing.begin(async (transaction) => {
      await transaction`select`
      await recordPid()
    })
  }
  return pids.size === 1
}
