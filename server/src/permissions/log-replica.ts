import { setTimeout as delay } from 'node:timers/promises'
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
import { createYielder } from './yield-if-due.ts'

/** All relationships at a revision. The state is changed in place, so do not use it after an `await`. */
export interface ReplicaState {
  graph: MemoryGraph
  schema: Schema
  epoch: string
  former: Epochs['former']
  rev: number
  /** The number of relationships per resource type. */
  counts: Map<string, number>
}

/** A minimum revision, with its epoch if the replica may not know that yet. */
export interface TargetRevision {
  rev: number
  epoch?: string
}

/** Reports whether a state has reached a revision. */
export const isAtLeast = (state: TargetRevision, { rev, epoch = state.epoch }: TargetRevision): boolean =>
  state.rev >= rev && state.epoch === epoch

/** The in-memory relationships, kept up to date with the database. */
export interface LogReplica {
  /** Returns undefined until the relationships are loaded, and while a large number is reloaded. */
  current: () => ReplicaState | undefined
  /** Reports whether the revision was reached within the time. */
  waitForRevision: (target: TargetRevision, withinMs: number) => Promise<boolean>
  /** Resolves when there may be changes, at the latest after `withinMs`. */
  waitForChange: (withinMs: number, signal: AbortSignal) => Promise<void>
  /** Returns the last time when the replica was up to date, in Unix milliseconds; undefined before the first. */
  lastCaughtUpAt: () => number | undefined
  close: () => Promise<void>
}

/** The polling interval, for lost notifications. */
const pollMs = 1000
const commitsPerRead = 500
/** Above this number, relationships are released before a reload, and requests are evaluated in the database. */
const maxSizeKeptDuringReload = 50_000

/**
 * Loads all relationships in the background and applies later commits from the log. A notification only wakes the loop:
 * a lost one cannot cause a gap, because revisions are consecutive. Ends with `close`, or with the pool.
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

  /** Applies the commits since the last one. Reloads everything if one is missing, because it was swept from the log. */
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

/** Resolves when the listeners are notified or a signal is aborted, at the latest after `withinMs`. */
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

/** Reports whether the log leads from a state to the head; false after a restore of an older backup. */
const isContinuedBy = ({ epoch, rev }: ReplicaState, head: commitStore.Head) =>
  rev <= (epoch === head.epoch ? head.rev : (head.former[epoch] ?? -1))

async function loadState(sql: Sql, schemas: SchemaCache): Promise<ReplicaState> {
  const { epoch, former, rev, schemaId } = await commitStore.readHead(sql)
  const schema = await schemas.find(sql, schemaId)
  const graph = new MemoryGraph()
  const rows = new CopiedRows(graph)
  const yieldIfDue = createYielder()
  for await (const chunk of await store.copyAll(sql)) {
    rows.addChunk(chunk)
    // Buffered chunks arrive without yielding to the event loop.
    await yieldIfDue()
  }
  return { graph, schema, epoch, former, rev, counts: rows.countByType() }
}

function apply({ graph, counts }: ReplicaState, row: RowKey, terms: Terms | null) {
  const hasChanged = terms ? graph.add(toRelationship(row, terms)) : graph.remove(toRelationship(row, {}))
  if (hasChanged) counts.set(row.resourceType, (counts.get(row.resourceType) ?? 0) + (terms ? 1 : -1))
}

/** Applies commits in order, each without an `await`. Returns false if one is missing or was a bulk load. */
async function applyLog(
  sql: Sql,
  state: ReplicaState,
  upTo: number,
  schemas: SchemaCache,
  onApplied: () => void,
): Promise<boolean> {
  for await (const commit of commitStore.readCommits(sql, state.rev, upTo, commitsPerRead)) {
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
