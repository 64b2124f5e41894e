import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../database/sql.ts'
import { siteFactor } from '../http/counters.ts'
import { siteOf, subscriberOf } from '../http/visit.ts'
import type { Log } from '../log.ts'
import { addAll, type TraceRow } from './store.ts'
import type { Trace } from './trace.ts'

/** Saves the traces of sign-ins. */
export interface TraceRecorder {
  /** Takes a trace without waiting; it is saved within a second. */
  record: (trace: Trace) => void
  /** Saves what was taken so far. */
  flush: () => Promise<void>
}

const intervalMs = 1000
/** While the database is away, no more wait to be saved. */
const maxWaiting = 2000
/** Failed requests of one network address that are kept in an hour: anyone can make a sign-in fail. */
const maxFailuresPerAddress = 200
const hourMs = 60 * 60 * 1000
const maxAddresses = 10_000

/**
 * Creates a recorder. It saves many traces in one statement after their responses, so that a sign-in waits for none. A
 * process that is killed loses at most the traces of its last second; the audit log has the events.
 */
export function createTraceRecorder(sql: Sql, log: Log, closing: AbortSignal): TraceRecorder {
  let waiting: TraceRow[] = []
  let lost = 0
  let isScheduled = false
  let saving = Promise.resolve()
  const mayRecordFailure = createFailureLimit()

  async function save() {
    const rows = waiting
    waiting = []
    if (lost > 0) log.warn({ lost }, 'sign-in-traces-lost')
    lost = 0
    if (rows.length === 0) return
    await addAll(sql, rows).catch((error) => log.warn({ err: error, lost: rows.length }, 'sign-in-traces-lost'))
  }
  const flush = () => {
    saving = saving.then(save)
    return saving
  }

  async function flushLater() {
    await delay(intervalMs, undefined, { ref: false, signal: closing }).catch(() => {})
    isScheduled = false
    await flush()
  }

  return {
    flush,
    record: (trace) => {
      if (trace.reason !== null && !mayRecordFailure(trace.visit.ip)) return
      if (waiting.length >= maxWaiting) {
        lost++
        return
      }
      waiting.push(trace.toRow())
      if (isScheduled) return
      isScheduled = true
      void flushLater()
    },
  }
}

/** Returns a function that counts the failures of an address, and reports whether another one is kept. */
function createFailureLimit() {
  let counts = new Map<string, number>()
  let since = Date.now()
  const count = (key: string) => {
    const value = (counts.get(key) ?? 0) + 1
    counts.set(key, value)
    return value
  }
  return (ip: string): boolean => {
    if (Date.now() - since > hourMs || counts.size > maxAddresses) {
      counts = new Map()
      since = Date.now()
    }
    const site = siteOf(ip)
    return (
      count(subscriberOf(ip)) <= maxFailuresPerAddress &&
      (site === undefined || count(site) <= maxFailuresPerAddress * siteFactor)
    )
  }
}
