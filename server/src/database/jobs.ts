import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Sql } from './sql.ts'

/** A recurring job; running it twice must be harmless. */
export interface Job {
  name: string
  everySeconds: number
  /** The time after which another process may take over the job of a crashed one; defaults to 5 minutes. */
  leaseSeconds?: number
  run: () => Promise<void>
}

const defaultLeaseSeconds = 300
const defaultRoundMs = 30_000
/**
 * If a stored time is later than a new one would be, by more than this, then the clock was set back since. A smaller
 * difference is normal: a statement that waited for another one has an older `now()`.
 */
const clockSlackSeconds = 60

/**
 * Runs jobs when they are due, each in the process that takes its lease. Returns a function that starts no further job
 * and waits for the current one. While the database is unavailable, no job runs.
 */
export function startJobs(sql: Sql, jobs: Job[], log: Log, roundMs = defaultRoundMs): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = (async () => {
    while (!signal.aborted) {
      await register(sql, jobs).catch((error) => log.error({ err: error }, 'jobs-not-registered'))
      await runDueJobs(sql, jobs, log, signal)
      await delay(roundMs, undefined, { signal, ref: false }).catch(() => {})
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

/** Runs one round: every due job whose lease no other process holds, until `signal` aborts. */
export async function runDueJobs(sql: Sql, jobs: Job[], log: Log, signal?: AbortSignal): Promise<void> {
  for (const { name, everySeconds, leaseSeconds = defaultLeaseSeconds, run } of jobs) {
    if (signal?.aborted) return
    try {
      const leased = await sql`
        update recurring_jobs set leased_until = now() + make_interval(secs => ${leaseSeconds})
        where name = ${name}
          and (due_at <= now() or due_at > now() + make_interval(secs => ${everySeconds + clockSlackSeconds}))
          and (leased_until <= now() or leased_until > now() + make_interval(secs => ${leaseSeconds + clockSlackSeconds}))
        returning name`
      if (leased.length === 0) continue
      await run()
      await sql`
        update recurring_jobs
        set due_at = now() + make_interval(secs => ${everySeconds}), leased_until = '-infinity', succeeded_at = now()
        where name = ${name}`
    } catch (error) {
      // The failed job is retried when its lease expires.
      log.error({ err: error, job: name }, 'job-failed')
    }
  }
}

/** Returns the seconds since the last success of each job, on any server. Jobs without a success are absent. */
export async function readLastSuccesses(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; seconds: number }[]>`
    select name, extract(epoch from now() - succeeded_at)::double precision as seconds from recurring_jobs
    where succeeded_at is not null`
  return new Map(rows.map(({ name, seconds }) => [name, Math.max(0, seconds)]))
}

/** Returns the jobs that are due, with the time since when, most overdue first. */
export const listOverdue = (sql: Sql, names: string[]): Promise<{ name: string; overdueMs: number }[]> =>
  sql<{ name: string; overdueMs: number }[]>`
    select name, (extract(epoch from now() - due_at) * 1000)::float8 as overdue_ms from recurring_jobs
    where name = any(${names}) and due_at < now() order by due_at`

/** Repeats a sweep of at most `limit` rows until it removes fewer, so that no statement locks a table for long. */
export async function sweepAll(sweep: (limit: number) => Promise<number>, limit = 1000): Promise<void> {
  while ((await sweep(limit)) === limit) await delay(10)
}
