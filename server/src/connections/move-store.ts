import type { Sql } from '../database/sql.ts'

/** A move of an account from one user to another. */
export interface Move {
  connector: string
  externalId: string
  fromUserId: string
  toUserId: string
}

/** Records a move, in place of the last one of the account. Returns false if that was less than a day ago. */
export async function record(
  sql: Sql,
  { connector, externalId, fromUserId, toUserId }: Move,
  undoTokenHash: string,
): Promise<boolean> {
  const recorded = await sql`
    insert into connection_moves (connector, external_id, from_user_id, to_user_id, undo_token_hash)
    values (${connector}, ${externalId}, ${fromUserId}, ${toUserId}, ${undoTokenHash})
    on conflict (connector, external_id) do update set from_user_id = excluded.from_user_id,
      to_user_id = excluded.to_user_id, moved_at = now(), undo_token_hash = excluded.undo_token_hash
      where connection_moves.moved_at <= now() - interval '1 day'
    returning connector`
  return recorded.length > 0
}

/** Finds the move of a notice by its token; undefined for an unknown, spent or expired one. */
export async function findByToken(
  sql: Sql,
  connector: string,
  tokenHash: string,
  days: number,
): Promise<Move | undefined> {
  const [move] = await sql<Move[]>`
    select connector, external_id, from_user_id, to_user_id from connection_moves
    where connector = ${connector} and undo_token_hash = ${tokenHash} and moved_at > now() - make_interval(days => ${days})`
  return move
}

/** Spends the token of a notice, and returns its move; undefined if it was spent or the account was moved again. */
export async function spendToken(sql: Sql, connector: string, tokenHash: string): Promise<Move | undefined> {
  const [move] = await sql<Move[]>`
    update connection_moves set undo_token_hash = null
    where connector = ${connector} and undo_token_hash = ${tokenHash}
    returning connector, external_id, from_user_id, to_user_id`
  return move
}

/** Deletes at most `limit` moves that can no longer be undone; returns how many. */
export async function sweepMoves(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from connection_moves where (connector, external_id) in (
      select connector, external_id from connection_moves where moved_at <= now() - interval '8 days' limit ${limit})`
  return removed.count
}
