import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'
import type { Cursor } from '../http/paging.ts'

export interface ProfileRow {
  id: string
  username: string | null
  displayName: string | null
  createdAt: string
  updatedAt: string
  version: number
}

export async function find(sql: Sql, id: string): Promise<ProfileRow | undefined> {
  const [profile] = await sql<ProfileRow[]>`
    select id, username, display_name, created_at, updated_at, version::integer as version from profiles where id = ${id}`
  return profile
}

/** Someone who was found; `place` is where in the order they are. */
export interface FoundRow {
  id: string
  username: string | null
  displayName: string | null
  place: string
}

/** The part of a list to give: `offset` counts where no cursor says where it begins. */
interface Part {
  limit: number
  offset: number
  after: Cursor | undefined
}

/** Everyone, by name. */
export async function listAll(sql: Sql, { limit, offset, after }: Part): Promise<FoundRow[]> {
  const [place, id] = after ?? ['', '']
  return sql<FoundRow[]>`
    select id, username, display_name, sort_name as place from profiles
    where (sort_name, id) > (${place}, ${id})
    order by sort_name, id limit ${limit} offset ${offset}`
}

export async function countAll(sql: Sql, upTo: number): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (select from profiles order by sort_name, id limit ${upTo}) as counted`
  return row?.found ?? 0
}

/**
 * Whoever has exactly this username or e-mail, then whoever has some word that begins so. A `place` begins with which of
 * the two it is. For few that are found: they are looked up and sorted.
 */
export async function searchFew(sql: Sql, query: string, { limit, offset, after }: Part): Promise<FoundRow[]> {
  const [place, id] = after ?? ['', '']
  return sql<FoundRow[]>`
    select id, username, display_name, place from (
      select id, username, display_name,
        (case when lower(username) = lower(${query}) or lower(email) = lower(${query}) then '0' else '1' end || sort_name)
          collate "C" as place
      from profiles
      where search_words @@ to_tsquery('simple', ${wordQuery(query)}) or lower(username) = lower(${query})
        or lower(email) = lower(${query})
    ) as found
    where (place, id) > (${place}, ${id})
    order by place, id limit ${limit} offset ${offset}`
}

/** The same for very many that are found: they are read in the order of an index, which for few would be read to its end. */
export async function searchMany(sql: Sql, query: string, { limit, offset, after }: Part): Promise<FoundRow[]> {
  const [place, id] = after ?? ['', '']
  const [sortName, sortId] = place.startsWith('1') ? [place.slice(1), id] : ['', '']
  return sql<FoundRow[]>`
    select id, username, display_name, place from (
      select id, username, display_name, ('0' || sort_name) collate "C" as place
      from profiles where lower(username) = lower(${query}) or lower(email) = lower(${query})
      union all
      (select id, username, display_name, '1' || sort_name
      from profiles
      where search_words @@ to_tsquery('simple', ${wordQuery(query)})
        and lower(username) is distinct from lower(${query}) and lower(email) is distinct from lower(${query})
        and (sort_name, id) > (${sortName}, ${sortId})
      order by sort_name, id limit ${limit + offset})
    ) as found
    where (place, id) > (${place}, ${id})
    order by place, id limit ${limit} offset ${offset}`
}

export async function countFound(sql: Sql, query: string, upTo: number): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (
      select from profiles where search_words @@ to_tsquery('simple', ${wordQuery(query)}) or lower(email) = lower(${query})
      limit ${upTo}
    ) as counted`
  return row?.found ?? 0
}

/** Like `search` among those that a person knows, and whoever has exactly this username; nobody who is disabled. */
export async function searchKnown(
  sql: Sql,
  userId: string,
  query: string,
  { limit, offset, after }: Part,
): Promise<FoundRow[]> {
  const [place, id] = after ?? ['', '']
  return sql<FoundRow[]>`
    select id, username, display_name, place from (
      select id, username, display_name, ('0' || sort_name) collate "C" as place
      from profiles where lower(username) = lower(${query}) and disabled_at is null
      union all
      select id, username, display_name, '1' || sort_name
      from profiles
      where id in (select other_id from acquaintances where user_id = ${userId})
        and search_words @@ to_tsquery('simple', ${wordQuery(query)}) and disabled_at is null
        and lower(username) is distinct from lower(${query})
    ) as found
    where (place, id) > (${place}, ${id})
    order by place, id limit ${limit} offset ${offset}`
}

export async function countKnown(sql: Sql, userId: string, query: string, upTo: number): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (
      select from profiles where lower(username) = lower(${query}) and disabled_at is null
      union all
      select from profiles
      where id in (select other_id from acquaintances where user_id = ${userId})
        and search_words @@ to_tsquery('simple', ${wordQuery(query)}) and disabled_at is null
        and lower(username) is distinct from lower(${query})
      limit ${upTo}
    ) as counted`
  return row?.found ?? 0
}

/** Notes that a person gave a username up just now. */
export async function release(sql: Sql, userId: string, username: string): Promise<void> {
  await sql`insert into released_usernames (user_id, username) values (${userId}, ${username})`
}

/** Whether someone else gave the username up within so many days, or has it. */
export async function isHeld(sql: Sql, username: string, userId: string, days: number): Promise<boolean> {
  const [found] = await sql<{ held: boolean }[]>`
    select exists (
      select from released_usernames
      where lower(username) = lower(${username}) and user_id is distinct from ${userId}
        and released_at > now() - make_interval(days => ${days})
    ) or exists (select from profiles where lower(username) = lower(${username}) and id <> ${userId}) as held`
  return found?.held ?? false
}

/** Of some usernames in lower case, those that someone else gave up within so many days. */
export async function releasedOf(sql: Sql, usernames: string[], userId: string, days: number): Promise<string[]> {
  const rows = await sql<{ username: string }[]>`
    select lower(username) as username from released_usernames
    where lower(username) = any(${usernames}) and user_id is distinct from ${userId}
      and released_at > now() - make_interval(days => ${days})`
  return rows.map(({ username }) => username)
}

/** Forgets at most `limit` usernames that were given up more than so many days ago; returns how many. */
export async function forgetReleases(sql: Sql, olderThanDays: number, limit: number): Promise<number> {
  const removed = await sql`
    delete from released_usernames where ctid in (
      select ctid from released_usernames where released_at <= now() - make_interval(days => ${olderThanDays}) limit ${limit})`
  return removed.count
}

/** When a person gave up usernames within so many days, newest first. */
export async function listReleases(sql: Sql, userId: string, days: number): Promise<string[]> {
  const rows = await sql<{ releasedAt: string }[]>`
    select released_at from released_usernames
    where user_id = ${userId} and released_at > now() - make_interval(days => ${days})
    order by released_at desc`
  return rows.map(({ releasedAt }) => releasedAt)
}
