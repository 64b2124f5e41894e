import { setTimeout as delay } from 'node:timers/promises'
import { createBlockedStatements } from './blocked-statements.ts'
import {
  type Connection,
  close,
  type DriverSql,
  drop,
  isReadOnlyError,
  openConnection,
  type Query,
  randomPauseMs,
  replaceQuery,
  runTransaction,
  send,
  sendText,
  withHandler,
} from './connection.ts'
import { createNotifications } from './notifications.ts'
import { createProbe, isReadOnlyParameter, stateErrors } from './probe.ts'
import { createError } from './socket.ts'
import { createStalledWork, transactionKind, type WorkKind } from './stalled-work.ts'

interface PoolOptions {
  maxConnections: number
  /** The time limit for work that waits for a connection while all are busy. */
  waitMs: number
  /**
   * The time for which work waits while the database accepts no connections or cannot write, such as during a restart or
   * a switchover, from the beginning of that outage. Afterwards work is rejected at once.
   */
  unreachableMs: number
  /** The time limit for the response to a statement, after which its connection counts as dead. */
  responseTimeoutMs: number
  /** Reports whether an error means that the database is unavailable. */
  isUnavailable: (error: unknown) => boolean
}

/** A statement or a transaction that needs a connection. */
interface Work {
  /** Whether the work may follow other statements on a busy connection. */
  canShare: boolean
  kind: WorkKind
  run: (connection: Connection) => void
  reject: (error: unknown) => void
  submittedAt: number
  /** The error of the last connection, on which the work could not be sent. */
  failure?: unknown
}

/** The interval of the checks for work that waits too long. */
const tickMs = 250
/** The maximum number of statements sharing a connection, as in the driver. */
const maxSharing = 100
/** No statement is sent behind one that has been running for longer: it may wait for a lock. */
const maxSharedMs = 1_000
/** The part of the connections that may wait for the locks of other sessions; see `createBlockedStatements`. */
const maxBlockedShare = 0.4
const idleMs = 60_000
/**
 * How often work that PostgreSQL did not execute is sent again: when the former primary shuts down, and when it is
 * reached again as a replica.
 */
const maxRepeats = 2
/** Connections are replaced after 30 to 60 minutes, since backends keep the memory of their largest statement. */
const randomLifetimeMs = () => (30 + Math.random() * 30) * 60_000

const poolEndedError = () => createError('CONNECTION_ENDED', 'The pool has ended.')

interface State {
  waiting: number
  unavailableAt: number
  isInOutage: boolean
}

const states = new WeakMap<object, () => State>()

/** Returns the number of statements and transactions waiting for a connection of a pool, or behind a slow statement. */
export const countWaiting = (sql: object): number => states.get(sql)?.().waiting ?? 0

/** Returns the time of the last failure of a pool by an unavailable database, by `performance.now()`; 0 for never. */
export const lastUnavailableAt = (sql: object): number => states.get(sql)?.().unavailableAt ?? 0

/** Reports whether work of a pool waits for the end of an outage: the database accepts no connections or cannot write. */
export const isInOutage = (sql: object): boolean => states.get(sql)?.().isInOutage ?? false

/**
 * Pools single connections of the driver, whose own pool (postgres 3.4.9) does not survive the loss of a connection:
 * it reuses a lost connection with its unsent bytes and its error (issues 1133, 1215, 1216 of the driver), reconnects
 * endlessly if the server hangs up at once (1193), and has no time limits. This pool discards a lost connection with
 * its driver. A transaction has its own connection; statements share connections when all are busy, as in the driver's
 * pool. Work that was never sent, or that PostgreSQL did not execute, is retried on another connection.
 */
export function createPool(base: DriverSql, options: PoolOptions): DriverSql {
  const connections = new Map<Connection, { expiresAt: number }>()
  const idle: Connection[] = []
  let waiting: Work[] = []
  const notifications = createNotifications(base)
  const probe = createProbe(base)
  const stalledWork = createStalledWork(options.maxConnections)
  const blocked = createBlockedStatements(Math.max(1, Math.floor(options.maxConnections * maxBlockedShare)))
  let isProbing = false
  /** While the database is silent or cannot write, only the probe is sent. Work is rejected with this error in the end. */
  let createRejection: (() => Error) | undefined
  /** False behind a pooler that reports the parameters of another server. */
  let trustsParameters = true
  let ended: Promise<void> | undefined
  let onIdle: (() => void) | undefined
  let failedAt = 0
  /** Delays new connections after one failed to open. */
  let pauseTimer: NodeJS.Timeout | undefined
  /**
   * The time of the first failure since a connection worked; undefined without one. Then connections are opened one at a
   * time: many would slow down a starting database.
   */
  let outageSince: number | undefined
  let tickTimer: NodeJS.Timeout | undefined

  const isOutageLong = () => outageSince !== undefined && performance.now() - outageSince > options.unreachableMs

  /** Returns the error with which all work is rejected now. A silent database is probably gone for longer. */
  const findRejection = () => (createRejection === stateErrors.silent || isOutageLong() ? createRejection : undefined)

  function submit(work: Work) {
    if (ended) return work.reject(poolEndedError())
    const createError = findRejection()
    if (createError) return work.reject(createError())
    waiting.push(work)
    dispatch()
    tickTimer ??= setInterval(tick, tickMs).unref()
  }

  function dispatch() {
    if (createRejection) return
    for (let next = takeNext(); next; next = takeNext()) {
      const { work, connection } = next
      connection.holderCount++
      connection.kind = work.kind
      const isSuspect = connection.respondedAt > 0 && connection.workedAt < failedAt
      connection.isShared = work.canShare && !isSuspect
      if (isSuspect) void runIfAlive(work, connection)
      else work.run(connection)
    }
  }

  /** Takes the first work that may have a connection, and one for it. */
  function takeNext(): { work: Work; connection: Connection } | undefined {
    if (waiting.length === 0) return undefined
    const stalled = stalledWork.find(connections.keys())
    const index = waiting.findIndex(({ kind }) => kind !== stalled)
    const work = waiting[index]
    const connection = work && (takeIdle() ?? openNext() ?? (work.canShare ? findShared(stalled) : undefined))
    if (!connection) return undefined
    waiting.splice(index, 1)
    return { work, connection }
  }

  /**
   * Runs work on a connection that has not responded to a statement sent after the last failure of any connection.
   * Connections are often lost together, but their ends are not read at the same time.
   */
  async function runIfAlive(work: Work, connection: Connection) {
    try {
      await sendText(connection, 'select 1')
    } catch (failure) {
      if (recordIfUnavailable(failure)) return retry(work, connection, failure)
    }
    connection.isShared = work.canShare
    work.run(connection)
  }

  /** Returns the open connection with the fewest pending statements, except those of stalled work. */
  function findShared(stalled: WorkKind | undefined): Connection | undefined {
    let leastUsed: Connection | undefined
    const now = performance.now()
    for (const [connection, { expiresAt }] of connections) {
      if (isSlow(connection, now) || (stalled && connection.kind === stalled)) continue
      const { isShared, isLost, respondedAt, workedAt, holderCount, changedAt } = connection
      if (!isShared || isLost || respondedAt === 0 || workedAt < failedAt || changedAt > expiresAt) continue
      if (holderCount < (leastUsed?.holderCount ?? maxSharing)) leastUsed = connection
    }
    return leastUsed
  }

  const isSlow = ({ pendingCount, changedAt }: Connection, now: number) =>
    pendingCount > 0 && now - changedAt > maxSharedMs

  /** Counts the work without a connection, and the statements behind a slow one. */
  function countAllWaiting(): number {
    const now = performance.now()
    const slow = [...connections.keys()].filter((connection) => isSlow(connection, now))
    return slow.reduce((count, { pendingCount }) => count + pendingCount - 1, waiting.length)
  }

  function takeIdle(): Connection | undefined {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (!connection.isLost) return connection
      discard(connection)
    }
    return undefined
  }

  /** Opens a further connection; undefined if the pool is full, or pauses after a failure. */
  function openNext(): Connection | undefined {
    if (connections.size >= options.maxConnections || pauseTimer) return undefined
    if (outageSince !== undefined && [...connections.keys()].some(({ respondedAt }) => respondedAt === 0))
      return undefined
    const onparameter = (name: string, value: string) => {
      if (!trustsParameters || !isReadOnlyParameter(name, value)) return
      void checkWritable()
      // Before the first statement, the driver rejects that one with the error of this callback, and it is retried.
      if (connection.respondedAt === 0) throw stateErrors['read-only']()
      expire(connection)
    }
    const connection = openConnection(base, { onparameter }, blocked)
    connections.set(connection, { expiresAt: performance.now() + randomLifetimeMs() })
    return connection
  }

  /** Discards a connection after its current work. */
  function expire(connection: Connection) {
    if (connections.has(connection)) connections.set(connection, { expiresAt: 0 })
  }

  function discardIdle() {
    for (const connection of idle.splice(0)) discard(connection)
  }

  function discard(connection: Connection) {
    connections.delete(connection)
    void close(connection)
    if (connections.size === idle.length) onIdle?.()
  }

  function release(connection: Connection) {
    connection.holderCount--
    if (outageSince !== undefined && connection.workedAt > outageSince) outageSince = undefined
    if (connection.holderCount > 0 && !connection.isLost) return dispatch()
    const { expiresAt = 0 } = connections.get(connection) ?? {}
    if (connection.isLost || ended || connection.changedAt > expiresAt) discard(connection)
    else idle.push(connection)
    if (connections.size === idle.length) onIdle?.()
    dispatch()
  }

  /** Reports whether a failure means that the database is unavailable, and records the time of such a failure. */
  function recordIfUnavailable(failure: unknown): boolean {
    if (!options.isUnavailable(failure)) return false
    const now = performance.now()
    // Nothing has used the database since the end of an earlier outage.
    if (now - failedAt > 2 * options.unreachableMs) outageSince = undefined
    failedAt = now
    if (isReadOnlyError(failure)) void checkWritable()
    return true
  }

  /** Requeues work that was not sent because its connection failed to open or was lost. */
  function retry(work: Work, connection: Connection, failure: unknown) {
    discard(connection)
    requeue(work, failure)
  }

  /** Requeues work that was not executed, unless the outage takes too long. */
  function requeue(work: Work, failure: unknown) {
    work.failure = failure
    outageSince ??= performance.now()
    pauseTimer ??= setTimeout(() => {
      pauseTimer = undefined
      dispatch()
    }, randomPauseMs())
    if (ended || isOutageLong()) work.reject(createRejection?.() ?? failure)
    else if (createRejection === stateErrors.silent) work.reject(createRejection())
    else waiting.unshift(work)
  }

  const run = (query: Query) => submit(createStatement(query))

  function createStatement(query: Query, repeatCount = 0): Work {
    const work: Work = {
      canShare: query.cursorRows === undefined && !query.streaming,
      kind: query.strings,
      submittedAt: performance.now(),
      reject: (error) => query.reject(error),
      run: (connection) =>
        send(connection, query, (failure) => {
          if (failure === undefined) stalledWork.recordSuccess(work.kind)
          const isUnavailable = recordIfUnavailable(failure)
          if (isUnavailable && query.state === null) {
            retry(work, connection, failure)
            return true
          }
          const isNotExecuted = isReadOnlyError(failure) || connection.isTerminated
          const copy = isUnavailable && isNotExecuted && repeatCount < maxRepeats ? replaceQuery(query) : undefined
          // Others may be waiting for their response on the connection.
          if (copy) expire(connection)
          release(connection)
          if (copy) requeue(createStatement(copy, repeatCount + 1), failure)
          return copy !== undefined
        }),
    }
    return work
  }

  function begin<T>(modes: string, body: (sql: DriverSql) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let repeatCount = 0
      const runOn = async (connection: Connection) => {
        try {
          await sendText(connection, `begin ${modes}`)
        } catch (failure) {
          if (recordIfUnavailable(failure)) return retry(work, connection, failure)
          release(connection)
          return reject(failure)
        }
        const outcome = await runTransaction(connection, body)
        if ('value' in outcome) {
          resolve(outcome.value)
          stalledWork.recordSuccess(transactionKind)
        } else {
          const { error, isRolledBack } = outcome
          const isUnavailable = recordIfUnavailable(error)
          if (isUnavailable && isRolledBack && repeatCount++ < maxRepeats) return retry(work, connection, error)
          reject(error)
        }
        release(connection)
      }
      const work: Work = { canShare: false, kind: transactionKind, submittedAt: performance.now(), reject, run: runOn }
      submit(work)
    })
  }

  function tick() {
    const now = performance.now()
    for (const connection of idle.filter(({ changedAt }) => now - changedAt > idleMs)) {
      idle.splice(idle.indexOf(connection), 1)
      discard(connection)
    }
    failLateWork(now)
    const unresponsive = [...connections.keys()].filter(
      ({ pendingCount, changedAt }) => pendingCount > 0 && now - changedAt > tickMs,
    )
    for (const connection of unresponsive)
      if (now - connection.changedAt > options.responseTimeoutMs) drop(connection, stateErrors.silent())
    if (unresponsive.length > 0 && now - lastResponseAt() > tickMs && !isProbing) void probeUntilUsable()
    if (connections.size > 0 || waiting.length > 0) return
    clearInterval(tickTimer)
    tickTimer = undefined
  }

  function failLateWork(now: number) {
    const isOver = isOutageLong()
    const isLate = ({ submittedAt, failure }: Work) =>
      // Work that was not tried yet may find that the outage is over.
      (isOver && (failure || createRejection)) || now - submittedAt > options.waitMs
    const late = waiting.filter(isLate)
    if (late.length === 0) return
    waiting = waiting.filter((work) => !isLate(work))
    for (const { reject, failure } of late)
      reject(
        createRejection?.() ??
          failure ??
          createError('CONNECTION_WAIT_TIMEOUT', 'No database connection became available in time.'),
      )
  }

  const lastResponseAt = () => Math.max(0, ...[...connections.keys()].map(({ respondedAt }) => respondedAt))

  /** Reads the state again after a sign that the database cannot write; on a new connection, as the next work would. */
  async function checkWritable() {
    if (isProbing) return
    probe.renew()
    await probeUntilUsable()
  }

  /**
   * Sends no work while the database is silent, rather than slow, or cannot write: such as a primary that became a
   * replica. The connections are replaced, so that they lead to the new primary.
   */
  async function probeUntilUsable() {
    isProbing = true
    while (!ended) {
      const sentAt = performance.now()
      const state = await probe.readState()
      if (state === 'failing' || state === 'working') {
        if (state === 'working' && probe.isReportedReadOnly()) trustsParameters = false
        break
      }
      if (state === 'silent' && lastResponseAt() > sentAt) break
      holdWork(stateErrors[state])
      if (state === 'silent') dropAll()
      else await waitForPrimary()
    }
    const wasReadOnly = createRejection !== undefined && createRejection !== stateErrors.silent
    createRejection = undefined
    isProbing = false
    dispatch()
    // The former primary still accepts it, but has no notifications any more.
    if (wasReadOnly) notifications.renew()
  }

  /** Sends no work until the database is usable, and rejects it if that takes too long. */
  function holdWork(createStateError: () => Error) {
    createRejection = createStateError
    failedAt = performance.now()
    outageSince ??= failedAt
    if (findRejection()) for (const { reject } of waiting.splice(0)) reject(createStateError())
  }

  function dropAll() {
    for (const connection of [...connections.keys(), ...notifications.connections()])
      drop(connection, stateErrors.silent())
  }

  /** Discards the connections that cannot write after their current work, and the probe for a new one. */
  async function waitForPrimary() {
    for (const connection of connections.keys()) expire(connection)
    discardIdle()
    probe.renew()
    await delay(randomPauseMs(), undefined, { ref: false })
  }

  const end = ({ timeout }: { timeout?: number } = {}): Promise<void> => {
    ended ??= finish(timeout)
    return ended
  }

  /** Waits for pending work, for at most `timeout` seconds. */
  async function finish(timeout: number | undefined) {
    const { promise: allIdle, resolve } = Promise.withResolvers<void>()
    const timer = timeout === undefined ? undefined : setTimeout(resolve, timeout * 1000)
    onIdle = resolve
    for (const { reject } of waiting.splice(0)) reject(poolEndedError())
    if (connections.size > idle.length) await allIdle
    clearTimeout(timer)
    clearInterval(tickTimer)
    clearTimeout(pauseTimer)
    for (const connection of connections.keys())
      if (!idle.includes(connection)) drop(connection, createError('CONNECTION_DESTROYED', 'The pool has ended.'))
    await Promise.all([...idle, ...probe.connections()].map(close))
    await notifications.end()
    await base.end({ timeout: 0 })
  }

  const overrides = {
    unsafe: (...args: Parameters<DriverSql['unsafe']>) => withHandler(base.unsafe(...args), run),
    begin: (...args: [body: never] | [modes: string, body: never]) =>
      args.length === 2 ? begin(...args) : begin('', args[0]),
    listen: notifications.listen,
    end,
  }
  // A plain function rather than `withOverrides`, whose proxy would slow every statement down.
  const call = (...args: [never]) => withHandler(base(...args), run)
  const pool = Object.assign(Object.setPrototypeOf(call, base), overrides) as DriverSql
  states.set(pool, () => ({
    waiting: countAllWaiting(),
    unavailableAt: failedAt,
    isInOutage: outageSince !== undefined,
  }))
  return pool
}
