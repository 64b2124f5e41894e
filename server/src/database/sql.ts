import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'

/** Runs statements: every `${value}` is sent as a parameter, never as text. Columns are snake_case, fields camelCase. */
export type Sql = postgres.Sql<{ instant: string }>

/** Where a database is: a URL, or the directory of a Unix socket. */
export type DatabaseAddress = { url: string } | { socketDirectory: string; database: string; user: string }

export interface DatabaseOptions {
  maxConnections?: number
  /** Settings of each connection beside the usual ones. */
  settings?: Record<string, string>
  /** Hears each statement that is sent, as text. */
  onStatement?: (text: string) => void
  /** Hears what the database says beside its answers. */
  onNotice?: (message: string) => void
}

/** Opens a pool; connections are made when they are needed. Instants are read as ISO 8601 text with milliseconds. */
export function openDatabase(address: DatabaseAddress, given: DatabaseOptions = {}): Sql {
  const { maxConnections = 10, settings, onStatement, onNotice } = given
  const options = {
    max: maxConnections,
    idle_timeout: 60,
    connect_timeout: 10,
    onnotice: ({ message = '' }: postgres.Notice) => onNotice?.(message),
    ...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
    connection: { application_name: 'passport', ...settings },
    // The ready-made `postgres.camel` would rewrite keys inside jsonb as well.
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
  if ('url' in address) return openUrl(address.url, options)
  const { socketDirectory, database, user } = address
  return postgres({ ...options, path: `${socketDirectory}/.s.PGSQL.5432`, database, user })
}

/** A URL names a Unix socket as libpq has it: `postgres:///name?host=/var/run/postgresql`. */
function openUrl<Options extends postgres.Options<{ instant: postgres.PostgresType<string> }>>(
  address: string,
  options: Options,
) {
  const url = new URL(address)
  const directory = url.searchParams.get('host')
  if (!directory?.startsWith('/')) return postgres(address, options)
  url.searchParams.delete('host')
  return postgres(url.href, { ...options, path: `${directory}/.s.PGSQL.${url.port || 5432}` })
}

/** Conflicts between transactions that vanish when the loser starts over: serialization failure and deadlock. */
const retriable = new Set(['40001', '40P01'])
const maxAttempts = 10

/**
 * Runs `body` in one transaction, and again from the start when it lost a conflict, so it has no effects but on the
 * database. Within a transaction it joins that one.
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

/** Runs `body` within a transaction so that what fails in it leaves no trace in what is around it. */
export function savepoint<T>(sql: Sql, body: (sql: Sql) => Promise<T>): Promise<T> {
  return (sql as unknown as { savepoint: (body: (sql: Sql) => Promise<T>) => Promise<T> }).savepoint(body)
}

const unavailable = /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ENOENT|57P0|08)/

/** Whether an error says that the database could not be reached, rather than that the statement was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return (
    typeof code === 'string' &&
    unavailable.test(code) &&
    (name === 'PostgresError' || /^(CONN|ECONN|EPIPE|ENOENT)/.test(code))
  )
}
