import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { hashToken, randomToken } from '../vault.ts'

/** A session ends when nobody has been there for so long. */
const idleHours = 12
/** A session ends then, however busy. */
export const lifeDays = 7

export interface NewSession {
  userId: string
  loginId: string
  idp: string
  /** When the identity provider saw the person prove who they are, ISO 8601; 1970 where it does not tell. */
  authTime: string
  amr: string[]
  ip: string
  userAgent: string
  /** The authorization request that asked for this authentication. */
  interaction: string | null
  /** The session of the issuer that goes on with this one. */
  providerSession: string | null
  /** Sealed. */
  upstreamIdToken: string | null
}

/** Starts a session and returns the token for the cookie, which is stored nowhere. */
export async function start(sql: Sql, session: NewSession): Promise<string> {
  const token = randomToken()
  await sql`
    insert into sessions (
      token_hash, id, user_id, login_id, idp, auth_time, amr, ip, user_agent, interaction, provider_session,
      upstream_id_token, expires_at
    ) values (
      ${hashToken(token)}, ${uuid()}, ${session.userId}, ${session.loginId}, ${session.idp}, ${session.authTime},
      ${session.amr}, ${session.ip}, ${session.userAgent}, ${session.interaction},
      ${session.providerSession}, ${session.upstreamIdToken}, now() + make_interval(days => ${lifeDays})
    )`
  return token
}

/** A session with what a request must know of its person, in one statement. */
export interface SessionCaller {
  tokenHash: string
  sessionId: string
  loginId: string
  idp: string
  authTime: string
  amr: string[]
  interaction: string | null
  providerSession: string | null
  lastSeenAt: string
  userId: string
  username: string | null
  displayName: string | null
  email: string | null
  roles: string[]
  orgs: Caller['orgs']
}

/** The living session of a cookie; none where it ended, or where its person is disabled. */
export async function findByToken(sql: Sql, token: string): Promise<SessionCaller | undefined> {
  const [session] = await sql<SessionCaller[]>`
    select token_hash, session_id, login_id, idp, auth_time, amr, interaction, provider_session, last_seen_at,
      user_id, username, display_name, email, roles, orgs
    from session_callers
    where token_hash = ${hashToken(token)} and expires_at > now()
      and last_seen_at > now() - make_interval(hours => ${idleHours})`
  return session
}

/** Notes that the person is there, at most once a minute. */
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

/** The living sessions of a person, newest first. */
export async function list(sql: Sql, userId: string): Promise<ListedSession[]> {
  return sql<ListedSession[]>`
    select id, idp, ip, user_agent, created_at, last_seen_at,
      least(expires_at, last_seen_at + make_interval(hours => ${idleHours})) as expires_at
    from sessions
    where user_id = ${userId} and expires_at > now() and last_seen_at > now() - make_interval(hours => ${idleHours})
    order by created_at desc`
}

/** What is left to do for a session that was removed: end what the issuer keeps, and the provider's own session. */
export interface RemovedSession {
  id: string
  userId: string
  idp: string
  providerSession: string | null
  upstreamIdToken: string | null
}

export async function remove(sql: Sql, userId: string, sessionId: string): Promise<RemovedSession | undefined> {
  const [removed] = await sql<RemovedSession[]>`
    delete from sessions where user_id = ${userId} and id = ${sessionId}
    returning id, user_id, idp, provider_session, upstream_id_token`
  return removed
}

export async function removeByToken(sql: Sql, token: string): Promise<RemovedSession | undefined> {
  const [removed] = await sql<RemovedSession[]>`
    delete from sessions where token_hash = ${hashToken(token)}
    returning id, user_id, idp, provider_session, upstream_id_token`
  return removed
}

/** All sessions of some people; all but one where `except` is given. */
export async function removeAll(sql: Sql, people: string | string[], except = ''): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where user_id = any(${[people].flat()}) and id <> ${except}
    returning id, user_id, idp, provider_session, upstream_id_token`
}

export async function removeByLogin(sql: Sql, loginId: string): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where login_id = ${loginId}
    returning id, user_id, idp, provider_session, upstream_id_token`
}

/** Ties the session that the issuer keeps for a browser to ours, so that both end together. */
export async function bindProviderSession(sql: Sql, tokenHash: string, providerSession: string): Promise<void> {
  await sql`update sessions set provider_session = ${providerSession} where token_hash = ${tokenHash}`
}

/** The login by which whoever has a session of the issuer came in. */
export async function loginOfProviderSession(sql: Sql, providerSession: string): Promise<string | undefined> {
  const [session] = await sql<{ loginId: string }[]>`
    select login_id from sessions where provider_session = ${providerSession} order by created_at desc limit 1`
  return session?.loginId
}

/** Removes at most `limit` sessions whose time is over. */
export async function removeOver(sql: Sql, limit: number): Promise<RemovedSession[]> {
  return sql<RemovedSession[]>`
    delete from sessions where token_hash in (
      select token_hash from sessions
      where expires_at <= now() or last_seen_at <= now() - make_interval(hours => ${idleHours})
      limit ${limit})
    returning id, user_id, idp, provider_session, upstream_id_token`
}
