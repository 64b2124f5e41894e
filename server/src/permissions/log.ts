import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import type { Schema } from '@passport/permissions/schema'
import { hear } from '../database/hear.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import * as commitStore from './commit-store.ts'
import { CopiedRows } from './copied-rows.ts'
import { type RowKey, relationshipOf, type Terms } from './rows.ts'
import type { Schemas } from './schemas.ts'
import * as store from './store.ts'
import type { Epochs } from './token.ts'

/** All relationships as they are at a revision; they are changed in place, so nobody keeps this over an `await`. */
export interface Moment {
  graph: MemoryGraph
  schema: Schema
  epoch: string
  former: Epochs['former']
  rev: number
  /** How many relationships have a resource of the type. */
  counts: Map<string, number>
}

/** A moment that an answer has to be as new as: a revision, of an epoch where that may not be known yet. */
export interface Wanted {
  rev: number
  epoch?: string
}

/** Whether it is that moment or a later one. */
export const isAsNew = (moment: Wanted, { rev, epoch = moment.epoch }: Wanted): boolean =>
  moment.rev >= rev && moment.epoch === epoch

/** The relationships in memory, and what keeps them up with the database. */
export interface Follower {
  /** Undefined until they are loaded, and while many are loaded anew. */
  current: () => Moment | undefined
  /** Whether the moment was reached within the time, in milliseconds. */
  reach: (wanted: Wanted, withinMs: number) => Promise<boolean>
  /** Resolves when there may be news, and at the latest after so many milliseconds. */
  news: (withinMs: number, signal: AbortSignal) => Promise<void>
  /** When this process last was as far as the database, in milliseconds since 1970; undefined before that. */
  lastLevelAt: () => number | undefined
  close: () => Promise<void>
}

/** Where the database tells of nothing, changes are seen this late. */
const pollMs = 1000
const commitsAtOnce = 500
/** So many are not held twice: the old ones are let go before they are loaded anew, and the database is asked meanwhile. */
const heldTwice = 50_000
/** For so long relationships are loaded while others wait. */
const turnMs = 10

/**
 * Loads all relationships in the background and follows the log from there. A notification only wakes: what counts is
 * that commits have consecutive numbers, so that one that is missing shows. Ends with `close`, or with the pool.
 */
export function follow(sql: Sql, log: Log, schemas: Schemas): Follower {
  const ending = new AbortController()
  const listeners = new Set<() => void>()
  let moment: Moment | undefined
  let levelAt: number | undefined
  let isWanted = false
  let wake = () => {}

  const told = () => {
    for (const listener of [...listeners]) listener()
  }
  const poke = () => {
    isWanted = true
    wake()
  }

  async function load() {
    if (moment && moment.graph.size > heldTwice) moment = undefined
    const loaded = await transaction(sql, (sql) => loadMoment(sql, schemas), { isolation: 'repeatable read' })
    moment = loaded
    told()
  }

  /** Applies what is committed since; a gap in the numbers means that this process was away for too long. */
  async function catchUp() {
    const head = await commitStore.readHead(sql)
    if (!moment || !isPastOf(moment, head) || head.horizon > moment.rev) await load()
    else Object.assign(moment, { epoch: head.epoch, former: head.former })
    while (moment && moment.rev < head.rev) {
      const before = moment.rev
      const isWhole = await applyLog(sql, moment, head.rev, schemas, told)
      if (!isWhole) await load()
      else if (moment.rev === before) break
    }
    levelAt = Date.now()
  }

  async function run() {
    while (!ending.signal.aborted) {
      isWanted = false
      let pauseMs = pollMs
      try {
        await catchUp()
      } catch (error) {
        if (ending.signal.aborted) return
        log.warn({ err: error }, 'relationships-not-followed')
        if ((error as { code?: string }).code === 'CONNECTION_ENDED') return
        pauseMs = 200
      }
      told()
      if (!isWanted) await pause(pauseMs)
    }
  }

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      timer.unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (isWanted || ending.signal.aborted) wake()
    })

  const running = run()
  hear(sql, log, 'relationships', poke, poke).catch(() => {})

  const news = (withinMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        listeners.delete(done)
        signal.removeEventListener('abort', done)
        ending.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, withinMs)
      listeners.add(done)
      signal.addEventListener('abort', done)
      ending.signal.addEventListener('abort', done)
      if (signal.aborted || ending.signal.aborted) done()
    })

  return {
    current: () => moment,
    lastLevelAt: () => levelAt,
    news,
    reach: async (wanted, withinMs) => {
      const deadline = performance.now() + withinMs
      if (!moment || !isAsNew(moment, wanted)) poke()
      while (!moment || !isAsNew(moment, wanted)) {
        const left = deadline - performance.now()
        if (left <= 0 || ending.signal.aborted) return false
        await news(left, ending.signal)
      }
      return true
    },
    close: async () => {
      ending.abort()
      wake()
      await Promise.race([running, delay(1000, undefined, { ref: false })])
    },
  }
}

/** Whether the log leads from a moment to the head: not where a backup was put back that is older than the moment. */
const isPastOf = ({ epoch, rev }: Moment, head: commitStore.Head) =>
  rev <= (epoch === head.epoch ? head.rev : (head.former[epoch] ?? -1))

/** Everything at one snapshot. */
async function loadMoment(sql: Sql, schemas: Schemas): Promise<Moment> {
  const { epoch, former, rev, schemaId } = await commitStore.readHead(sql)
  const schema = await schemas.find(sql, schemaId)
  const graph = new MemoryGraph()
  const rows = new CopiedRows(graph)
  let since = performance.now()
  for await (const chunk of await store.copyAll(sql)) {
    rows.take(chunk)
    // What is there already comes without a turn for anybody else.
    if (performance.now() - since < turnMs) continue
    await setImmediate()
    since = performance.now()
  }
  return { graph, schema, epoch, former, rev, counts: rows.counts() }
}

function apply({ graph, counts }: Moment, row: RowKey, terms: Terms | null) {
  const isOther = terms ? graph.add(relationshipOf(row, terms)) : graph.remove(relationshipOf(row, {}))
  if (isOther) counts.set(row.resourceType, (counts.get(row.resourceType) ?? 0) + (terms ? 1 : -1))
}

/** Applies commits in their order, each at once. False where one is missing, or tells only that much was changed. */
async function applyLog(sql: Sql, moment: Moment, upTo: number, schemas: Schemas, told: () => void): Promise<boolean> {
  let changes: commitStore.LogRow[] = []
  const applyCommit = async () => {
    const [first] = changes
    if (!first) return true
    if (first.rev !== moment.rev + 1 || first.isReload) return false
    const schema = first.isSchemaChange
      ? await schemas.find(sql, await commitStore.schemaIdAt(sql, first.rev))
      : moment.schema
    for (const change of changes) if (change.isChange) apply(moment, change, change.after)
    moment.schema = schema
    moment.rev = first.rev
    changes = []
    told()
    return true
  }
  for await (const rows of commitStore.readLog(sql, moment.rev, upTo, commitsAtOnce)) {
    for (const row of rows) {
      if (changes[0] && changes[0].rev !== row.rev && !(await applyCommit())) return false
      changes.push(row)
    }
  }
  return applyCommit()
}
