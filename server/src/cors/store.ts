import type { Sql } from '../database/sql.ts'

/** The saved origins of a stack. `origins` is null after they were reset. */
export interface CorsRow {
  stack: string
  origins: string[] | null
  revision: number
  updatedAt: string | null
  updatedBy: { id: string; name: string } | null
}

export async function list(sql: Sql): Promise<CorsRow[]> {
  return sql<CorsRow[]>`
    select stack, origins, revision, updated_at, actor_as_json(updated_by) as updated_by
    from cors_origins order by stack collate "C"`
}

/** Adds a stack without saved origins unless it exists, and locks it until the transaction ends. */
export async function lock(sql: Sql, stack: string): Promise<CorsRow> {
  await sql`insert into cors_origins (stack) values (${stack}) on conflict do nothing`
  await sql`select from cors_origins where stack = ${stack} for update`
  const [row] = await sql<CorsRow[]>`
    select stack, origins, revision, updated_at, actor_as_json(updated_by) as updated_by
    from cors_origins where stack = ${stack}`
  if (!row) throw new Error('a locked row is missing')
  return row
}

export async function count(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from cors_origins`
  return row?.count ?? 0
}

export async function save(sql: Sql, stack: string, origins: string[] | null, actor: string | null): Promise<void> {
  await sql`
    update cors_origins set origins = ${origins}, revision = revision + 1, updated_at = now(), updated_by = ${actor}
    where stack = ${stack}`
}
