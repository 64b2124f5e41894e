import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { MemoryGraph, type Schema } from '@passport/permissions'
import { type Sql, transaction } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Log } from '../log.ts'
import * as commitStore from './commit-store.ts'
import { CopiedRows } from './copied-rows.ts'
import type { SchemaCache } from './directory-schema.ts'
import { type RowKey, type Terms, toRelationship } from './rows.ts'
import * as store from './store.ts'
import type { Epochs } from './token.ts'

/** All relationships at a revision. They are changed in place, so do not keep a reference over an `await`. */
export interface ReplicaState {
  graph: MemoryGraph
  schema: Schema
  epoch: string
  former: Epochs['former']
  rev: number
  /** The number of relationships per resource type. */
  counts: Map<string, number>
}

/** The minimum revision for an answer, with its epoch if that may be newer than the process knows. */
export interface TargetRevision {
  rev: number
  epoch?: string
}

/** Reports whether a moment is at or after the wanted one. */
export const isAtLeast = (state: TargetRevision, { rev, epoch = state.epoch }: TargetRevision): boolean =>
  state.rev >= rev && state.epoch === epoch

/** The in-memory relationships, kept up to date with the database. */
export interface LogReplica {
  /** Undefined until they are loaded, and while a large set is reloaded. */
  current: () => ReplicaState | undefined
  /** Reports whether the moment was reached within the time, in milliseconds. */
  waitForRevision: (target: TargetRevision, withinMs: number) => Promise<boolean>
  /** Resolves when there may be changes, at the latest after `withinMs`. */
  waitForChange: (withinMs: number, signal: AbortSignal) => Promise<void>
  /** When this process was last up to date with the database, in Unix milliseconds; undefined before that. */
  lastCaughtUpAt: () => number | undefined
  close: () => Promise<void>
}

/** The polling interval if notifications are missing. */
const pollMs = 1000
const commitsAtOnce = 500
/** Above this size the old relationships are released before a reload, and the database answers in the meantime. */
const maxSizeKeptDuringReload = 50_000
/** The maximum time of loading before yielding. */
const sliceMs = 10

/**
 * Loads all relationships in the background and follows the log from there. A notification only wakes the loop;
 * correctness relies on consecutive revisions, which reveal a missing commit. Ends with `close`, or with the pool.
 */
export function startLogReplica(sql: Sql, log: Log, schemas: SchemaCache): LogReplica {
  const ending = new AbortController()
  const [changeListeners, wakeListeners] = [new Set<() => void>(), new Set<() => void>()]
  let state: ReplicaState | undefined
  let caughtUpAt: number | undefined
  let isWakePending = false

  const notifyListeners = () => notify(changeListeners)
  const wake = () => {
    isWakePending = true
    notify(wakeListeners)
  }

  async function load() {
    if (state && state.graph.size > maxSizeKeptDuringReload) state = undefined
    const loaded = await transaction(sql, (sql) => loadState(sql, schemas), { isolation: 'repeatable read' })
    state = loaded
    notifyListeners()
  }

  /**
   * Applies the commits since the last one. A gap in the revisions means that the log has been removed, so everything
   * is reloaded.
   */
  async function catchUp() {
    const head = await commitStore.readHead(sql)
    if (!state || !isContinuedBy(state, head) || head.horizon > state.rev) await load()
    else Object.assign(state, { epoch: head.epoch, former: head.former })
    while (state && state.rev < head.rev) {
      const before = state.rev
      const isComplete = await applyLog(sql, state, head.rev, schemas, notifyListeners)
      if (!isComplete) await load()
      else if (state.rev === before) break
    }
    caughtUpAt = Date.now()
  }

  async function run() {
    while (!ending.signal.aborted) {
      isWakePending = false
      let pauseMs = pollMs
      try {
        await catchUp()
      } catch (error) {
        if (ending.signal.aborted) return
        log.warn({ err: error }, 'relationships-not-followed')
        if ((error as { code?: string }).code === 'CONNECTION_ENDED') return
        pauseMs = 200
      }
      notifyListeners()
      if (!isWakePending) await waitFor(wakeListeners, pauseMs, ending.signal)
    }
  }

  const running = run()
  subscribe(sql, log, 'relationships', wake, wake).catch(() => {})

  const waitForChange = (withinMs: number, signal: AbortSignal) =>
    waitFor(changeListeners, withinMs, signal, ending.signal)

  return {
    current: () => state,
    lastCaughtUpAt: () => caughtUpAt,
    waitForChange,
    waitForRevision: async (target, withinMs) => {
      const deadline = performance.now() + withinMs
      if (!state || !isAtLeast(state, target)) wake()
      while (!state || !isAtLeast(state, target)) {
        const left = deadline - performance.now()
        if (left <= 0 || ending.signal.aborted) return false
        await waitForChange(left, ending.signal)
      }
      return true
    },
    close: async () => {
      ending.abort()
      await Promise.race([running, delay(1000, undefined, { ref: false })])
    },
  }
}

function notify(listeners: Set<() => void>) {
  for (const listener of [...listeners]) listener()
}

/** Resolves when the listeners are notified or a signal aborts, at the latest after the time. */
function waitFor(listeners: Set<() => void>, withinMs: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      listeners.delete(done)
      for (const signal of signals) signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, withinMs)
    timer.unref()
    listeners.add(done)
    for (const signal of signals) signal.addEventListener('abort', done)
    if (signals.some(({ aborted }) => aborted)) done()
  })
}

/**
 * Reports whether the log continues from a moment to the head; false after restoring a backup older than the moment.
 */
const isContinuedBy = ({ epoch, rev }: ReplicaState, head: commitStore.Head) =>
  rev <= (epoch === head.epoch ? head.rev : (head.former[epoch] ?? -1))

/** Loads everything in one snapshot. */
async function loadState(sql: Sql, schemas: SchemaCache): Promise<ReplicaState> {
  const { epoch, former, rev, schemaId } = await commitStore.readHead(sql)
  const schema = await schemas.find(sql, schemaId)
  const graph = new MemoryGraph()
  const rows = new CopiedRows(graph)
  let since = performance.now()
  for await (const chunk of await store.copyAll(sql)) {
    rows.take(chunk)
    // Buffered chunks arrive without yielding to the event loop.
    if (performance.now() - since < sliceMs) continue
    await setImmediate()
    since = performance.now()
  }
  return { graph, schema, epoch, former, rev, counts: rows.counts() }
}

function apply({ graph, counts }: ReplicaState, row: RowKey, terms: Terms | null) {
  const hasChanged = terms ? graph.add(toRelationship(row, terms)) : graph.remove(toRelationship(row, {}))
  if (hasChanged) counts.set(row.resourceType, (counts.get(row.resourceType) ?? 0) + (terms ? 1 : -1))
}

/** Applies commits in order, each at once. Returns false if one is missing or was a bulk load. */
async function applyLog(
  sql: Sql,
  state: ReplicaState,
  upTo: number,
  schemas: SchemaCache,
  onApplied: () => void,
): Promise<boolean> {
  for await (const commit of commitStore.readCommits(sql, state.rev, upTo, commitsAtOnce)) {
    if (commit.rev !== state.rev + 1 || commit.isReload) return false
    const schema = commit.isSchemaChange
      ? await schemas.find(sql, await commitStore.findSchemaIdAt(sql, commit.rev))
      : state.schema
    for (const change of commit.changes) apply(state, change, change.after)
    state.schema = schema
    state.rev = commit.rev
    onApplied()
  }
  return true
}
