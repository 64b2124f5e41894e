import type { BulkAction } from '@passport/contract/user-bulk'
import type { Sql } from '../database/sql.ts'
import { generateToken, hashToken } from '../vault.ts'

const undoMinutes = 10

/** A bulk change that can be undone. */
export interface Undo {
  action: BulkAction
  role: string | null
  isExpired: boolean
}

/** A user of a bulk change that can be undone. */
export interface UndoRow {
  userId: string
  /** The version of the user after the change. */
  version: number
  undone: boolean
}

/** Stores a bulk change without users. Returns its undo token, of which only the hash is stored, and its expiry. */
export async function createUndo(
  sql: Sql,
  { action, role = null, doneBy }: { action: BulkAction; role?: string | null | undefined; doneBy: string },
): Promise<{ token: string; until: string }> {
  const token = generateToken()
  const [created] = await sql<{ until: string }[]>`
    insert into user_undos (token_hash, action, role, done_by, expires_at)
    values (${hashToken(token)}, ${action}, ${role}, ${doneBy}, now() + make_interval(mins => ${undoMinutes}))
    returning expires_at as until`
  return { token, until: created?.until ?? '' }
}

export async function addRows(sql: Sql, token: string, rows: Omit<UndoRow, 'undone'>[]): Promise<void> {
  await sql`
    insert into user_undo_rows (token_hash, user_id, version)
    select ${hashToken(token)}, r."userId", r."version"
    from jsonb_to_recordset(${sql.json(rows as never)}) as r ("userId" text, "version" bigint)`
}

/** Finds the bulk change of an undo token; undefined for other users than the one who made it. */
export async function find(sql: Sql, token: string, doneBy: string): Promise<Undo | undefined> {
  const [undo] = await sql<Undo[]>`
    select action, role, expires_at <= now() as is_expired from user_undos
    where token_hash = ${hashToken(token)} and done_by = ${doneBy}`
  return undo
}

/** Locks the next users of a bulk change, after the id `after`, until the transaction ends. */
export async function lockRows(sql: Sql, token: string, after: string, limit: number): Promise<UndoRow[]> {
  return sql<UndoRow[]>`
    select user_id, version::integer as version, undone_at is not null as undone from user_undo_rows
    where token_hash = ${hashToken(token)} and user_id > ${after} order by user_id limit ${limit} for update`
}

export async function markUndone(sql: Sql, token: string, userIds: string[]): Promise<void> {
  await sql`
    update user_undo_rows set undone_at = now() where token_hash = ${hashToken(token)} and user_id = any(${userIds})`
}

/** Deletes the bulk changes that removed a role: a later role of the same name is another one. */
export async function forgetRemovals(sql: Sql, role: string): Promise<void> {
  await sql`delete from user_undos where action = 'removeRole' and role = ${role}`
}

/** Deletes at most `limit` bulk changes whose token expired an hour ago; returns their number. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from user_undos where token_hash in (
      select token_hash from user_undos where expires_at <= now() - interval '1 hour' limit ${limit})`
  return removed.count
}
