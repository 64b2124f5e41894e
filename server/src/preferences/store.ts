import type { Preference } from '@passport/contract/preferences'
import type { Sql } from '../database/sql.ts'

/** The table and columns for bulk loads of preferences. */
export const copyTarget = { table: 'preferences', columns: ['user_id', 'key', 'value', 'updated_at'] }

/** Lists preferences by key in byte order, regardless of the database's collation. */
export async function list(sql: Sql, userId: string): Promise<Preference[]> {
  return sql<Preference[]>`select key, value from preferences where user_id = ${userId} order by key collate "C"`
}

export async function find(sql: Sql, userId: string, key: string): Promise<string | undefined> {
  const [row] = await sql<{ value: string }[]>`
    select value from preferences where user_id = ${userId} and key = ${key}`
  return row?.value
}

export async function count(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from preferences where user_id = ${userId}`
  return row?.count ?? 0
}

export async function save(sql: Sql, userId: string, { key, value }: Preference): Promise<void> {
  await sql`
    insert into preferences (user_id, key, value) values (${userId}, ${key}, ${value})
    on conflict (user_id, key) do update set value = excluded.value, updated_at = now()`
}

export async function remove(sql: Sql, userId: string, key: string): Promise<void> {
  await sql`delete from preferences where user_id = ${userId} and key = ${key}`
}
