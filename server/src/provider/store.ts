import type { SignIn } from '../accounts/session-store.ts'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'

/** The two issuers of this server. */
export type IssuerName = 'passport' | 'directory'

export interface Artifact {
  payload: Record<string, unknown>
  sealedId: string | null
  /** The seconds since the artifact was spent; null for an unspent one. */
  spentSeconds: number | null
}

export interface NewArtifact {
  issuer: IssuerName
  kind: string
  id: string
  payload: Record<string, unknown>
  sealedId: string | null
  accountId: string | null
  grantId: string | null
  uid: string | null
  userCode?: string | null
  /** The sign-in in which a grant was created or extended. */
  signIn?: SignIn | undefined
  expiresInSeconds: number
}

/** Kinds with a table of their own, `provider_tokens`, which `provider_artifacts` includes. They are saved once. */
const tokenKinds = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken', 'ClientCredentials'])

export async function saveArtifact(sql: Sql, artifact: NewArtifact): Promise<void> {
  const { issuer, kind, id, payload, sealedId, accountId, grantId, uid, userCode = null, expiresInSeconds } = artifact
  if (tokenKinds.has(kind)) {
    await sql`
      insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at)
      values (
        ${issuer}, ${kind}, ${hashToken(id)}, ${sql.json(payload as never)}, ${accountId}, ${grantId},
        now() + make_interval(secs => ${expiresInSeconds})
      )`
    return
  }
  await sql`
    insert into provider_artifacts (
      issuer, kind, id_hash, payload, sealed_id, account_id, grant_id, uid, user_code_hash, expires_at
    )
    values (
      ${issuer}, ${kind}, ${hashToken(id)}, ${sql.json(payload as never)}, ${sealedId}, ${accountId}, ${grantId}, ${uid},
      ${userCode === null ? null : hashToken(userCode)},
      now() + make_interval(secs => ${expiresInSeconds})
    )
    on conflict (issuer, kind, id_hash) do update set
      payload = excluded.payload, sealed_id = excluded.sealed_id, account_id = excluded.account_id,
      grant_id = excluded.grant_id, uid = excluded.uid, expires_at = excluded.expires_at`
}

/** A client as a request has authenticated it. */
export interface AuthenticatedClient {
  clientId: string
  version: number
}

/** Returns the condition that a client is still enabled, and has not changed since it was read. Both values may be SQL. */
export const isUnchangedClient = (sql: Sql, clientId: Fragment | string, version: Fragment | number): Fragment =>
  sql`exists (select from usable_clients c where c.client_id = ${clientId} and c.version = ${version})`

/** Saves a token of a client on its own behalf. Returns false, and saves nothing, if the client has changed. */
export async function saveClientToken(
  sql: Sql,
  { issuer, kind, id, payload, expiresInSeconds }: NewArtifact,
  client: AuthenticatedClient,
): Promise<boolean> {
  const saved = await sql`
    insert into provider_tokens (issuer, kind, id_hash, payload, expires_at)
    select ${issuer}, ${kind}, ${hashToken(id)}, ${sql.json(payload as never)},
      now() + make_interval(secs => ${expiresInSeconds})
    where ${isUnchangedClient(sql, client.clientId, client.version)}`
  return saved.count > 0
}

/** Finds an artifact; one of a disabled or unknown client does not count. */
export async function findArtifact(
  sql: Sql,
  issuer: IssuerName,
  kind: string,
  id: string,
): Promise<Artifact | undefined> {
  const [artifact] = await sql<Artifact[]>`
    select payload, sealed_id, extract(epoch from now() - consumed_at)::float8 as spent_seconds
    from usable_artifacts
    where issuer = ${issuer} and kind = ${kind} and id_hash = ${hashToken(id)} and (expires_at > now()) is true`
  return artifact
}

export async function findArtifactByUid(
  sql: Sql,
  issuer: IssuerName,
  kind: string,
  uid: string,
): Promise<Artifact | undefined> {
  const [artifact] = await sql<Artifact[]>`
    select payload, sealed_id, null as spent_seconds from provider_artifacts
    where uid = ${uid} and issuer = ${issuer} and kind = ${kind} and expires_at > now()`
  return artifact
}

/**
 * Saves codes of authorizations that change nothing else. The responses do not wait for the disk: if the database crashes
 * before a code is exchanged, the user signs in again.
 */
export async function saveCodes(sql: Sql, codes: NewArtifact[]): Promise<void> {
  await sql`
    insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at)
    select issuer, kind, id_hash, payload, account_id, grant_id, now() + make_interval(secs => seconds)
    from set_config('synchronous_commit', 'off', true), jsonb_to_recordset(${sql.json(codes.map(toRow))}) as code (
      issuer text, kind text, id_hash text, payload jsonb, account_id text, grant_id text, seconds float8
    )`
}

/** What an authorization request saves. */
interface AuthorizationWrites {
  artifacts: NewArtifact[]
  /** Returns the statement that records events, as a part of another one: if `source` of that statement has a row. */
  insertEvents: ((source: Fragment) => Fragment) | undefined
  /** The pending request that continues, and is spent. */
  interactionId: string | undefined
  /** The pushed request, which is spent too unless it has expired. */
  pushedId: string | undefined
  /** The session of the browser, by whose user the request is authorized. */
  callerHash: string
  /** The row with the clients of the session, which ends with it. */
  providerSession: string
  /** The client as it was read. */
  client: AuthenticatedClient
}

/**
 * Saves what an authorization request issued, in one statement. Returns false, and saves nothing, if another request has
 * spent the same pending or pushed one, or the session of the browser has ended since it was read, such as by a new
 * password, or the client has changed.
 */
export async function saveAuthorization(
  sql: Sql,
  { artifacts, insertEvents, interactionId, pushedId, callerHash, providerSession, client }: AuthorizationWrites,
): Promise<boolean> {
  const interactionHash = interactionId === undefined ? null : hashToken(interactionId)
  const pushedHash = pushedId === undefined ? null : hashToken(pushedId)
  const [result] = await sql<{ isFirst: boolean }[]>`
    with alive as (
      select from session_bindings
      where token_hash = ${callerHash} and ${isUnchangedClient(sql, client.clientId, client.version)}
      for no key update
    ), spent as (
      delete from provider_artifacts
      where issuer = 'passport' and kind = 'Interaction' and id_hash = ${interactionHash} and exists (select from alive)
      returning id_hash
    ), continued as (
      select from alive where ${interactionHash}::text is null or exists (select from spent)
    ), pushed as (
      update provider_artifacts set consumed_at = now()
      where issuer = 'passport' and kind = 'PushedAuthorizationRequest' and id_hash = ${pushedHash}
        and consumed_at is null and exists (select from continued)
      returning id_hash
    ), first as (
      select from continued
      where ${pushedHash}::text is null or exists (select from pushed) or not exists (
        select from provider_artifacts
        where issuer = 'passport' and kind = 'PushedAuthorizationRequest' and id_hash = ${pushedHash}
      )
    ), bound as (
      update session_bindings set provider_session = ${providerSession}
      where token_hash = ${callerHash} and provider_session is distinct from ${providerSession}
        and exists (select from first)
    ), issued as (
      select kind, id_hash, payload, account_id, grant_id, uid, login_id, browser_id,
        now() + make_interval(secs => seconds) as expires_at
      from jsonb_to_recordset(${sql.json(artifacts.map(toAuthorizationRow))}) as issued (
        kind text, id_hash text, payload jsonb, account_id text, grant_id text, uid text, login_id text, browser_id text,
        seconds float8
      )
      where exists (select from first)
    ), code as (
      insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at)
      select 'passport', kind, id_hash, payload, account_id, grant_id, expires_at from issued
      where kind = 'AuthorizationCode'
    ), saved as (
      insert into provider_artifacts as stored (
        issuer, kind, id_hash, payload, account_id, uid, login_id, browser_id, expires_at
      )
      select 'passport', kind, id_hash, payload, account_id, uid, login_id, browser_id, expires_at
      from issued where kind <> 'AuthorizationCode'
      on conflict (issuer, kind, id_hash) do update set
        -- The other clients of a session stay.
        payload = case when stored.kind = 'Session' and stored.expires_at > now() then excluded.payload || jsonb_build_object('authorizations',
            coalesce(stored.payload -> 'authorizations', '{}') || (excluded.payload -> 'authorizations'))
          else excluded.payload end,
        account_id = excluded.account_id, login_id = excluded.login_id, browser_id = excluded.browser_id,
        expires_at = excluded.expires_at
    )${insertEvents ? sql`, events as (${insertEvents(sql`first`)})` : sql``}
    select exists (select from first) as is_first`
  return result?.isFirst ?? false
}

const toAuthorizationRow = (artifact: NewArtifact) => ({
  ...toRow(artifact),
  uid: artifact.uid,
  login_id: artifact.signIn?.loginId ?? null,
  browser_id: artifact.signIn?.browserId ?? null,
})

/**
 * Spends a code or a refresh token and saves the tokens issued for it, in one statement. Returns false if it was
 * already spent or does not exist. A spent refresh token has the hash of its successor, and no longer its own encrypted
 * value.
 */
export async function spendForTokens(
  sql: Sql,
  issuer: IssuerName,
  { kind, id }: { kind: string; id: string },
  issued: NewArtifact[],
  successor?: { id: string; sealedValue: string },
): Promise<boolean> {
  const successorHash = successor === undefined ? null : hashToken(successor.id)
  const saved = await sql`
    with spent as (
      update provider_artifacts
      set consumed_at = now(), successor_hash = ${successorHash}, sealed_value = null
      where issuer = ${issuer} and kind = ${kind} and id_hash = ${hashToken(id)} and consumed_at is null
      returning id_hash
    )
    insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at, sealed_value)
    select ${issuer}, kind, issued.id_hash, payload::jsonb, account_id, grant_id,
      now() + make_interval(secs => seconds::float8),
      case when issued.id_hash = ${successorHash} then ${successor?.sealedValue ?? null} end
    from spent, (values ${sql(toTokenRows(issued))}) as issued (kind, id_hash, payload, account_id, grant_id, seconds)`
  return saved.count > 0
}

/**
 * Saves tokens for a client that presented a spent refresh token again, which counts as spent now. Returns false if its
 * successor was used or does not exist.
 */
export async function saveBesideUnusedSuccessor(
  sql: Sql,
  issuer: IssuerName,
  { spentId, successorId }: { spentId: string; successorId: string },
  issued: NewArtifact[],
): Promise<boolean> {
  const saved = await sql`
    with unused as (
      select from provider_artifacts
      where issuer = ${issuer} and kind = 'RefreshToken' and id_hash = ${hashToken(successorId)}
        and consumed_at is null and expires_at > now()
    ), spent as (
      update provider_artifacts set consumed_at = now()
      where issuer = ${issuer} and kind = 'RefreshToken' and id_hash = ${hashToken(spentId)} and exists (select from unused)
    )
    insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at)
    select ${issuer}, kind, id_hash, payload::jsonb, account_id, grant_id, now() + make_interval(secs => seconds::float8)
    from (values ${sql(toTokenRows(issued))}) as issued (kind, id_hash, payload, account_id, grant_id, seconds)
    where exists (select from unused)`
  return saved.count > 0
}

/** The columns of tokens, as text; the types of the driver know no null in a list of values. */
const toTokenRows = (issued: NewArtifact[]) =>
  issued.map(({ kind, id, payload, accountId, grantId, expiresInSeconds }) => [
    kind,
    hashToken(id),
    JSON.stringify(payload),
    accountId,
    grantId,
    String(expiresInSeconds),
  ]) as string[][]

const toRow = ({ issuer, kind, id, payload, accountId, grantId, expiresInSeconds }: NewArtifact) => ({
  issuer,
  kind,
  id_hash: hashToken(id),
  payload: payload as never,
  account_id: accountId,
  grant_id: grantId,
  seconds: expiresInSeconds,
})

export interface Successor {
  /** The successor, encrypted under a key of the spent token. */
  sealedValue: string
  /** The time at which the successor was last issued for the spent token, in seconds since 1970. */
  issuedAt: number
  /** The seconds since `issuedAt`. */
  ageSeconds: number
}

/** Returns the refresh token that replaced a spent one, as long as it is unused. */
export async function findUnusedSuccessor(
  sql: Sql,
  issuer: IssuerName,
  spentId: string,
): Promise<Successor | undefined> {
  const [successor] = await sql<Successor[]>`
    select successor.sealed_value, extract(epoch from spent.consumed_at)::float8 as issued_at,
      extract(epoch from now() - spent.consumed_at)::float8 as age_seconds
    from provider_artifacts spent
    join provider_artifacts successor on successor.issuer = spent.issuer and successor.kind = spent.kind
      and successor.id_hash = spent.successor_hash
    where spent.issuer = ${issuer} and spent.kind = 'RefreshToken' and spent.id_hash = ${hashToken(spentId)}
      and successor.sealed_value is not null and successor.consumed_at is null and successor.expires_at > now()`
  return successor
}

/**
 * Returns the time of the last issue of a refresh token, in seconds since 1970. All have the same lifetime, so the last
 * one to expire is the newest.
 */
export async function findLastIssuedAt(sql: Sql, issuer: IssuerName): Promise<number | undefined> {
  const [newest] = await sql<{ issuedAt: number | null }[]>`
    select coalesce(
      (select (payload->>'iat')::float8 from provider_tokens
        where issuer = ${issuer} and kind = 'RefreshToken' order by expires_at desc limit 1),
      -- That of the release before, which saved its tokens with the other artifacts.
      (select (payload->>'iat')::float8 from only provider_artifacts
        where issuer = ${issuer} and kind = 'RefreshToken' order by expires_at desc limit 1)
    ) as issued_at`
  return newest?.issuedAt ?? undefined
}

/** Removes an artifact; a grant with its codes and tokens. */
export async function removeArtifact(sql: Sql, issuer: IssuerName, kind: string, id: string): Promise<void> {
  if (kind !== 'Grant') {
    await sql`delete from provider_artifacts where issuer = ${issuer} and kind = ${kind} and id_hash = ${hashToken(id)}`
    return
  }
  await sql`
    with ended as (
      delete from provider_artifacts where issuer = ${issuer} and kind = 'Grant' and id_hash = ${hashToken(id)}
      returning account_id
    )
    delete from provider_tokens
    where account_id = (select account_id from ended) and grant_id = ${id} and issuer = ${issuer}`
}

/** Ends a token of a client by its id: an access token alone, a refresh token with its grant and all tokens of it. */
export async function revokeToken(sql: Sql, clientId: string, id: string): Promise<void> {
  await sql`
    with found as (
      select kind, id_hash, account_id, case when kind = 'RefreshToken' then grant_id end as ended_grant
      from provider_tokens
      where issuer = 'passport' and kind in ('AccessToken', 'ClientCredentials', 'RefreshToken')
        and id_hash = ${hashToken(id)} and payload ->> 'clientId' = ${clientId}
    ), ended as (
      delete from provider_artifacts
      where issuer = 'passport' and kind = 'Grant' and id_hash in (select artifact_hash(ended_grant) from found)
    )
    delete from provider_tokens token using found
    where token.issuer = 'passport' and (
      (token.kind = found.kind and token.id_hash = found.id_hash)
      or (token.account_id = found.account_id and token.grant_id = found.ended_grant)
    )`
}

/** Ends a grant of a user with every code and token that was issued for it. */
export async function endGrant(sql: Sql, { id, userId }: { id: string; userId: string }): Promise<void> {
  await sql`
    delete from provider_artifacts
    where account_id = ${userId} and issuer = 'passport'
      and (grant_id = ${id} or (kind = 'Grant' and id_hash = ${hashToken(id)}))`
}

/**
 * Ends the issuer's sessions of browsers with their grants and tokens, except those of clients with offline access
 * (`offline_access`). Queues the logout notices for their clients.
 */
export async function endProviderSessions(sql: Sql, uids: string[]): Promise<void> {
  if (uids.length === 0) return
  await sql`
    insert into logout_notices (client_id, account_id, sid)
    select granted.key, account_id, granted.value ->> 'sid'
    from provider_artifacts, jsonb_each(coalesce(payload -> 'authorizations', '{}')) as granted
    where uid = any(${uids}) and kind = 'Session' and issuer = 'passport' and account_id is not null
      and granted.value ->> 'sid' is not null`
  const grants = await sql<{ grantId: string; accountId: string | null }[]>`
    with ended as (
      delete from provider_artifacts where uid = any(${uids}) and kind = 'Session' returning payload, account_id
    )
    select granted.value ->> 'grantId' as grant_id, account_id
    from ended, jsonb_each(coalesce(ended.payload -> 'authorizations', '{}')) as granted
    where granted.value ->> 'grantId' is not null and not coalesce((granted.value ->> 'persistsLogout')::boolean, false)`
  if (grants.length === 0) return
  const grantIds = grants.map(({ grantId }) => grantId)
  await sql`
    with tokens as (
      delete from provider_tokens
      where account_id = any(${grants.map(({ accountId }) => accountId)}) and grant_id = any(${grantIds})
    )
    delete from only provider_artifacts
    where grant_id = any(${grantIds})
      or (issuer = 'passport' and kind = 'Grant' and id_hash = any(${grantIds.map(hashToken)}))`
}

/** Ends all grants of a user to a client, with every code and token issued for them. */
export async function endGrantsForClient(sql: Sql, accountId: string, clientId: string): Promise<void> {
  await sql`
    delete from provider_artifacts
    where account_id = ${accountId} and issuer = 'passport' and payload ->> 'clientId' = ${clientId}`
}

/**
 * Ends all grants, codes and tokens of a client, at both issuers. Sessions forget it, so that no later client with the same id
 * is notified when they end. Scans the whole table.
 */
export async function endClient(sql: Sql, clientId: string): Promise<void> {
  await sql`delete from provider_artifacts where payload ->> 'clientId' = ${clientId}`
  await sql`
    update only provider_artifacts set payload = payload #- array['authorizations', ${clientId}::text]
    where kind = 'Session' and payload -> 'authorizations' ? ${clientId}`
  await sql`delete from logout_notices where client_id = ${clientId}`
}

/** Ends the grants of logins of these users, and those of unknown logins, with every code and token issued for them. */
export const endGrantsByLogins = (sql: Sql, accountIds: string[], loginIds: string[]): Promise<number> =>
  endGrants(sql, accountIds, sql`(login_id is null or login_id = any(${loginIds}))`)

/** Ends the grants of sign-ins in a browser, with every code and token issued for them; returns how many refresh tokens. */
export const endGrantsByBrowser = (sql: Sql, accountId: string, browserId: string): Promise<number> =>
  endGrants(sql, [accountId], sql`browser_id = ${browserId}`)

async function endGrants(sql: Sql, accountIds: string[], condition: Fragment): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with ended as (
      delete from provider_artifacts
      where account_id = any(${accountIds}) and issuer = 'passport' and kind = 'Grant' and ${condition}
      returning id_hash
    ), removed as (
      delete from provider_artifacts
      where account_id = any(${accountIds}) and issuer = 'passport'
        and translate(encode(sha256(convert_to(grant_id, 'UTF8')), 'base64'), '+/=', '-_') in (select id_hash from ended)
      returning kind, consumed_at, expires_at
    )
    select count(*)::integer as count from removed
    where kind = 'RefreshToken' and consumed_at is null and expires_at > now()`
  return row?.count ?? 0
}

/** Counts the refresh tokens that users' clients can use, by user. */
export async function countRefreshTokens(sql: Sql, accountIds: string[]): Promise<Map<string, number>> {
  const rows = await sql<{ accountId: string; count: number }[]>`
    select account_id, count(*)::integer as count from provider_artifacts
    where account_id = any(${accountIds}) and issuer = 'passport' and kind = 'RefreshToken' and consumed_at is null
      and expires_at > now()
    group by account_id`
  return new Map(rows.map(({ accountId, count }) => [accountId, count]))
}

/** Ends all sessions and grants of users at an issuer, by their account ids. */
export async function endAllSessionsAndGrants(
  sql: Sql,
  issuer: IssuerName,
  accountIds: string | string[],
): Promise<void> {
  const accounts = [accountIds].flat()
  const sessions = await sql<{ uid: string }[]>`
    select uid from provider_artifacts
    where account_id = any(${accounts}) and issuer = ${issuer} and kind = 'Session'`
  await endProviderSessions(
    sql,
    sessions.map(({ uid }) => uid),
  )
  await sql`delete from provider_artifacts where account_id = any(${accounts}) and issuer = ${issuer}`
}

/** A valid access token, by the hash of its id. */
export interface IssuedAccessToken {
  id: string
  /** Scopes separated by spaces. */
  scope: string
  /** ISO 8601. */
  issuedAt: string
  /** ISO 8601. */
  expiresAt: string
}

/** Lists at most `limit` valid access tokens that a client got for a user, newest first. */
export async function listAccessTokens(
  sql: Sql,
  accountId: string,
  clientId: string,
  limit: number,
): Promise<IssuedAccessToken[]> {
  return sql<IssuedAccessToken[]>`
    select id_hash as id, coalesce(payload->>'scope', '') as scope,
      to_timestamp((payload->>'iat')::float8)::timestamptz(3) as issued_at, expires_at
    from provider_artifacts
    where account_id = ${accountId} and issuer = 'passport' and kind = 'AccessToken'
      and payload->>'clientId' = ${clientId} and expires_at > now()
    order by expires_at desc, id_hash limit ${limit}`
}

/** Removes a valid access token that a client got for a user; undefined if there is none. */
export async function removeAccessToken(
  sql: Sql,
  accountId: string,
  clientId: string,
  id: string,
): Promise<Pick<IssuedAccessToken, 'scope' | 'issuedAt'> | undefined> {
  const [removed] = await sql<Pick<IssuedAccessToken, 'scope' | 'issuedAt'>[]>`
    delete from provider_artifacts
    where issuer = 'passport' and kind = 'AccessToken' and id_hash = ${id} and account_id = ${accountId}
      and payload->>'clientId' = ${clientId} and expires_at > now()
    returning coalesce(payload->>'scope', '') as scope,
      to_timestamp((payload->>'iat')::float8)::timestamptz(3) as issued_at`
  return removed
}

/**
 * Saves the grant of a device, and adds it with what else its user decided to the device code. Returns false, and saves
 * nothing, if the code has ended.
 */
export async function approveDeviceCode(
  sql: Sql,
  userCode: string,
  approval: Record<string, unknown>,
  { id: grantId, payload, accountId, signIn, expiresInSeconds }: NewArtifact,
): Promise<boolean> {
  const approved = await sql`
    with code as (
      update provider_artifacts
      set account_id = ${accountId}, grant_id = ${grantId}, payload = payload || ${sql.json(approval as never)}
      where issuer = 'passport' and user_code_hash = ${hashToken(userCode)} and expires_at > now()
        and consumed_at is null
      returning payload ->> 'clientId' as client_id
    )
    insert into provider_artifacts (
      issuer, kind, id_hash, payload, account_id, login_id, browser_id, expires_at
    )
    select 'passport', 'Grant', ${hashToken(grantId ?? '')}, ${sql.json(payload as never)} || jsonb_build_object('clientId', client_id),
      ${accountId}, ${signIn?.loginId ?? null}, ${signIn?.browserId ?? null},
      now() + make_interval(secs => ${expiresInSeconds})
    from code`
  return approved.count > 0
}

/** Ends device codes by the hashes of their user codes. */
export async function endDeviceCodes(sql: Sql, userCodeHashes: string[]): Promise<void> {
  await sql`delete from provider_artifacts where issuer = 'passport' and user_code_hash = any(${userCodeHashes})`
}

export interface LogoutNotice {
  id: string
  clientId: string
  accountId: string
  sid: string
  /** The number of attempts, including the current one. */
  attempts: number
}

/**
 * Leases at most 20 due notices. A notice that is not removed becomes due again, with increasing delays. Those of disabled
 * clients wait until these are enabled.
 */
export async function leaseLogoutNotices(sql: Sql): Promise<LogoutNotice[]> {
  return sql<LogoutNotice[]>`
    update logout_notices set attempts = attempts + 1, due_at = now() + make_interval(mins => (2 ^ attempts)::integer)
    where id in (
      select id from logout_notices n
      where due_at <= now() and not exists (select from disabled_clients c where c.client_id = n.client_id)
      order by due_at limit 20 for update skip locked
    )
    returning id, client_id, account_id, sid, attempts`
}

export async function removeLogoutNotice(sql: Sql, id: string): Promise<void> {
  await sql`delete from logout_notices where id = ${id}`
}

/** Removes the notice of a client that was not found, unless it has just been disabled. */
export async function removeUnaddressedNotice(sql: Sql, id: string): Promise<void> {
  await sql`
    delete from logout_notices n
    where id = ${id} and not exists (select from disabled_clients c where c.client_id = n.client_id)`
}

/** Deletes at most `limit` notices that are older than `days`; returns their number. */
export async function sweepLogoutNotices(sql: Sql, days: number, limit: number): Promise<number> {
  const removed = await sql`
    delete from logout_notices where id in (
      select id from logout_notices where created_at < now() - make_interval(days => ${days}) limit ${limit})`
  return removed.count
}

/** Records an id for `seconds`, for all servers; returns false if it is already recorded. */
export async function recordOnce(sql: Sql, id: string, seconds: number): Promise<boolean> {
  const inserted = await sql`
    insert into provider_artifacts (issuer, kind, id_hash, payload, expires_at)
    values ('passport', 'Proof', ${hashToken(id)}, '{}', now() + make_interval(secs => ${seconds}))
    on conflict do nothing returning kind`
  return inserted.length > 0
}

/**
 * Deletes at most `limit` expired artifacts; returns their number. A row that changes at the same time, such as a session
 * that is used, gets another `ctid` and stays.
 */
export async function sweepArtifacts(sql: Sql, limit: number): Promise<number> {
  const tokens = await sql`
    delete from provider_tokens
    where ctid = any(array(select ctid from provider_tokens where expires_at <= now() limit ${limit}))`
  const others = await sql`
    delete from only provider_artifacts
    where ctid = any(array(
      select ctid from only provider_artifacts where expires_at <= now() limit ${limit - tokens.count}))`
  return tokens.count + others.count
}

interface UnmarkedId {
  issuer: IssuerName
  kind: string
  idHash: string
  sealedId: string
  cursor: string
}

/** Lists artifacts with an encrypted id without this mark. A hash identifies one artifact, as ids are random. */
export async function listUnmarkedIds(sql: Sql, mark: string, after: string, limit: number): Promise<UnmarkedId[]> {
  return sql<UnmarkedId[]>`
    select issuer, kind, id_hash, sealed_id, id_hash as cursor from only provider_artifacts
    where not starts_with(sealed_id, ${mark}) and id_hash > ${after} and expires_at > now()
    order by id_hash limit ${limit}`
}

export async function replaceSealedId(sql: Sql, idHash: string, former: string, sealed: string): Promise<void> {
  await sql`update only provider_artifacts set sealed_id = ${sealed} where id_hash = ${idHash} and sealed_id = ${former}`
}

/** Counts the artifacts without this mark. */
export async function countUnmarkedIds(sql: Sql, mark: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from only provider_artifacts
    where not starts_with(sealed_id, ${mark}) and expires_at > now()`
  return row?.count ?? 0
}

export interface TokenCaller {
  userId: string
  username: string | null
  displayName: string | null
  email: string | null
  roles: string[]
  orgs: { id: string; name: string; role: string }[]
  pictureHash: string | null
}

/** Returns the enabled user of a valid access token of an enabled client, in one statement. */
export async function findTokenCaller(sql: Sql, jti: string): Promise<TokenCaller | undefined> {
  const [caller] = await sql<TokenCaller[]>`
    select user_id, username, display_name, email, roles, orgs, picture_hash from token_callers
    where id_hash = ${hashToken(jti)} and (expires_at > now()) is true`
  return caller
}
