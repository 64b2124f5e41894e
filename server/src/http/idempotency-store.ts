import type { Sql } from '../database/sql.ts'

const retentionHours = 24
/** Longer than any creating call: a call without a response after this time was interrupted. */
const interruptedAfterMinutes = 5

/** The call that has claimed a key. */
export interface Claim {
  /** The key was free, and is now claimed by this call. */
  isNew: boolean
  fingerprint: string
  sealedResponse: string | null
  /** The call was interrupted and will have no response. */
  isInterrupted: boolean
}

/** Claims a free key, or returns the call that has it; undefined while a concurrent call claims it. */
export async function claim(
  sql: Sql,
  { keyHash, fingerprint }: { keyHash: string; fingerprint: string },
): Promise<Claim | undefined> {
  const [row] = await sql<Claim[]>`
    with taken as (
      insert into idempotency_keys as held (key_hash, fingerprint) values (${keyHash}, ${fingerprint})
      on conflict (key_hash) do update set fingerprint = excluded.fingerprint, claimed_at = now(), sealed_answer = null
      where held.claimed_at <= now() - make_interval(hours => ${retentionHours})
      returning fingerprint
    )
    select true as is_new, fingerprint, null as sealed_response, false as is_interrupted from taken
    union all
    select false, fingerprint, sealed_answer,
      sealed_answer is null and claimed_at <= now() - make_interval(mins => ${interruptedAfterMinutes})
    from idempotency_keys where key_hash = ${keyHash} and not exists (select from taken)`
  return row
}

/** Returns the call that has a key, if any. */
export async function find(sql: Sql, keyHash: string): Promise<Claim | undefined> {
  const [row] = await sql<Claim[]>`
    select false as is_new, fingerprint, sealed_answer as sealed_response,
      sealed_answer is null and claimed_at <= now() - make_interval(mins => ${interruptedAfterMinutes}) as is_interrupted
    from idempotency_keys where key_hash = ${keyHash} and claimed_at > now() - make_interval(hours => ${retentionHours})`
  return row
}

export async function saveResponse(sql: Sql, keyHash: string, sealedResponse: string): Promise<void> {
  await sql`update idempotency_keys set sealed_answer = ${sealedResponse} where key_hash = ${keyHash}`
}

/** Releases a key without a stored response. */
export async function release(sql: Sql, keyHash: string): Promise<void> {
  await sql`delete from idempotency_keys where key_hash = ${keyHash} and sealed_answer is null`
}

/** Deletes at most `limit` expired keys, except those being claimed again; returns their number. */
export async function sweepKeys(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from idempotency_keys where key_hash in (
      select key_hash from idempotency_keys where claimed_at <= now() - make_interval(hours => ${retentionHours})
      limit ${limit} for update skip locked)`
  return removed.count
}
