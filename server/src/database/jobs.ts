import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../http/log.ts'
import type { Sql } from './sql.ts'

/** Work that repeats; it may be done twice, and does no harm then. */
export interface Job {
  name: string
  everySeconds: number
  /** How long after a crash another process leaves it alone; 5 minutes unless told. */
  leaseSeconds?: number
  run: () => Promise<void>
}

const usualLeaseSeconds = 300
const pollMs = 30_000

/**
 * Runs jobs when they are due, each in whichever process takes its lease; returns what stops that. A database that is
 * gone costs the rounds that fall into that time, and no later one.
 */
export function startJobs(sql: Sql, jobs: Job[], log: Log, everyMs = pollMs): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = (async () => {
    while (!signal.aborted) {
      await register(sql, jobs).catch((error) => log.error({ err: error }, 'jobs-not-registered'))
      await runDueJobs(sql, jobs, log)
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })()
  return async () => {
    stopping.abort()
    await loop
  }
}

const register = async (sql: Sql, jobs: Job[]) => {
  for (const { name } of jobs) await sql`insert into recurring_jobs (name) values (${name}) on conflict do nothing`
}

/** One round: every job that is due and that no other process has the lease of. */
export async function runDueJobs(sql: Sql, jobs: Job[], log: Log): Promise<void> {
  for (const { name, everySeconds, leaseSeconds = usualLeaseSeconds, run } of jobs) {
    try {
      const leased = await sql`
        update recurring_jobs set leased_until = now() + make_interval(secs => ${leaseSeconds})
        where name = ${name} and due_at <= now() and leased_until <= now() returning name`
      if (leased.length === 0) continue
      await run()
      await sql`
        update recurring_jobs set due_at = now() + make_interval(secs => ${everySeconds}), leased_until = '-infinity'
        where name = ${name}`
    } catch (error) {
      // The lease runs out by itself: until then no other process tries what just failed.
      log.error({ err: error, job: name }, 'job-failed')
    }
  }
}

/** Calls a sweep of limited size until it finds nothing more, so that no statement locks a table for long. */
export async function sweepAll(sweep: (limit: number) => Promise<number>, limit = 1000): Promise<void> {
  while ((await sweep(limit)) === limit) await delay(10)
}
