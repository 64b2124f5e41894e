import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { createPool } from './pool.ts'

/**
 * Runs statements: every `${value}` is sent as a parameter, never as text. Columns are snake_case, fields camelCase.
 */
export type Sql = postgres.Sql<{ instant: string }>

/** The address of a database: a URL, or the directory of a Unix socket. */
export type DatabaseAddress = { url: string } | { socketDirectory: string; database: string; user: string }

export interface DatabaseOptions {
  maxConnections?: number
  limits?: Limits
  /** Additional settings of each connection. */
  settings?: Record<string, string>
  /** Called with the text of each statement sent. */
  onStatement?: (text: string) => void
  /** Called with notices of the database. */
  onNotice?: (message: string) => void
}

/** Time limits for statements. */
export interface Limits {
  /** For the wait for a free connection. */
  waitMs: number
  /** From the beginning of an outage, in which the database accepts no connections or cannot write; defaults to 5 s. */
  unreachableMs?: number
  /** For the execution. */
  statementMs: number
  /** For the wait for each lock that another session holds; by default that of the database, which is none. */
  lockMs?: number
}

/** The limits for requests: clients do not wait longer. */
export const requestLimits: Limits = { waitMs: 5_000, statementMs: 30_000, lockMs: 3_000 }
/** The limits for recurring jobs, loads of whole tables and the end of a long request. */
const backgroundLimits: Limits = { waitMs: 60_000, statementMs: 15 * 60_000 }
const idleInTransactionMs = 60_000
/** The maximum latency of the error with which PostgreSQL ends a statement at its limit. */
const graceMs = 5_000

/** Creates a pool, which opens connections on demand. Instants are read as ISO 8601 text with milliseconds. */
export function openDatabase(address: DatabaseAddress, databaseOptions: DatabaseOptions = {}): Sql {
  const { maxConnections = 10, limits = backgroundLimits, settings, onStatement, onNotice } = databaseOptions
  const options = {
    max: 1,
    connect_timeout: 10,
    onnotice: ({ message = '' }: postgres.Notice) => onNotice?.(message),
    ...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
    connection: {
      application_name: 'passport',
      statement_timeout: limits.statementMs,
      ...(limits.lockMs !== undefined && { lock_timeout: limits.lockMs }),
      idle_in_transaction_session_timeout: idleInTransactionMs,
      ...settings,
    },
    // The predefined `postgres.camel` would rewrite keys inside jsonb as well.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    types: {
      instant: {
        to: 1184,
        from: [1184],
        serialize: (instant: string) => instant,
        parse: (text: string) => new Date(text).toISOString(),
      },
    },
  }
  const { waitMs, unreachableMs = 5_000, statementMs } = limits
  const responseTimeoutMs = statementMs + graceMs
  return createPool(openDriver(address, options), {
    maxConnections,
    waitMs,
    unreachableMs,
    responseTimeoutMs,
    isUnavailable: isDatabaseUnavailable,
  })
}

function openDriver<Options extends postgres.Options<{ instant: postgres.PostgresType<string> }>>(
  address: DatabaseAddress,
  options: Options,
) {
  if ('url' in address) return openUrl(address.url, options)
  const { socketDirectory, database, user } = address
  return postgres({ ...options, path: `${socketDirectory}/.s.PGSQL.5432`, database, user })
}

/** Opens a URL, which may name a Unix socket in libpq's syntax: `postgres:///name?host=/var/run/postgresql`. */
function openUrl<Options extends postgres.Options<{ instant: postgres.PostgresType<string> }>>(
  text: string,
  options: Options,
) {
  const url = new URL(text)
  const directory = url.searchParams.get('host')
  if (!directory?.startsWith('/')) return postgres(text, options)
  url.searchParams.delete('host')
  return postgres(url.href, { ...options, path: `${directory}/.s.PGSQL.${url.port || 5432}` })
}

/** Conflicts between transactions that a retry resolves: serialization failure and deadlock. */
const retriable = new Set(['40001', '40P01'])
const maxAttempts = 10

/**
 * Runs `body` in a transaction, and again from the start after a conflict, or if a shutdown of the database has rolled it
 * back, so `body` must have no other effects. Within a transaction, `body` runs in that one.
 */
export async function transaction<T>(
  sql: Sql,
  body: (sql: Sql) => Promise<T>,
  { isolation = 'read committed' }: { isolation?: 'read committed' | 'repeatable read' | 'serializable' } = {},
): Promise<T> {
  if ('savepoint' in sql) return body(sql)
  for (let attempt = 1; ; attempt++) {
    try {
      return (await sql.begin(`isolation level ${isolation}`, (inner) => body(inner as unknown as Sql))) as T
    } catch (error) {
      if (!retriable.has((error as { code?: string }).code ?? '') || attempt === maxAttempts) throw error
      await delay(Math.random() * 2 ** attempt * 5)
    }
  }
}

/** Runs `body` within a transaction so that its failure rolls back only its own writes. */
export function savepoint<T>(sql: Sql, body: (sql: Sql) => Promise<T>): Promise<T> {
  return (sql as unknown as { savepoint: (body: (sql: Sql) => Promise<T>) => Promise<T> }).savepoint(body)
}

const connectionErrors =
  /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ENOENT|ENOTFOUND|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_)/
/**
 * The SQLSTATE classes 08 (connection exception) and 53 (insufficient resources), and the codes of a shutdown or
 * start-up of the database, of a read-only one, and of the timeouts of a statement and of an idle transaction.
 */
const unavailableStates = /^(08|53|57P0[1-5]|57014|25006|25P0[34])/
/** The check that refuses a serializable transaction on a replica; its code is that of any missing feature. */
const replicaCheck = /^check_(XactIsoLevel|transaction_isolation)$/

/** Reports whether an error means that the database cannot serve now, rather than that the statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, name, routine = '' } = (error ?? {}) as { code?: unknown; name?: unknown; routine?: string }
  if (typeof code !== 'string') return false
  if (name !== 'PostgresError') return connectionErrors.test(code)
  return unavailableStates.test(code) || (code === '0A000' && replicaCheck.test(routine))
}

/** The SQLSTATE classes 22 (data exception) and 54 (program limit exceeded). */
const dataStates = /^(22|54)/

/** Reports whether an error means that the database cannot store the values of a statement, now and later. */
export function isDataRefused(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return name === 'PostgresError' && dataStates.test(String(code))
}

/** The codes of a lock timeout, of conflicts that retries did not resolve, and those of the pool. */
const busyStates = new Set(['55P03', ...retriable, 'STATEMENT_BLOCKED', 'CONNECTION_WAIT_TIMEOUT'])

/** Reports whether an error means that the work of others delayed a statement for too long. It changed nothing. */
export const isDatabaseBusy = (error: unknown): boolean =>
  busyStates.has((error as { code?: string } | null)?.code ?? '')

/** Reports whether the disk of the database is full: reads may continue, writes fail until there is space. */
export const isDatabaseFull = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && (error as { code: string }).code === '53100'
