import type { HealthSample, HealthStatus } from '@passport/contract/health'
import type { Sql } from '../database/sql.ts'

/** A running server process. */
export interface InstanceRow {
  id: string
  version: string
  commit: string | null
  startedAt: string
  rssBytes: number
  eventLoopLagMs: number
}

/** Adds or updates the row of a process. */
export async function saveInstance(sql: Sql, instance: InstanceRow): Promise<void> {
  const { id, version, commit, startedAt, rssBytes, eventLoopLagMs } = instance
  await sql`
    insert into instances (id, version, commit, started_at, rss_bytes, event_loop_lag_ms)
    values (${id}, ${version}, ${commit}, ${startedAt}, ${rssBytes}, ${eventLoopLagMs})
    on conflict (id) do update set beat_at = now(), rss_bytes = excluded.rss_bytes,
      event_loop_lag_ms = excluded.event_loop_lag_ms`
}

export async function removeInstance(sql: Sql, id: string): Promise<void> {
  await sql`delete from instances where id = ${id}`
}

/** Returns the processes that wrote their row within the last minute, oldest first. */
export const listInstances = (sql: Sql): Promise<InstanceRow[]> =>
  sql<InstanceRow[]>`
    select id, version, commit, started_at, rss_bytes::float8 as rss_bytes, event_loop_lag_ms from instances
    where beat_at > now() - interval '1 minute' order by started_at, id`

/** Deletes the rows of processes that ended without removing them. */
export async function sweepInstances(sql: Sql): Promise<void> {
  await sql`delete from instances where beat_at < now() - interval '10 minutes'`
}

/** The state of a check as the last sample left it. */
export interface HealthState {
  name: string
  status: HealthStatus
  since: string
  /** The latencies of the last 5 minutes. */
  recentMs: number[]
}

export const listStates = (sql: Sql): Promise<HealthState[]> =>
  sql<HealthState[]>`
    select name, status, since, array(
      select latency_ms from health_samples h
      where h.name = s.name and minute > now() - interval '5 minutes' and latency_ms is not null) as recent_ms
    from health_states s`

/** Returns the state of a check; undefined before its first sample. */
export async function findState(sql: Sql, name: string): Promise<Pick<HealthState, 'status' | 'since'> | undefined> {
  const [state] = await sql<Pick<HealthState, 'status' | 'since'>[]>`
    select status, since from health_states where name = ${name}`
  return state
}

/** Returns the checks that were slow or down at their last sample, failed ones first. */
export const listDegraded = (sql: Sql): Promise<{ name: string; status: 'slow' | 'down' }[]> =>
  sql<{ name: string; status: 'slow' | 'down' }[]>`
    select name, status from health_states where status in ('slow', 'down') order by status, name`

/** Returns 1 for each check that passed at its last sample, however slowly, and 0 for one that failed. */
export async function readPassing(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; status: HealthStatus }[]>`
    select name, status from health_states where status <> 'off'`
  return new Map(rows.map(({ name, status }) => [name, status === 'down' ? 0 : 1]))
}

/** Saves the states of all checks. A check keeps `since` while its status is the same; other checks are deleted. */
export async function saveStates(sql: Sql, states: { name: string; status: HealthStatus; since: string }[]) {
  await sql`
    with deleted as (delete from health_states where name <> all(${states.map(({ name }) => name)}))
    insert into health_states as s (name, status, since)
    select n.name, n.status, n.since
    from jsonb_to_recordset(${sql.json(states as never)}) as n (name text, status text, since timestamptz)
    order by n.name
    on conflict (name) do update set status = excluded.status, since = excluded.since
    where s.status <> excluded.status`
}

/** Adds the samples of the current minute, and deletes those older than 24 hours. */
export async function addSamples(sql: Sql, samples: Omit<HealthSample & { name: string }, 'at'>[]): Promise<void> {
  await sql`
    with deleted as (delete from health_samples where minute < now() - interval '24 hours')
    insert into health_samples (name, minute, status, latency_ms)
    select n.name, date_trunc('minute', now()), n.status, n."latencyMs"
    from jsonb_to_recordset(${sql.json(samples as never)}) as n (name text, status text, "latencyMs" real)
    order by n.name
    on conflict (name, minute) do update set status = excluded.status, latency_ms = excluded.latency_ms`
}

/** The bulk load of samples; those that a server has measured stay. */
export const sampleCopyTarget = {
  table: 'health_samples',
  columns: ['name', 'minute', 'status', 'latency_ms'],
  onConflict: 'do nothing',
} as const

/** The bulk load of states; those that a server has measured stay. */
export const stateCopyTarget = {
  table: 'health_states',
  columns: ['name', 'status', 'since'],
  onConflict: 'do nothing',
} as const

/** Returns the samples since `from` in periods of some minutes, oldest first. */
export const listSamples = (sql: Sql, name: string, from: string, everyMinutes: number): Promise<HealthSample[]> =>
  sql<HealthSample[]>`
    select date_bin(make_interval(mins => ${everyMinutes}), minute, '2000-01-01T00:00:00Z') as at,
      (array['ok', 'slow', 'down'])[max(array_position(array['ok', 'slow', 'down'], status))] as status,
      percentile_disc(0.95) within group (order by latency_ms) as latency_ms
    from health_samples where name = ${name} and minute >= ${from} group by 1 order by 1`
