import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { hashToken } from '../vault.ts'

/** A session ends after this long without activity. */
export const idleHours = 12
/** A session ends after this long, regardless of activity. */
export const sessionLifetimeDays = 7

/** The table and columns for bulk loads of sessions. */
export const copyTarget = {
  table: 'sessions',
  columns: [
    'token_hash',
    'id',
    'user_id',
    'login_id',
    'idp',
    'auth_time',
    'amr',
    'ip',
    'user_agent',
    'created_at',
    'last_seen_at',
    'expires_at',
  ],
}

/** A session with its user: the data that every request needs, read in one statement. */
export interface SessionCaller {
  tokenHash: string
  sessionId: string
  loginId: string
  browserId: string | null
  idp: string
  authTime: string
  amr: string[]
  acr: string | null
  interaction: string | null
  providerSession: string | null
  lastSeenAt: string
  userId: string
  username: string | null
  displayName: string | null
  email: string | null
  roles: string[]
  orgs: Caller['orgs']
  pictureHash: string | null
  /** The organisation whose tenant is the identity provider; null for a provider of the configuration. */
  orgName: string | null
}

/** Returns the valid session of a cookie; undefined if it has ended, or its user is disabled. */
export async function findByToken(sql: Sql, token: string): Promise<SessionCaller | undefined> {
  const [session] = await sql<SessionCaller[]>`
    select token_hash, session_id, login_id, browser_id, idp, auth_time, amr, acr, interaction, provider_session, last_seen_at,
      user_id, username, display_name, email, roles, orgs, picture_hash, org_name
    from session_callers
    where token_hash = ${hashToken(token)} and expires_at > now()
      and last_seen_at > now() - make_interval(hours => ${idleHours})`
  return session
}

/** Records activity, at most once a minute. */
export async function touch(sql: Sql, { tokenHash, lastSeenAt }: NonNullable<Caller['session']>): Promise<void> {
  if (Date.now() - Date.parse(lastSeenAt) < 60_000) return
  await sql`update sessions set last_seen_at = now() where token_hash = ${tokenHash}`
}

export interface ListedSession {
  id: string
  idp: string
  ip: string
  userAgent: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
}

/** Lists the valid sessions of a user, newest first. */
export async function list(sql: Sql, userId: string): Promise<ListedSession[]> {
  return sql<ListedSession[]>`
    select id, idp, ip, user_agent, created_at, last_seen_at,
      least(expires_at, last_seen_at + make_interval(hours => ${idleHours})) as expires_at
    from sessions
    where user_id = ${userId} and expires_at > now() and last_seen_at > now() - make_interval(hours => ${idleHours})
    order by created_at desc`
}

/** A removed session, with the data to end the issuer's session and the session at the identity provider. */
export interface RemovedSession {
  id: string
  userId: string
  idp: string
  providerSession: string | null
  upstreamIdToken: string | null
}

/** Locks a session until the transaction ends; returns false if it has ended. */
export async function lock(sql: Sql, id: string): Promise<boolean> {
  const found = await sql`select from sessions where id = ${id} for key share`
  return found.length > 0
}

/** Removes a session of a user; returns it with the browser that it was in, if that is known. */
export async function remove(
  sql: Sql,
  userId: string,
  sessionId: string,
): Promise<(RemovedSession & { browserId: string | null }) | undefined> {
  const [removed] = await sql<(RemovedSession & { browserId: string | null })[]>`
    delete from sessions where user_id = ${userId} and id = ${sessionId}
    returning id, user_id, idp, provider_session, upstream_id_token, browser_id`
  return removed
}

export async function removeByToken(sql: Sql, token: string): Promise<RemovedSession | undefined> {
  const [removed] = await sql<RemovedSession[]>`
    delete from sessions where token_hash = ${hashToken(token)}
    returning id, user_id, idp, provider_session, upstream_id_token`
  return removed
}

/** Removes all sessions of some users, except the one with the id `except`. */
export async function removeAll(sql: Sql, userIds: string | string[], except = ''): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where user_id = any(${[userIds].flat()}) and id <> ${except}
    returning id, user_id, idp, provider_session, upstream_id_token`
}

export async function removeByLogins(sql: Sql, loginIds: string[]): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where login_id = any(${loginIds})
    returning id, user_id, idp, provider_session, upstream_id_token`
}

export async function removeByBrowser(sql: Sql, userId: string, browserId: string): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where user_id = ${userId} and browser_id = ${browserId}
    returning id, user_id, idp, provider_session, upstream_id_token`
}

/** The sign-in in which a grant was created. */
export interface SignIn {
  loginId: string
  browserId: string | null
}

/** Removes at most `limit` expired sessions. Each reason has an index. */
export async function removeExpired(sql: Sql, limit: number): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where token_hash in (
      (select token_hash from sessions where expires_at <= now() order by expires_at limit ${limit})
      union
      (select token_hash from sessions
        where last_seen_at <= now() - make_interval(hours => ${idleHours}) order by last_seen_at limit ${limit})
      limit ${limit})
    returning id, user_id, idp, provider_session, upstream_id_token`
}

/** The encryption purpose of the identity provider's ID token. */
export const idTokenPurpose = 'upstream-id-token'

interface UnmarkedIdToken {
  tokenHash: string
  upstreamIdToken: string
  cursor: string
}

/** Lists sessions whose ID token is not encrypted with this mark. */
export async function listUnmarkedIdTokens(
  sql: Sql,
  mark: string,
  after: string,
  limit: number,
): Promise<UnmarkedIdToken[]> {
  return sql<UnmarkedIdToken[]>`
    select token_hash, upstream_id_token, token_hash as cursor from sessions
    where not starts_with(upstream_id_token, ${mark}) and token_hash > ${after} and expires_at > now()
    order by token_hash limit ${limit}`
}

export async function replaceIdToken(sql: Sql, tokenHash: string, former: string, sealed: string): Promise<void> {
  await sql`
    update sessions set upstream_id_token = ${sealed}
    where token_hash = ${tokenHash} and upstream_id_token = ${former}`
}

/** Counts ID tokens that are not encrypted with this mark. */
export async function countUnmarked(sql: Sql, mark: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from sessions
    where not starts_with(upstream_id_token, ${mark}) and expires_at > now()`
  return row?.count ?? 0
}

/** Counts the sessions in use within the last hour. */
export async function countActive(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from sessions where last_seen_at > now() - interval '1 hour' and expires_at > now()`
  return row?.count ?? 0
}
