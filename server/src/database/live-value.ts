import type { Log } from '../log.ts'
import type { Sql } from './sql.ts'
import { subscribe } from './subscribe.ts'

/** The maximum delay of a change if the database sends no notifications. */
const maxAgeMs = 60_000

/** A value in memory that every request may read. */
export interface LiveValue<T> {
  /** Returns the value as of the last refresh. Never waits for the database. */
  current: () => T
  /** Loads the value again, so that the next request of this process sees a change. */
  refresh: () => Promise<void>
}

/**
 * Keeps a value in memory. It is loaded again when the database notifies of a change by any process and, when it is read,
 * after a minute without one. A failure keeps the former value, and is logged.
 */
export async function createLiveValue<T>(
  sql: Sql,
  log: Log,
  channel: string,
  load: () => Promise<T>,
): Promise<LiveValue<T>> {
  let [started, loaded, readAt] = [0, 0, 0]
  let value: T

  async function refresh() {
    const turn = ++started
    readAt = Date.now()
    const result = await load()
    // A load that began earlier may end later, with a former value.
    if (turn < loaded) return
    loaded = turn
    value = result
  }
  const refreshInBackground = () => {
    refresh().catch((err: unknown) => log.warn({ err, channel }, 'value-not-read'))
  }
  // Also after a reconnect, before which notifications may have been lost.
  await subscribe(sql, log, channel, refreshInBackground, refreshInBackground)
  await refresh()
  return {
    current: () => {
      if (Date.now() - readAt > maxAgeMs) refreshInBackground()
      return value
    },
    refresh,
  }
}
