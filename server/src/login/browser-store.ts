import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

/** The period after which a browser without a sign-in is forgotten, in days. */
export const rememberedDays = 180

/** Records a sign-in of a user in a browser. `isNew` means that the user had not signed in there. */
export async function recordSignIn(
  sql: Sql,
  userId: string,
  tokenHash: string,
): Promise<{ id: string; isNew: boolean }> {
  const newId = uuid()
  const [browser] = await sql<{ id: string }[]>`
    insert into known_browsers (id, user_id, token_hash) values (${newId}, ${userId}, ${tokenHash})
    on conflict (user_id, token_hash) do update set last_sign_in_at = now()
    returning id`
  const id = browser?.id ?? newId
  return { id, isNew: id === newId }
}

/** Forgets one browser of a user, or all of them: the next sign-in there is reported again. */
export async function forget(sql: Sql, userId: string, id: string | null): Promise<void> {
  await sql`delete from known_browsers where user_id = ${userId} and (${id}::text is null or id = ${id})`
}

/** Deletes at most `limit` browsers without a recent sign-in; returns how many. */
export async function sweepBrowsers(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from known_browsers where id in (
      select id from known_browsers
      where last_sign_in_at <= now() - make_interval(days => ${rememberedDays}) limit ${limit})`
  return removed.count
}
