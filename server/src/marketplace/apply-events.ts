import { setTimeout as delay } from 'node:timers/promises'
import { type Sql, transaction } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Services } from '../feature.ts'
import * as events from './event-store.ts'
import * as store from './subscription-store.ts'
import { checkWithAws, refresh, unparkEventsOf } from './subscriptions.ts'
import { hasEnding } from './usage-store.ts'

const batchSize = 500
/** Events that arrive within this time are applied together. */
const pauseMs = 200
/** After a run with many events, more arrive: the events of one licence are then applied together, at the price of one. */
const busyPauseMs = 1_000
const busyEvents = 20
/** AWS allows ten calls a second of each kind. */
const checksAtOnce = 4
const checksEveryMs = 1_000

/**
 * Applies received events, and the changes that are due without an event. Events that arrive during the run are left to
 * the next one, which applies them together. Any number of processes may run it at once. Returns the number of events.
 */
async function applyEvents(services: Services): Promise<number> {
  const { sql, log, stopping } = services
  let count = 0
  while (!stopping.aborted) {
    const { applied, isDone } = await applyBatch(sql).catch((error) => {
      log.error({ err: error }, 'aws-events-not-applied')
      return applyEach(services)
    })
    count += applied
    if (isDone) break
  }
  await applyDueChanges(sql)
  return count
}

interface Batch {
  applied: number
  /** Whether these were all. */
  isDone: boolean
}

/** Applies the oldest events in one transaction. */
function applyBatch(sql: Sql): Promise<Batch> {
  return transaction(sql, async (sql) => {
    const received = await events.lockReceived(sql, batchSize)
    const hasUnparked = received.length > 0 && (await applyReceived(sql, received))
    return { applied: received.length, isDone: received.length < batchSize && !hasUnparked }
  })
}

/** Applies locked events; returns whether it made parked events due. */
async function applyReceived(sql: Sql, received: events.ReceivedEvent[]): Promise<boolean> {
  const licenses = received.flatMap(({ licenseKey, licenseArn, accountId, product }) =>
    licenseKey && licenseArn && accountId && product ? [{ licenseKey, licenseArn, accountId, product }] : [],
  )
  await events.lockMatching(sql)
  if (licenses.length > 0) await store.addAll(sql, [...new Map(licenses.map((one) => [one.licenseKey, one])).values()])
  const matched = await events.match(
    sql,
    received.map(({ id }) => id),
  )
  if (matched.length === 0) return false
  const rows = await refresh(sql, matched.sort(), { hasNewEvents: true })
  return unparkEventsOf(sql, rows)
}

/** Applies the events of a failed batch one by one, so that one bad event does not stop the others. */
async function applyEach({ sql, log }: Services): Promise<Batch> {
  const received = await events.lockReceived(sql, batchSize)
  for (const { id } of received) {
    try {
      await transaction(sql, async (sql) => applyReceived(sql, await events.lockReceivedById(sql, id)))
    } catch (error) {
      log.error({ err: error, event: id }, 'aws-event-not-applied')
      await events.fail(sql, [id], 'The event could not be applied. Find details in the log.')
    }
  }
  return { applied: received.length, isDone: received.length === 0 }
}

/** Applies what time alone changes: ended entitlements, final hours and trials. */
async function applyDueChanges(sql: Sql): Promise<void> {
  for (;;) {
    const ids = await store.listDueChanges(sql, new Date().toISOString(), batchSize)
    if (ids.length === 0) return
    await transaction(sql, async (sql) => {
      await refresh(sql, ids.sort())
      // What has expired may have been renewed, by an event that was lost.
      await store.requestChecksOf(sql, ids)
    })
  }
}

async function runChecks(services: Services): Promise<void> {
  const { sql, log, stopping, config } = services
  if (!config.awsMarketplace) return
  while (!stopping.aborted) {
    const ids = await store.leaseChecks(sql, checksAtOnce)
    if (ids.length === 0) return
    const round = delay(checksEveryMs, undefined, { signal: stopping }).catch(() => {})
    await Promise.all(
      ids.map((id) =>
        checkWithAws(services, id).catch((error) => log.warn({ err: error, subscription: id }, 'aws-check-failed')),
      ),
    )
    if (ids.length === checksAtOnce) await round
  }
}

/**
 * Applies events, and then asks AWS, when the database notifies this process of new events. `onEnd` is called when
 * subscriptions begin to end, whose usage AWS accepts only for a short time.
 */
export async function applyEventsOnNotification(services: Services, onEnd: () => void): Promise<void> {
  const { sql, log } = services
  const wakeChecks = createRunner(services, () => runChecks(services).then(() => pauseMs))
  const wake = createRunner(services, async () => {
    const applied = await applyEvents(services)
    if (applied > 0 && (await hasEnding(sql))) onEnd()
    wakeChecks()
    return applied > busyEvents ? busyPauseMs : pauseMs
  })
  await subscribe(sql, log, events.eventChannel, wake, wake)
}

/** Returns a function that starts `work` soon; if it is running, once more afterwards. `work` returns the pause between. */
export function createRunner({ log, stopping }: Services, work: () => Promise<number>): () => void {
  let isRunning = false
  let isDue = false
  const run = async () => {
    while (isDue && !stopping.aborted) {
      isDue = false
      const pause = await work().catch((error) => {
        log.error({ err: error }, 'aws-marketplace')
        return pauseMs
      })
      await delay(pause, undefined, { signal: stopping, ref: false }).catch(() => {})
    }
    isRunning = false
  }
  return () => {
    isDue = true
    if (isRunning) return
    isRunning = true
    void run()
  }
}

/** Applies what notifications have missed, and asks AWS where that is due. */
export async function runMarketplace(services: Services): Promise<void> {
  await applyEvents(services)
  await runChecks(services)
}

/** Compares all subscriptions with AWS, because events may have been lost. */
export async function compareWithAws(services: Services): Promise<void> {
  await store.requestChecks(services.sql)
  await runChecks(services)
}
