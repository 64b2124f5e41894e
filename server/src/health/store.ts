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
