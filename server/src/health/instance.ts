import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../database/sql.ts'
import type { Activity } from '../http/activity.ts'
import { readBuild } from '../info/build.ts'
import type { Log } from '../log.ts'
import * as activityStore from './activity-store.ts'
import * as store from './store.ts'

/** This server process, as other servers see it in the database. */
export interface Instance {
  id: string
  /** Writes the row of this process, and the activity of the minutes that have ended. */
  beat: () => Promise<void>
  /** Starts to beat every 15 s. Returns a function that stops it, writes all activity and removes the row. */
  start: () => () => Promise<void>
}

const beatMs = 15_000
const resolutionMs = 10

/** Creates the instance of this process. It writes nothing until its first beat. */
export function createInstance(sql: Sql, activity: Activity, log: Log): Instance {
  // The name distinguishes machines and containers, the random part the processes of a machine and its restarts.
  const id = `${hostname().slice(0, 60)}-${randomBytes(3).toString('hex')}`
  const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString()
  const build = readBuild()
  let isFailing = false

  async function write(lag: number, isLast: boolean) {
    const { version, commit } = await build
    const rssBytes = process.memoryUsage.rss()
    const eventLoopLagMs = Math.round(lag * 10) / 10
    if (!isLast) await store.saveInstance(sql, { id, version, commit, startedAt, rssBytes, eventLoopLagMs })
    const rows = activity.take(isLast)
    try {
      if (rows.length > 0) await activityStore.insertMinutes(sql, id, rows)
    } catch (error) {
      activity.restore(rows)
      throw error
    }
    if (isLast) await store.removeInstance(sql, id)
  }

  return {
    id,
    beat: () => write(0, false),
    start: () => {
      const stopping = new AbortController()
      const { signal } = stopping
      const delays = monitorEventLoopDelay({ resolution: resolutionMs })
      delays.enable()
      /** Returns the 99th percentile since the last call. The timer itself is due every `resolutionMs`. */
      const readLag = () => {
        const lag = Math.max(0, delays.percentile(99) / 1e6 - resolutionMs)
        delays.reset()
        return lag
      }
      const loop = (async () => {
        while (!signal.aborted) {
          try {
            await write(readLag(), false)
            isFailing = false
          } catch (error) {
            // Once: the database is away, which other lines say already.
            if (!isFailing) log.warn({ err: error }, 'instance-not-recorded')
            isFailing = true
          }
          await delay(beatMs, undefined, { signal, ref: false }).catch(() => {})
        }
      })()
      return async () => {
        stopping.abort()
        await loop
        delays.disable()
        await write(0, true).catch((error) => log.warn({ err: error }, 'activity-not-recorded'))
      }
    },
  }
}
