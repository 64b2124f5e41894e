import { toAsciiDomain } from '@passport/contract/email'
import { type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { toAddressQuery, toAddressWordQuery, toWordQuery } from '../database/word-search.ts'
import type { AvatarFields } from './avatar-store.ts'

/** A profile; the fields of the avatar are null without one. */
export interface ProfileRow extends AvatarFields {
  id: string
  username: string | null
  displayName: string | null
  avatarUpdatedAt: string | null
  createdAt: string
  updatedAt: string
  version: number
}

export async function find(sql: Sql, id: string): Promise<ProfileRow | undefined> {
  const [profile] = await sql<ProfileRow[]>`
    select id, username, display_name, created_at, updated_at, version::integer as version,
      png_hash, png_source, glb_hash, glb_source, avatar_updated_at
    from profiles where id = ${id}`
  return profile
}

/** A matched profile; `place` is its sort key. */
export interface MatchRow {
  id: string
  username: string | null
  displayName: string | null
  pngHash: string | null
  place: string
}

/** Lists all profiles by name. */
export async function listAll(sql: Sql, range: ListRange): Promise<MatchRow[]> {
  return sql<MatchRow[]>`
    select id, username, display_name, png_hash, sort_name as place from profiles ${pageWhere(sql, { key: 'sort_name' }, range)}`
}

export async function countAll(sql: Sql, upTo: number): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count_or_estimate(count(*), ${upTo}, 'select from profiles', '{}') as found
    from (select from profiles order by sort_name, id limit ${upTo + 1}) as counted`
  return row?.found ?? 0
}

/**
 * Finds exact matches of the username or email, then profiles with words of the name or email that start as those of the query. The first
 * character of `place` is 0 for the former and 1 for the latter. Looks up and sorts all matches, which is fast for a
 * few.
 */
export async function searchFew(sql: Sql, query: string, { limit, offset, after }: ListRange): Promise<MatchRow[]> {
  const [place, id] = after ?? ['', '']
  const { beginning, others } = toAddressQuery(query)
  return sql<MatchRow[]>`
    with named as materialized (
      select id, ('0' || sort_name) collate "C" as place
      from profiles where lower(username) = lower(${query}) or lower(email) = lower(${toAsciiDomain(query)})
    )
    select p.id, p.username, p.display_name, p.png_hash, found.place from (
      select id, place from (
        select id, place from named
        union all
        select user_id, ('1' || sort_name) collate "C" from (
          select * from users_by_words(${beginning}, ${others})
          union all select * from users_by_address_words(${[beginning, ...others]})
        ) as called
        where user_id not in (select id from named)
      ) as either
      where (place, id) > (${place}, ${id})
      order by place, id limit ${limit} offset ${offset}
    ) as found join profiles p on p.id = found.id
    order by found.place, found.id`
}

/**
 * Same as `searchFew`, but fast for very many matches: reads in index order, which for few matches scans the whole
 * index.
 */
export async function searchMany(sql: Sql, query: string, { limit, offset, after }: ListRange): Promise<MatchRow[]> {
  const [place, id] = after ?? ['', '']
  const [sortName, sortId] = place.startsWith('1') ? [place.slice(1), id] : ['', '']
  return sql<MatchRow[]>`
    select id, username, display_name, png_hash, place from (
      select id, username, display_name, png_hash, ('0' || sort_name) collate "C" as place
      from profiles where lower(username) = lower(${query}) or lower(email) = lower(${toAsciiDomain(query)})
      union all
      (select id, username, display_name, png_hash, '1' || sort_name
      from profiles
      where (search_words || address_words) @@ ${toAddressWordQuery(query)}::tsquery
        and lower(username) is distinct from lower(${query}) and lower(email) is distinct from lower(${toAsciiDomain(query)})
        and (sort_name, id) > (${sortName}, ${sortId})
      order by sort_name, id limit ${limit + offset})
    ) as found
    where (place, id) > (${place}, ${id})
    order by place, id limit ${limit} offset ${offset}`
}

export async function countMatches(sql: Sql, query: string, upTo: number): Promise<number> {
  const { beginning, others } = toAddressQuery(query)
  const [row] = await sql<{ found: number }[]>`
    select count_or_estimate(count(*), ${upTo}, 'select from user_words_matching($1[1], $1[2:]) union all select from address_words_beginning($1[1])', ${[beginning, ...others]}::text[]) as found
    from (
      select user_id from users_by_words(${beginning}, ${others})
      union all
      select user_id from users_by_address_words(${[beginning, ...others]})
      union all
      select id from profiles
      where (lower(username) = lower(${query}) or lower(email) = lower(${toAsciiDomain(query)}))
        and not (search_words || address_words) @@ ${toAddressWordQuery(query)}::tsquery
      limit ${upTo + 1}
    ) as counted`
  return row?.found ?? 0
}

/** Finds exact matches of the username, then acquaintances of a user by a word prefix. Excludes disabled users. */
export async function searchAcquaintances(
  sql: Sql,
  userId: string,
  query: string,
  { limit, offset, after }: ListRange,
): Promise<MatchRow[]> {
  const [place, id] = after ?? ['', '']
  return sql<MatchRow[]>`
    select id, username, display_name, png_hash, place from (
      select id, username, display_name, png_hash, ('0' || sort_name) collate "C" as place
      from profiles where lower(username) = lower(${query}) and disabled_at is null
      union all
      select id, username, display_name, png_hash, '1' || sort_name
      from profiles
      where id in (select other_id from acquaintances where user_id = ${userId})
        and search_words @@ to_tsquery('simple', ${toWordQuery(query)}) and disabled_at is null
        and lower(username) is distinct from lower(${query})
    ) as found
    where (place, id) > (${place}, ${id})
    order by place, id limit ${limit} offset ${offset}`
}

export async function countAcquaintances(sql: Sql, userId: string, query: string, upTo: number): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (
      select from profiles where lower(username) = lower(${query}) and disabled_at is null
      union all
      select from profiles
      where id in (select other_id from acquaintances where user_id = ${userId})
        and search_words @@ to_tsquery('simple', ${toWordQuery(query)}) and disabled_at is null
        and lower(username) is distinct from lower(${query})
      limit ${upTo}
    ) as counted`
  return row?.found ?? 0
}

/** Records that a user has just released a username. */
export async function release(sql: Sql, userId: string, username: string): Promise<void> {
  await sql`insert into released_usernames (user_id, username) values (${userId}, ${username})`
}

/** Reports whether another user has the username or released it within `days` days. */
export async function isTaken(sql: Sql, username: string, userId: string, days: number): Promise<boolean> {
  const [row] = await sql<{ held: boolean }[]>`
    select exists (
      select from released_usernames
      where lower(username) = lower(${username}) and user_id is distinct from ${userId}
        and released_at > now() - make_interval(days => ${days})
    ) or exists (select from profiles where lower(username) = lower(${username}) and id <> ${userId}) as held`
  return row?.held ?? false
}

/** Filters usernames in lower case to those that another user released within `days` days. */
export async function filterReserved(sql: Sql, usernames: string[], userId: string, days: number): Promise<string[]> {
  const rows = await sql<{ username: string }[]>`
    select lower(username) as username from released_usernames
    where lower(username) = any(${usernames}) and user_id is distinct from ${userId}
      and released_at > now() - make_interval(days => ${days})`
  return rows.map(({ username }) => username)
}

/** Deletes at most `limit` releases older than `olderThanDays` days; returns how many. */
export async function deleteReleases(sql: Sql, olderThanDays: number, limit: number): Promise<number> {
  const removed = await sql`
    delete from released_usernames where ctid in (
      select ctid from released_usernames where released_at <= now() - make_interval(days => ${olderThanDays}) limit ${limit})`
  return removed.count
}

/** Lists the times at which a user released usernames within `days` days, newest first. */
export async function listReleases(sql: Sql, userId: string, days: number): Promise<string[]> {
  const rows = await sql<{ releasedAt: string }[]>`
    select released_at from released_usernames
    where user_id = ${userId} and released_at > now() - make_interval(days => ${days})
    order by released_at desc`
  return rows.map(({ releasedAt }) => releasedAt)
}
