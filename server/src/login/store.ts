import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'

/** Records the first response to an attempt. Returns false if an earlier response was recorded. */
export async function spendAttempt(sql: Sql, state: string, lifetimeSeconds: number): Promise<boolean> {
  const spent = await sql`
    insert into spent_attempts (state_hash, expires_at)
    values (${hashToken(state)}, now() + make_interval(secs => ${lifetimeSeconds}))
    on conflict do nothing
    returning state_hash`
  return spent.length > 0
}

/** Deletes at most `limit` expired records; returns how many. */
export async function sweepSpentAttempts(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from spent_attempts where state_hash in (
      select state_hash from spent_attempts where expires_at <= now() limit ${limit})`
  return removed.count
}
