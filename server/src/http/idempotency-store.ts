import type { Sql } from '../database/sql.ts'

const keptHours = 24
/** Longer than any call takes that creates something: one that has no answer by then has lost its process. */
const cutShortAfterMinutes = 5

/** A key as it stands once somebody asked for it. */
export interface Claim {
  /** It was taken by this very question. */
  isTaken: boolean
  fingerprint: string
  sealedAnswer: string | null
  /** Its call was not answered and will not be. */
  isCutShort: boolean
}

/** Takes a key that nobody has, or tells of the call that has it; nothing where another takes it at this moment. */
export async function claim(
  sql: Sql,
  { keyHash, fingerprint }: { keyHash: string; fingerprint: string },
): Promise<Claim | undefined> {
  const [found] = await sql<Claim[]>`
    with taken as (
      insert into idempotency_keys as held (key_hash, fingerprint) values (${keyHash}, ${fingerprint})
      on conflict (key_hash) do update set fingerprint = excluded.fingerprint, claimed_at = now(), sealed_answer = null
      where held.claimed_at <= now() - make_interval(hours => ${keptHours})
      returning fingerprint
    )
    select true as is_taken, fingerprint, null as sealed_answer, false as is_cut_short from taken
    union all
    select false, fingerprint, sealed_answer,
      sealed_answer is null and claimed_at <= now() - make_interval(mins => ${cutShortAfterMinutes})
    from idempotency_keys where key_hash = ${keyHash} and not exists (select from taken)`
  return found
}

export async function keepAnswer(sql: Sql, keyHash: string, sealedAnswer: string): Promise<void> {
  await sql`update idempotency_keys set sealed_answer = ${sealedAnswer} where key_hash = ${keyHash}`
}

/** The key may be taken again. */
export async function giveBack(sql: Sql, keyHash: string): Promise<void> {
  await sql`delete from idempotency_keys where key_hash = ${keyHash} and sealed_answer is null`
}

/** Forgets at most `limit` keys whose time is over, but none that is just being taken again; returns how many. */
export async function sweepKeys(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from idempotency_keys where key_hash in (
      select key_hash from idempotency_keys where claimed_at <= now() - make_interval(hours => ${keptHours})
      limit ${limit} for update skip locked)`
  return removed.count
}
