import { combineLookups, toRows } from '../database/combine.ts'
import type { Sql } from '../database/sql.ts'
import type { User } from '../users/store.ts'
import { hashToken } from '../vault.ts'
import type { Artifact } from './store.ts'

/** The session of a browser, with its user. */
export interface AuthorizationCaller extends Omit<User, 'id' | 'disabledAt'> {
  tokenHash: string
  loginId: string
  browserId: string | null
  authTime: string
  amr: string[]
  acr: string | null
  providerSession: string | null
  userId: string
  /** The id of the authorization request that required this authentication. */
  interaction: string | null
}

type Payload = Artifact['payload']

/** The ids by which an authorization request finds what it needs; each may be missing. */
export interface AuthorizationKeys {
  sessionId: string | undefined
  interactionId: string | undefined
  clientId: string | undefined
  /** The cookie of the browser's session. */
  token: string | undefined
}

export interface AuthorizationRead {
  session: (Payload & object) | null
  sessionSealedId: string | null
  grant: Payload | null
  interaction: Payload | null
  caller: AuthorizationCaller | undefined
}

interface AuthorizationRow
  extends Omit<AuthorizationRead, 'caller'>,
    Omit<AuthorizationCaller, 'tokenHash' | 'interaction'> {
  tokenHash: string | null
  signedInFor: string | null
}

const hashOf = (id: string | undefined) => (id === undefined ? null : hashToken(id))

/**
 * Reads what an authorization request needs, in one statement. A session ends after `idleHours` without activity. Each
 * row is found by its key, as in the view `live_artifacts`.
 */
export async function readAuthorization(
  sql: Sql,
  { sessionId, interactionId, clientId, token }: AuthorizationKeys,
  idleHours: number,
): Promise<AuthorizationRead> {
  const [row] = await sql<AuthorizationRow[]>`
    select s.payload as session, s.sealed_id as session_sealed_id, g.payload as grant, i.payload as interaction,
      c.token_hash, c.login_id, c.browser_id, c.auth_time, c.amr, c.acr, c.provider_session, c.user_id, c.username,
      c.display_name, c.email, c.email_verified, c.interaction as signed_in_for
    from (select 1) as request
    left join lateral (select * from issuer_sessions where id_hash = ${hashOf(sessionId)} limit 1) as s on true
    left join lateral (
      select * from issuer_grants
      where id_hash = artifact_hash(s.payload #>> array['authorizations', ${clientId ?? null}, 'grantId']) limit 1
    ) as g on true
    left join lateral (select * from pending_interactions where id_hash = ${hashOf(interactionId)} limit 1) as i on true
    left join lateral (
      select * from authorization_callers
      where token_hash = ${hashOf(token)} and expires_at > now()
        and last_seen_at > now() - make_interval(hours => ${idleHours}) limit 1
    ) as c on true`
  if (!row) throw new Error('A query without a condition returned no row')
  const { session, sessionSealedId, grant, interaction, tokenHash, signedInFor, ...caller } = row
  return {
    session,
    sessionSealedId,
    grant,
    interaction,
    caller: tokenHash === null ? undefined : { ...caller, tokenHash, interaction: signedInFor },
  }
}

/** The keys by which the usual authorization request of a signed-in browser finds what it needs. */
export type SignedInKeys = Required<{ [K in 'sessionId' | 'clientId' | 'token']: string }>

/** What belongs to a browser that is signed in, with the grant of one client. */
export interface SignedInRead extends Pick<AuthorizationCaller, 'userId' | 'authTime' | 'providerSession'> {
  session: Payload
  grant: Payload
  /** The version of the client. */
  clientVersion: number
}

/**
 * Creates the reader of signed-in browsers, which returns undefined if a session or the grant is missing or has ended, or
 * the user is disabled. Look-ups at the same time share a statement. A session ends after `idleHours` without activity.
 */
export function createSignedInReader(sql: Sql, idleHours: number) {
  const find = combineLookups(async (keys) => {
    const rows = await sql<(SignedInRead & { key: string })[]>`
      select asked.key, s.payload as session, g.payload as grant, g.client_version, c.user_id, c.auth_time,
        c.provider_session
      from (select key, key::jsonb as hashes from ${toRows(sql, keys)} as key) as asked,
        lateral (select payload from issuer_sessions where id_hash = asked.hashes ->> 0 limit 1) as s,
        lateral (
          select user_id, auth_time, provider_session from authorization_callers
          where token_hash = asked.hashes ->> 1 and expires_at > now()
            and last_seen_at > now() - make_interval(hours => ${idleHours}) limit 1
        ) as c,
        lateral (
          select payload, client_version from issuer_grants
          where id_hash = artifact_hash(s.payload #>> array['authorizations', asked.hashes ->> 2, 'grantId']) limit 1
        ) as g`
    return new Map(rows.map(({ key, ...read }) => [key, read]))
  })
  return ({ sessionId, token, clientId }: SignedInKeys): Promise<SignedInRead | undefined> =>
    find(JSON.stringify([hashToken(sessionId), hashToken(token), clientId]))
}

/** A pending request of a browser, with its signed-in user. */
export interface PendingRead extends Omit<AuthorizationCaller, 'providerSession' | keyof Omit<User, 'id'>> {
  pending: Payload
}

/**
 * Creates the reader of requests that continue, which returns undefined if the request or the session is missing or has
 * ended, or the user is disabled. Look-ups at the same time share a statement. A session ends after `idleHours` without
 * activity.
 */
export function createPendingReader(sql: Sql, idleHours: number) {
  const find = combineLookups(async (keys) => {
    const rows = await sql<(PendingRead & { key: string })[]>`
      select asked.key, i.payload as pending, c.*
      from (select key, key::jsonb as hashes from ${toRows(sql, keys)} as key) as asked,
        lateral (select payload from pending_interactions where id_hash = asked.hashes ->> 0 limit 1) as i,
        lateral (
          select token_hash, login_id, browser_id, auth_time, amr, acr, user_id, interaction from authorization_callers
          where token_hash = asked.hashes ->> 1 and expires_at > now()
            and last_seen_at > now() - make_interval(hours => ${idleHours}) limit 1
        ) as c`
    return new Map(rows.map(({ key, ...read }) => [key, read]))
  })
  return (uid: string, token: string): Promise<PendingRead | undefined> =>
    find(JSON.stringify([hashToken(uid), hashToken(token)]))
}

export interface CodeRead extends Artifact {
  session: Payload | null
  sessionSealedId: string | null
  grant: Payload | null
  user: User | undefined
}

/** Reads an authorization code with its session, grant and user, in one statement. */
export async function readCode(sql: Sql, id: string): Promise<CodeRead | undefined> {
  type Row = Omit<CodeRead, 'user' | 'sealedId'> & Omit<User, 'id'> & { userId: string | null }
  const [row] = await sql<Row[]>`
    select c.payload, extract(epoch from now() - c.consumed_at)::float8 as spent_seconds,
      s.payload as session, s.sealed_id as session_sealed_id, g.payload as grant,
      u.id as user_id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at
    from issuer_codes c
    left join lateral (select * from issuer_sessions where uid = c.payload ->> 'sessionUid' limit 1) as s on true
    left join lateral (select * from issuer_grants where id_hash = artifact_hash(c.payload ->> 'grantId') limit 1) as g on true
    left join lateral (select * from code_users where id = c.account_id limit 1) as u on true
    where c.id_hash = ${hashToken(id)}`
  if (!row) return undefined
  const { payload, spentSeconds, session, sessionSealedId, grant, userId, ...user } = row
  return {
    payload,
    sealedId: null,
    spentSeconds,
    session,
    sessionSealedId,
    grant,
    user: userId === null ? undefined : { ...user, id: userId },
  }
}
