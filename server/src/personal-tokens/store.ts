import { v7 as uuid } from 'uuid'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { hashToken } from '../vault.ts'

/** The period for which an expired token is still listed. */
const listedDaysAfterExpiry = 30

export interface NewPersonalToken {
  userId: string
  /** The login of the session in which it is created, if that is known. It ends with the login. */
  loginId: string | null
  /** The browser of that session, if it is known. */
  browserId: string | null
  name: string
  scopes: string[]
  expiresInDays: number
}

export interface PersonalTokenRow {
  id: string
  name: string
  start: string
  scopes: string[]
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  lastUsedIp: string | null
  lastUsedClient: string | null
}

/** Adds a token and returns it; its value is not stored. */
export async function add(
  sql: Sql,
  value: string,
  start: string,
  { userId, loginId, browserId, name, scopes, expiresInDays }: NewPersonalToken,
): Promise<PersonalTokenRow> {
  const [added] = await sql<PersonalTokenRow[]>`
    insert into personal_tokens (id, user_id, login_id, browser_id, name, token_hash, start, scopes, expires_at)
    values (${uuid()}, ${userId}, ${loginId}, ${browserId}, ${name}, ${hashToken(value)}, ${start}, ${scopes},
      now() + make_interval(days => ${expiresInDays}))
    returning id, name, start, scopes, created_at, expires_at, last_used_at, last_used_ip, last_used_client`
  return added as PersonalTokenRow
}

/** Lists the tokens of a user, newest first. */
export async function list(sql: Sql, userId: string): Promise<PersonalTokenRow[]> {
  return sql<PersonalTokenRow[]>`
    select id, name, start, scopes, created_at, expires_at, last_used_at, last_used_ip, last_used_client
    from personal_tokens where user_id = ${userId} order by created_at desc, id desc`
}

/** Counts the tokens of a user that have not expired. */
export async function count(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from personal_tokens where user_id = ${userId} and expires_at > now()`
  return row?.count ?? 0
}

/** Counts the tokens that a user created in a browser and that have not expired. */
export async function countByBrowser(sql: Sql, userId: string, browserId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from personal_tokens
    where user_id = ${userId} and browser_id = ${browserId} and expires_at > now()`
  return row?.count ?? 0
}

/** A valid token with its user: the data that a request needs, read in one statement. */
export interface PersonalTokenCaller {
  tokenId: string
  scopes: string[]
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  userId: string
  username: string | null
  displayName: string | null
  email: string | null
  roles: string[]
  orgs: Caller['orgs']
  pictureHash: string | null
}

/**
 * Returns the user of a token; undefined if it is unknown or has expired, or its user is disabled, or the `client` that
 * asks has changed since it was read.
 */
export async function findCaller(
  sql: Sql,
  value: string,
  client?: { clientId: string; version: number },
): Promise<PersonalTokenCaller | undefined> {
  const isUnchanged = client
    ? sql`exists (
        select from introspecting_clients c where c.client_id = ${client.clientId} and c.version = ${client.version}
      )`
    : sql`true`
  const [caller] = await sql<PersonalTokenCaller[]>`
    select token_id, scopes, created_at, expires_at, last_used_at, user_id, username, display_name, email, roles, orgs,
      picture_hash
    from personal_token_callers
    where token_hash = ${hashToken(value)} and expires_at > now() and ${isUnchanged}`
  return caller
}

/** Records a use, at most once a minute. */
export async function recordUse(
  sql: Sql,
  { id, lastUsedAt }: { id: string; lastUsedAt: string | null },
  ip: string,
  clientId: string | null = null,
): Promise<void> {
  if (lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < 60_000) return
  await sql`
    update personal_tokens set last_used_at = now(), last_used_ip = ${ip}, last_used_client = ${clientId}
    where id = ${id}`
}

/** Removes scopes from all tokens: users did not choose an API that has the same ones later. */
export async function removeScopes(sql: Sql, scopes: string[]): Promise<void> {
  await sql`
    update personal_tokens set scopes = array(select s from unnest(scopes) s where s <> all(${scopes}))
    where scopes && ${scopes}::text[]`
}

/** Deletes a token of a user and returns it; undefined if the user has no such token. */
export async function remove(
  sql: Sql,
  userId: string,
  id: string,
): Promise<Pick<PersonalTokenRow, 'name' | 'start' | 'scopes' | 'expiresAt'> | undefined> {
  const [removed] = await sql<Pick<PersonalTokenRow, 'name' | 'start' | 'scopes' | 'expiresAt'>[]>`
    delete from personal_tokens where user_id = ${userId} and id = ${id} returning name, start, scopes, expires_at`
  return removed
}

/** A deleted token, by its first characters. */
export interface RemovedToken {
  userId: string
  start: string
}

/** Deletes all tokens of some users; returns those that had not expired. */
export const removeAll = (sql: Sql, userIds: string[]): Promise<RemovedToken[]> =>
  removeWhere(sql, sql`user_id = any(${userIds})`)

/** Deletes the tokens that a user created in a browser; returns those that had not expired. */
export const removeByBrowser = (sql: Sql, userId: string, browserId: string): Promise<RemovedToken[]> =>
  removeWhere(sql, sql`user_id = ${userId} and browser_id = ${browserId}`)

/** Deletes the tokens that users created in sessions of logins; returns those that had not expired. */
export const removeByLogins = (sql: Sql, userIds: string[], loginIds: string[]): Promise<RemovedToken[]> =>
  removeWhere(sql, sql`user_id = any(${userIds}) and login_id = any(${loginIds})`)

async function removeWhere(sql: Sql, condition: Fragment): Promise<RemovedToken[]> {
  const removed = await sql<(RemovedToken & { isLive: boolean })[]>`
    delete from personal_tokens where ${condition} returning user_id, start, expires_at > now() as is_live`
  return removed.filter(({ isLive }) => isLive)
}

/** A token that expires soon. */
export interface ExpiringToken extends Pick<PersonalTokenRow, 'name' | 'start' | 'expiresAt'> {
  userId: string
}

/**
 * Returns the tokens of up to `limit` users that expire within a number of days, were created for longer, and were not
 * returned before.
 */
export async function claimExpiring(sql: Sql, days: number, limit: number): Promise<ExpiringToken[]> {
  const period = sql`make_interval(days => ${days})`
  const isDue = sql`reminded_at is null and expires_at > now() and expires_at <= now() + ${period}
    and expires_at - created_at > ${period}`
  const claimed = await sql<ExpiringToken[]>`
    update personal_tokens set reminded_at = now()
    where ${isDue} and user_id in (
      select user_id from personal_tokens where ${isDue} order by expires_at limit ${limit})
    returning user_id, name, start, expires_at`
  return claimed.toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))
}

/** Deletes at most `limit` tokens that expired a month ago; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from personal_tokens where id in (
      select id from personal_tokens
      where expires_at < now() - make_interval(days => ${listedDaysAfterExpiry}) limit ${limit})`
  return removed.count
}
