import {
  type DeletedPreference,
  maxHistoryBytes,
  maxPreferences,
  maxVersions,
  type Preference,
  type PreferenceVersion,
  versionDays,
} from '@passport/contract/preferences'
import type { Sql } from '../database/sql.ts'

/** The table and columns for bulk loads of preferences. */
export const copyTarget = { table: 'preferences', columns: ['user_id', 'key', 'value', 'updated_at'] }

/**
 * Lists the preferences whose keys start with `prefix`, by key in byte order, regardless of the database's collation.
 */
export async function list(sql: Sql, userId: string, prefix: string): Promise<(Preference & { savedAt: string })[]> {
  return sql<(Preference & { savedAt: string })[]>`
    select key, value, updated_at as saved_at from preferences
    where user_id = ${userId} and starts_with(key, ${prefix}) order by key collate "C"`
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

/** Saves a preference; its former value becomes a version. */
export async function save(sql: Sql, userId: string, { key, value }: Preference): Promise<void> {
  await sql`
    with version as (
      insert into preference_versions (user_id, key, value, saved_at)
      select user_id, key, value, updated_at from preferences where user_id = ${userId} and key = ${key})
    insert into preferences (user_id, key, value) values (${userId}, ${key}, ${value})
    on conflict (user_id, key) do update set value = excluded.value, updated_at = now()`
}

/** Deletes a preference; its value becomes a version. */
export async function remove(sql: Sql, userId: string, key: string): Promise<void> {
  await sql`
    with removed as (
      delete from preferences where user_id = ${userId} and key = ${key}
      returning user_id, key, value, updated_at)
    insert into preference_versions (user_id, key, value, saved_at)
    select user_id, key, value, updated_at from removed`
}

/** Deletes the versions of a user that exceed the number for their key, or the size of the history. */
export async function trimVersions(sql: Sql, userId: string): Promise<void> {
  await sql`
    delete from preference_versions where id in (
      select id from (
        select id, row_number() over (partition by key order by id desc) as position,
          sum(size) over (order by id desc) as total
        from preference_versions where user_id = ${userId}) ranked
      where position > ${maxVersions} or total > ${maxHistoryBytes})`
}

/** Lists the versions of a key, newest first. */
export async function listVersions(sql: Sql, userId: string, key: string): Promise<PreferenceVersion[]> {
  return sql<PreferenceVersion[]>`
    select value, saved_at, replaced_at from preference_versions
    where user_id = ${userId} and key = ${key} and replaced_at > now() - make_interval(days => ${versionDays})
    order by id desc`
}

/** Lists the last versions of the keys without a preference, newest first. */
export async function listDeleted(sql: Sql, userId: string, prefix: string): Promise<DeletedPreference[]> {
  return sql<DeletedPreference[]>`
    select key, value, replaced_at as deleted_at from (
      select distinct on (key) id, key, value, replaced_at from preference_versions v
      where user_id = ${userId} and starts_with(key, ${prefix})
        and replaced_at > now() - make_interval(days => ${versionDays})
        and not exists (select from preferences p where p.user_id = v.user_id and p.key = v.key)
      order by key, id desc) deleted
    order by id desc limit ${maxPreferences}`
}

/** Deletes the versions of a key and returns their number. */
export async function removeVersions(sql: Sql, userId: string, key: string): Promise<number> {
  const { count } = await sql`delete from preference_versions where user_id = ${userId} and key = ${key}`
  return count
}

/** Deletes up to `limit` expired versions and returns their number. */
export async function sweepVersions(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from preference_versions where id in (
      select id from preference_versions
      where replaced_at <= now() - make_interval(days => ${versionDays}) limit ${limit})`
  return count
}
