import type { Sql } from '../database/sql.ts'

/** Records an answer of a queue, with the number of its messages. */
export async function recordPoll(sql: Sql, name: string, messages: number): Promise<void> {
  await sql`
    insert into aws_queues as q (name, polled_at, messages) values (${name}, now(), ${messages})
    on conflict (name) do update set polled_at = now(), error = null, messages = q.messages + ${messages}`
}

/** Records that a queue could not be read. */
export async function recordFailure(sql: Sql, name: string, error: string): Promise<void> {
  await sql`
    insert into aws_queues (name, failed_at, error) values (${name}, now(), ${error})
    on conflict (name) do update set failed_at = now(), error = ${error}`
}

/** Returns the seconds since each of these queues was read, by name; 1e9 for one that was never read, and its error. */
export async function readQueues(
  sql: Sql,
  names: string[],
): Promise<{ name: string; seconds: number; error: string | null }[]> {
  return sql<{ name: string; seconds: number; error: string | null }[]>`
    select n.name, coalesce(extract(epoch from now() - q.polled_at), 1e9)::double precision as seconds, q.error
    from unnest(${names}::text[]) as n (name) left join aws_queues q on q.name = n.name`
}
