import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'

/** Which of the two issuers of this server something belongs to. */
export type IssuerName = 'passport' | 'directory'

/** A reader of artifacts that are consumed hears of it only this long after: the loser of a race is no thief. */
const graceSeconds = 3

export interface Artifact {
  payload: Record<string, unknown>
  sealedId: string | null
  consumed: boolean
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
  expiresInSeconds: number
}

export async function saveArtifact(sql: Sql, artifact: NewArtifact): Promise<void> {
  const { issuer, kind, id, payload, sealedId, accountId, grantId, uid, userCode = null, expiresInSeconds } = artifact
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

export async function findArtifact(
  sql: Sql,
  issuer: IssuerName,
  kind: string,
  id: string,
): Promise<Artifact | undefined> {
  const [found] = await sql<Artifact[]>`
    select payload, sealed_id, coalesce(consumed_at < now() - make_interval(secs => ${graceSeconds}), false) as consumed
    from provider_artifacts
    where issuer = ${issuer} and kind = ${kind} and id_hash = ${hashToken(id)} and expires_at > now()`
  return found
}

/** A device code by the code that the person types. */
export async function findArtifactByUserCode(
  sql: Sql,
  issuer: IssuerName,
  userCode: string,
): Promise<Artifact | undefined> {
  const [found] = await sql<Artifact[]>`
    select payload, sealed_id, consumed_at is not null as consumed from provider_artifacts
    where issuer = ${issuer} and user_code_hash = ${hashToken(userCode)} and expires_at > now()`
  return found
}

export async function findArtifactByUid(
  sql: Sql,
  issuer: IssuerName,
  kind: string,
  uid: string,
): Promise<Artifact | undefined> {
  const [found] = await sql<Artifact[]>`
    select payload, sealed_id, false as consumed from provider_artifacts
    where uid = ${uid} and issuer = ${issuer} and kind = ${kind} and expires_at > now()`
  return found
}

/** Spends something that may be spent once; true for one caller only, however many ask at the same time. */
export async function consumeArtifact(sql: Sql, issuer: IssuerName, kind: string, id: string): Promise<boolean> {
  const spent = await sql`
    update provider_artifacts set consumed_at = now()
    where issuer = ${issuer} and kind = ${kind} and id_hash = ${hashToken(id)} and consumed_at is null
    returning kind`
  return spent.length > 0
}

export async function removeArtifact(sql: Sql, issuer: IssuerName, kind: string, id: string): Promise<void> {
  await sql`delete from provider_artifacts where issuer = ${issuer} and kind = ${kind} and id_hash = ${hashToken(id)}`
}

export async function removeArtifactsOfGrant(
  sql: Sql,
  issuer: IssuerName,
  kind: string,
  grantId: string,
): Promise<void> {
  await sql`delete from provider_artifacts where grant_id = ${grantId} and issuer = ${issuer} and kind = ${kind}`
}

/**
 * Ends the session that the issuer keeps for a browser, with the grants and tokens that were to last as long as it:
 * all but those of clients that were allowed to act while the person is away (`offline_access`).
 */
export async function endProviderSession(sql: Sql, uid: string): Promise<void> {
  await sql`
    insert into logout_notices (client_id, account_id, sid)
    select granted.key, account_id, granted.value ->> 'sid'
    from provider_artifacts, jsonb_each(coalesce(payload -> 'authorizations', '{}')) as granted
    where uid = ${uid} and kind = 'Session' and issuer = 'passport' and account_id is not null
      and granted.value ->> 'sid' is not null`
  const grants = await sql<{ grantId: string }[]>`
    with ended as (
      delete from provider_artifacts where uid = ${uid} and kind = 'Session' returning payload
    )
    select granted.value ->> 'grantId' as grant_id
    from ended, jsonb_each(coalesce(ended.payload -> 'authorizations', '{}')) as granted
    where granted.value ->> 'grantId' is not null and not coalesce((granted.value ->> 'persistsLogout')::boolean, false)`
  for (const { grantId } of grants) await endGrant(sql, grantId)
}

/** Ends what a person allowed one client, with every token that came of it. */
async function endGrant(sql: Sql, grantId: string): Promise<void> {
  await sql`
    delete from provider_artifacts
    where grant_id = ${grantId} or (issuer = 'passport' and kind = 'Grant' and id_hash = ${hashToken(grantId)})`
}

/** Ends all that a person allowed one client, with every code and token that came of it. */
export async function endGrantsOf(sql: Sql, accountId: string, clientId: string): Promise<void> {
  await sql`
    delete from provider_artifacts
    where account_id = ${accountId} and issuer = 'passport' and payload ->> 'clientId' = ${clientId}`
}

/** Keeps by which login someone was signed in who made a grant, or added to it. */
export async function noteLoginOfGrant(sql: Sql, grantId: string, loginId: string | undefined): Promise<void> {
  await sql`
    update provider_artifacts set login_id = ${loginId ?? null}
    where issuer = 'passport' and kind = 'Grant' and id_hash = ${hashToken(grantId)}`
}

/** Ends what a person allowed while they were signed in by one login, or by nobody knows which, with all that came of it. */
export async function endGrantsByLogin(sql: Sql, accountId: string, loginId: string): Promise<void> {
  await sql`
    with ended as (
      delete from provider_artifacts
      where account_id = ${accountId} and issuer = 'passport' and kind = 'Grant' and coalesce(login_id, ${loginId}) = ${loginId}
      returning id_hash
    )
    delete from provider_artifacts
    where account_id = ${accountId} and issuer = 'passport'
      and translate(encode(sha256(convert_to(grant_id, 'UTF8')), 'base64'), '+/=', '-_') in (select id_hash from ended)`
}

/** Ends everything that an issuer keeps for people, by the ids by which it knows them. */
export async function endAllOf(sql: Sql, issuer: IssuerName, accountIds: string | string[]): Promise<void> {
  const accounts = [accountIds].flat()
  const sessions = await sql<{ uid: string }[]>`
    select uid from provider_artifacts
    where account_id = any(${accounts}) and issuer = ${issuer} and kind = 'Session'`
  for (const { uid } of sessions) await endProviderSession(sql, uid)
  await sql`delete from provider_artifacts where account_id = any(${accounts}) and issuer = ${issuer}`
}

/** Ends the codes of devices that nobody has decided on yet. */
export async function endDeviceCodes(sql: Sql, userCodeHashes: string[]): Promise<void> {
  await sql`delete from provider_artifacts where issuer = 'passport' and user_code_hash = any(${userCodeHashes})`
}

export interface LogoutNotice {
  id: string
  clientId: string
  accountId: string
  sid: string
  /** This one included. */
  attempts: number
}

/** Takes some notices that are due; whoever does not remove them leaves them to be tried later, and later each time. */
export async function leaseLogoutNotices(sql: Sql): Promise<LogoutNotice[]> {
  return sql<LogoutNotice[]>`
    update logout_notices set attempts = attempts + 1, due_at = now() + make_interval(mins => (2 ^ attempts)::integer)
    where id in (select id from logout_notices where due_at <= now() order by due_at limit 20 for update skip locked)
    returning id, client_id, account_id, sid, attempts`
}

export async function removeLogoutNotice(sql: Sql, id: string): Promise<void> {
  await sql`delete from logout_notices where id = ${id}`
}

/** Whether something is seen for the first time; it is remembered for so long, by every server. */
export async function rememberOnce(sql: Sql, id: string, seconds: number): Promise<boolean> {
  const remembered = await sql`
    insert into provider_artifacts (issuer, kind, id_hash, payload, expires_at)
    values ('passport', 'Proof', ${hashToken(id)}, '{}', now() + make_interval(secs => ${seconds}))
    on conflict do nothing returning kind`
  return remembered.length > 0
}

/** Removes at most `limit` artifacts whose time is over; returns how many. */
export async function sweepArtifacts(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from provider_artifacts where (issuer, kind, id_hash) in (
      select issuer, kind, id_hash from provider_artifacts where expires_at <= now() limit ${limit})`
  return removed.count
}

export interface SigningKey {
  kid: string
  alg: string
  sealedJwk: string
  /** ISO 8601. */
  signsFrom: string
}

/** The keys of an issuer, those that sign latest first. */
export async function listKeys(sql: Sql, issuer: IssuerName): Promise<SigningKey[]> {
  return sql<SigningKey[]>`
    select kid, alg, sealed_jwk, signs_from from signing_keys where issuer = ${issuer}
    order by signs_from desc, kid`
}

export async function addKey(sql: Sql, issuer: IssuerName, key: SigningKey): Promise<void> {
  await sql`
    insert into signing_keys (kid, issuer, alg, sealed_jwk, signs_from)
    values (${key.kid}, ${issuer}, ${key.alg}, ${key.sealedJwk}, ${key.signsFrom})`
}

export async function removeKey(sql: Sql, kid: string): Promise<void> {
  await sql`delete from signing_keys where kid = ${kid}`
}

export interface TokenCaller {
  userId: string
  username: string | null
  displayName: string | null
  email: string | null
  roles: string[]
  orgs: { id: string; name: string; role: string }[]
}

/** The enabled person of a living access token, in one statement. */
export async function findTokenCaller(sql: Sql, jti: string): Promise<TokenCaller | undefined> {
  const [person] = await sql<TokenCaller[]>`
    select user_id, username, display_name, email, roles, orgs from token_callers
    where id_hash = ${hashToken(jti)} and expires_at > now()`
  return person
}
