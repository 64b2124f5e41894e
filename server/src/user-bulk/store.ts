import type { BulkAction } from '@passport/contract/user-bulk'
import type { Sql } from '../database/sql.ts'
import { hashToken, randomToken } from '../vault.ts'

const undoMinutes = 10

export interface Undo {
  action: BulkAction
  role: string | null
  isExpired: boolean
}

/** How to take one person's change back. */
export interface UndoRow {
  userId: string
  /** Of the person, once the change was done. */
  version: number
  undone: boolean
}

/** Begins to note how a change is taken back; returns the token that stands for it, which is stored nowhere. */
export async function begin(
  sql: Sql,
  { action, role = null, doneBy }: { action: BulkAction; role?: string | null | undefined; doneBy: string },
): Promise<{ token: string; until: string }> {
  const token = randomToken()
  const [begun] = await sql<{ until: string }[]>`
    insert into user_undos (token_hash, action, role, done_by, expires_at)
    values (${hashToken(token)}, ${action}, ${role}, ${doneBy}, now() + make_interval(mins => ${undoMinutes}))
    returning expires_at as until`
  return { token, until: begun?.until ?? '' }
}

export async function addRows(sql: Sql, token: string, rows: Omit<UndoRow, 'undone'>[]): Promise<void> {
  await sql`
    insert into user_undo_rows (token_hash, user_id, version)
    select ${hashToken(token)}, r."userId", r."version"
    from jsonb_to_recordset(${sql.json(rows as never)}) as r ("userId" text, "version" bigint)`
}

/** What a token stands for; only whoever did it may know. */
export async function find(sql: Sql, token: string, doneBy: string): Promise<Undo | undefined> {
  const [found] = await sql<Undo[]>`
    select action, role, expires_at <= now() as is_expired from user_undos
    where token_hash = ${hashToken(token)} and done_by = ${doneBy}`
  return found
}

/** A part of what there is to take back, from after the id `after` on; nobody else takes it back until the end. */
export async function lockRows(sql: Sql, token: string, after: string, limit: number): Promise<UndoRow[]> {
  return sql<UndoRow[]>`
    select user_id, version::integer as version, undone_at is not null as undone from user_undo_rows
    where token_hash = ${hashToken(token)} and user_id > ${after} order by user_id limit ${limit} for update`
}

export async function markUndone(sql: Sql, token: string, people: string[]): Promise<void> {
  await sql`
    update user_undo_rows set undone_at = now() where token_hash = ${hashToken(token)} and user_id = any(${people})`
}

/** Forgets at most `limit` changes that can no longer be taken back; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from user_undos where token_hash in (
      select token_hash from user_undos where expires_at <= now() - interval '1 hour' limit ${limit})`
  return removed.count
}
