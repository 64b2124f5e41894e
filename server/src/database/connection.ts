import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { BlockedStatements } from './blocked-statements.ts'
import { connectionLostError, createError, openSocket } from './socket.ts'
import type { WorkKind } from './stalled-work.ts'

export type DriverSql = postgres.Sql<{ instant: string }>

/** The used parts of the driver's statement; awaiting it calls `handler`. */
export interface Query {
  /** The constant texts of the statement: the same array for each execution of a template. */
  strings: readonly string[]
  handler: (query: Query) => void
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  /** The state of the backend that it was sent to; null for an unsent statement. */
  state: object | null
  /** Set on a cursor, which gets a new `resolve` for each batch. */
  cursorRows?: number
  /** Set on a COPY, which continues after it has resolved. */
  streaming?: boolean
  /** Set on a statement whose rows are passed on as they arrive. */
  forEachFn?: unknown
  args: unknown[]
  options: object
  isRaw?: boolean | 'values'
}

/** A connection with a driver instance of its own, which is never reused for another connection. */
export interface Connection {
  sql: DriverSql
  /** Those of its pool. */
  blocked: BlockedStatements | undefined
  handler: Query['handler']
  socket: Socket | undefined
  isLost: boolean
  /** PostgreSQL has ended the session to shut down: no statement without a response has changed anything. */
  isTerminated: boolean
  onLost: (() => void) | undefined
  /** The last statement sent, until it settles. */
  current: Query | undefined
  /** The number of statements sent and not settled, without cursors, which wait for their readers. */
  pendingCount: number
  /** The number of statements and transactions that hold the connection; a transaction holds it alone. */
  holderCount: number
  /** That of the work that took the connection last. */
  kind: WorkKind | undefined
  /** Whether further statements may use the connection. */
  isShared: boolean
  /** The time of the last response, or of the first statement sent after it, by `performance.now()`. */
  changedAt: number
  /** The time of the last response; 0 before the first one. */
  respondedAt: number
  /** The time at which the last statement with a response was sent: the connection worked after that time. */
  workedAt: number
  isSending: boolean
  /** Statements waiting for the one before them. */
  queue: Query[]
}

interface Transaction {
  connection: Connection
  isOver: boolean
  isCommitting: boolean
  /** PostgreSQL has refused a statement, because it only reads. */
  isReadOnly: boolean
  savepointCount: number
}

/** The result of a transaction. One that was `rolledBack` by an unavailable database can be repeated as a whole. */
type TransactionOutcome<T> = { value: T } | { error: unknown; isRolledBack: boolean }

/** Reports whether PostgreSQL has refused a statement because it only reads, as a replica does. */
export function isReadOnlyError(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: string; code?: string }
  return name === 'PostgresError' && code === '25006'
}

/** The body of a transaction whose connection is lost meets that at its next statement, unless it waits for another thing. */
const bodySettlesWithinMs = 250
/** Between two attempts to connect. */
export const randomPauseMs = () => 100 + Math.random() * 200
/** TCP detects a dead peer of an idle connection within about 15 s. */
const keepAliveSeconds = 5

const statementBlockedError = () =>
  createError('STATEMENT_BLOCKED', 'Other statements like this one are waiting for a lock.')

/** Creates a connection, which its first statement opens. `overrides` are driver options. */
export function openConnection(base: DriverSql, overrides: object = {}, blocked?: BlockedStatements): Connection {
  const connection: Connection = {
    sql: base,
    blocked,
    handler: () => {},
    socket: undefined,
    isLost: false,
    isTerminated: false,
    onLost: undefined,
    current: undefined,
    pendingCount: 0,
    holderCount: 0,
    kind: undefined,
    isShared: false,
    changedAt: performance.now(),
    respondedAt: 0,
    workedAt: 0,
    isSending: false,
    queue: [],
  }
  const open = () => {
    // The driver would open a socket even after the end of the connection.
    if (connection.isLost) throw connectionLostError()
    return openSocket(base.options, {
      onOpen: (socket) => {
        connection.socket = socket
      },
      onLost: () => markLost(connection),
      onShutdown: () => {
        connection.isTerminated = true
        markLost(connection)
      },
    })
  }
  // Parsed options are reused, and so are the types that the driver reads from the database.
  const options = Object.assign(Object.create(base.options), {
    max: 1,
    idle_timeout: null,
    max_lifetime: null,
    keep_alive: keepAliveSeconds,
    // The driver reports only those that differ from these, which would otherwise be those of all connections.
    parameters: {},
    socket: open,
    // `openSocket` has done it.
    ssl: false,
    onclose: () => {
      markLost(connection)
      connection.current?.reject(connectionLostError())
    },
    ...overrides,
  })
  connection.sql = postgres(options) as unknown as DriverSql
  connection.handler = (connection.sql.unsafe('') as unknown as Query).handler
  return connection
}

/**
 * Marks a connection as lost and fails its queued statements: between the error and the end of a socket, the driver
 * would lose a statement.
 */
function markLost(connection: Connection) {
  if (connection.isLost) return
  connection.isLost = true
  for (const query of connection.queue.splice(0)) query.reject(connectionLostError())
  connection.onLost?.()
}

export function close(connection: Connection): Promise<void> {
  markLost(connection)
  return connection.sql.end({ timeout: 0 })
}

/** Closes a connection at once and fails its pending statements with `error`. */
export function drop(connection: Connection, error: Error): void {
  connection.socket?.destroy(error)
  void close(connection)
}

/** Sends a statement; if `onSettled` returns true, the caller's promise stays pending. */
export function send(connection: Connection, query: Query, onSettled: (failure?: unknown) => boolean): void {
  const increment = query.cursorRows === undefined ? 1 : 0
  const sentAt = performance.now()
  const { blocked } = connection
  const start = blocked?.start(query.strings) ?? 'usual'
  intercept(query, (failure) => {
    blocked?.end(query.strings, start, failure)
    if (connection.current === query) connection.current = undefined
    connection.pendingCount -= increment
    connection.changedAt = performance.now()
    if (failure === undefined || (failure as Error).name === 'PostgresError') {
      connection.respondedAt = connection.changedAt
      connection.workedAt = sentAt
    }
    return onSettled(failure)
  })
  if (connection.pendingCount === 0) connection.changedAt = sentAt
  connection.current = query
  connection.pendingCount += increment
  // Later: the pool would send and refuse the next one within this call, and so on.
  if (start === 'refused') queueMicrotask(() => query.reject(statementBlockedError()))
  else connection.handler(query)
}

/**
 * Returns an unsent copy of a statement that failed, and settles the statement with it. The driver may reject the
 * original again when its connection is closed. Undefined if the statement may have passed on rows already.
 */
export function replaceQuery(query: Query): Query | undefined {
  if (query.cursorRows !== undefined || query.streaming || query.forEachFn) return undefined
  const { strings, args, handler, options, isRaw, resolve, reject } = query
  const Statement = query.constructor as new (...parameters: unknown[]) => Query & Promise<unknown>
  const copy = new Statement(strings, args, handler, null, { ...options })
  if (isRaw !== undefined) copy.isRaw = isRaw
  copy.handler = () => {}
  copy.then(resolve, reject)
  query.resolve = query.reject = () => {}
  return copy
}

/** Sends a statement after the pending ones of its connection. */
function enqueue(connection: Connection, query: Query) {
  if (connection.isLost) return query.reject(connectionLostError())
  if (connection.isSending) return void connection.queue.push(query)
  connection.isSending = true
  send(connection, query, () => {
    connection.isSending = false
    const next = connection.queue.shift()
    if (next) enqueue(connection, next)
    return false
  })
}

export const sendText = (connection: Connection, text: string): Promise<unknown> =>
  withHandler(connection.sql.unsafe(text), (query) => enqueue(connection, query)) as Promise<unknown>

/** Runs `body` in the transaction open on a connection. Ends at once if the connection is lost. */
export async function runTransaction<T>(
  connection: Connection,
  body: (sql: DriverSql) => Promise<T>,
): Promise<TransactionOutcome<T>> {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => {})
  let wasLostWhileIdle = false
  connection.onLost = () => {
    wasLostWhileIdle = connection.pendingCount === 0
    reject(connectionLostError())
  }
  const transaction = { connection, isOver: false, isCommitting: false, isReadOnly: false, savepointCount: 0 }
  const runAndCommit = async () => {
    const value = await runScope(transaction, body)
    transaction.isCommitting = true
    await sendText(connection, 'commit')
    return value
  }
  const running = runAndCommit()
  const settled = running.then(
    () => true,
    () => true,
  )
  try {
    // The body may be waiting for something else when the connection is lost.
    return { value: await Promise.race([running, lost]) }
  } catch (error) {
    transaction.isOver = true
    const isRolledBack =
      !transaction.isCommitting &&
      (transaction.isReadOnly || connection.isTerminated || wasLostWhileIdle) &&
      (await Promise.race([settled, delay(bodySettlesWithinMs, false)]))
    return { error, isRolledBack }
  } finally {
    transaction.isOver = true
    connection.onLost = undefined
  }
}

async function runScope<T>(transaction: Transaction, body: (sql: DriverSql) => Promise<T>, savepoint?: string) {
  const { connection } = transaction
  const failures: unknown[] = []
  if (savepoint) await sendText(connection, `savepoint ${savepoint}`)
  try {
    const result = await body(createTransactionSql(transaction, failures))
    // PostgreSQL would turn a commit into a rollback without an error.
    if (failures.length > 0) throw failures[0]
    return result
  } catch (error) {
    if (!connection.isLost) await sendText(connection, savepoint ? `rollback to ${savepoint}` : 'rollback')
    // The first failed statement explains more than the rejection of later ones.
    throw (error as { code?: string }).code === '25P02' ? (failures[0] ?? error) : error
  }
}

/** Creates the tag of a transaction. It rejects statements after its end, which would be committed on their own. */
function createTransactionSql(transaction: Transaction, failures: unknown[]): DriverSql {
  const { connection } = transaction
  const handler = (query: Query) => {
    const outcome = query as unknown as Promise<unknown>
    outcome.catch((error) => {
      failures.push(error)
      transaction.isReadOnly ||= isReadOnlyError(error)
    })
    enqueue(connection, query)
  }
  const checked = (query: unknown) => {
    if (transaction.isOver) throw createError('CONNECTION_CLOSED', 'The transaction is over')
    return withHandler(query, handler)
  }
  const overrides = {
    unsafe: (...args: Parameters<DriverSql['unsafe']>) => checked(connection.sql.unsafe(...args)),
    savepoint: (body: (sql: DriverSql) => Promise<unknown>) =>
      runScope(transaction, body, `s${transaction.savepointCount++}`),
  }
  return withOverrides(connection.sql, overrides, checked)
}

/** Wraps the driver's function with other properties; the results of calls pass through `wrap`. */
const withOverrides = (sql: DriverSql, overrides: object, wrap: (query: unknown) => unknown): DriverSql =>
  new Proxy(sql, {
    apply: (target, self, args) => wrap(Reflect.apply(target, self, args)),
    get: (target, key) => Reflect.get(Object.hasOwn(overrides, key) ? overrides : target, key),
    has: (target, key) => Object.hasOwn(overrides, key) || Reflect.has(target, key),
  })

/** Sets the handler of a statement; returns any other value, such as a list of columns, unchanged. */
export function withHandler(value: unknown, handler: Query['handler']): unknown {
  if (value instanceof Promise) (value as unknown as Query).handler = handler
  return value
}

/** Calls `onSettled` once when a statement settles; if that returns true, the statement stays pending. */
function intercept(query: Query, onSettled: (failure?: unknown) => boolean) {
  if (query.cursorRows !== undefined) return interceptCursor(query, onSettled)
  const { resolve, reject } = query
  query.resolve = (value) => {
    query.resolve = resolve
    query.reject = reject
    if (!onSettled()) resolve(value)
  }
  query.reject = (error) => {
    query.resolve = resolve
    query.reject = reject
    if (!onSettled(error)) reject(error)
  }
}

/** Intercepts a cursor, whose `resolve` the driver sets for each batch and reads when the batch arrives. */
function interceptCursor(query: Query, onSettled: (failure?: unknown) => boolean) {
  let { resolve, reject } = query
  const setBoth = (property: (name: 'resolve' | 'reject') => PropertyDescriptor) => {
    for (const name of ['resolve', 'reject'] as const) Object.defineProperty(query, name, property(name))
  }
  const settle = (failure?: unknown) => {
    setBoth((name) => ({ value: name === 'resolve' ? resolve : reject, writable: true, configurable: true }))
    return onSettled(failure)
  }
  const getters = {
    resolve: (value: unknown) => void (settle() || resolve(value)),
    reject: (error: unknown) => void (settle(error) || reject(error)),
  }
  const setters = {
    resolve: (set: Query['resolve']) => (resolve = set),
    reject: (set: Query['reject']) => (reject = set),
  }
  setBoth((name) => ({ get: () => getters[name], set: setters[name], configurable: true }))
}
