import type { Sql } from '../database/sql.ts'

/** The period after which a browser without a sign-in is forgotten, in days. */
export const rememberedDays = 180

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
