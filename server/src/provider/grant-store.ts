import { combineLookups, toRows } from '../database/combine.ts'
import type { Sql } from '../database/sql.ts'
import type { ClaimedUser } from '../oauth/claims.ts'
import { hashToken } from '../vault.ts'
import * as store from './store.ts'

/** What an application exchanges for tokens. */
export type GrantSourceKind = 'AuthorizationCode' | 'DeviceCode' | 'RefreshToken'

/** An authorization of a client by a user. */
export interface Grant {
  id: string
  userId: string
  clientId: string
  /** The session that it ends with, unless it is offline; undefined for a device. */
  sessionId: string | undefined
  /** The public id of the session, for ID tokens and logout tokens. */
  sid: string | undefined
  scopes: string[]
  /** The audiences of its APIs; without one, its access tokens are for user info. */
  audiences: string[]
  nonce: string | undefined
  /** Seconds since 1970. */
  authTime: number | undefined
  amr: string[] | undefined
  acr: string | undefined
  /** Whether it survives its session (`offline_access`). */
  isOffline: boolean
}

/** A user as tokens describe them; roles and organisations are empty without an API. */
export interface GrantUser extends ClaimedUser {
  roles: string[]
  orgs: { id: string }[]
}

/** A grant with its user. */
export interface Authorization {
  grant: Grant
  user: GrantUser
}

/** A code or a refresh token that has not expired, spent or not, with what decides about its exchange. */
export interface GrantSource {
  kind: GrantSourceKind
  /** Its value. */
  value: string
  clientId: string
  /** The version of the client that it was issued to; null for one that is disabled. */
  clientVersion: number | null
  /** The seconds since it was spent; null for an unspent one. */
  spentSeconds: number | null
  /** Undefined if the grant, its session or its user has ended, or if a device awaits its user. */
  authorization: Authorization | undefined
  redirectUri: string | undefined
  /** The PKCE challenge of a code. */
  codeChallenge: string | undefined
  /** The thumbprint of the DPoP key that it is bound to. */
  jkt: string | undefined
}

/** An access token that is issued for a grant or to a client. */
export interface IssuedAccessToken {
  jti: string
  /** The audience of its API; undefined for user info. */
  audience: string | undefined
  /** Separated by spaces. */
  scope: string
  jkt: string | undefined
  /** The current time in seconds since 1970. */
  now: number
  lifetimeSec: number
}

export interface IssuedRefreshToken {
  value: string
  jkt: string | undefined
  lifetimeSec: number
}

/** The tokens that are issued for a grant. */
interface GrantTokens {
  accessToken: IssuedAccessToken
  refreshToken?: IssuedRefreshToken | undefined
}

/** Finds what applications exchange for tokens. Look-ups at the same time share a statement. */
export type FindGrantSource = (kind: GrantSourceKind, value: string) => Promise<GrantSource | undefined>

/** What is stored of a code, a device code or a refresh token. Times are in seconds since 1970. */
interface Payload {
  clientId: string
  scope?: string
  resource?: string | string[]
  sessionUid?: string
  expiresWithSession?: boolean
  sid?: string
  nonce?: string
  authTime?: number
  amr?: string[]
  acr?: string
  redirectUri?: string
  codeChallenge?: string
  dpopJkt?: string
  jkt?: string
}

interface SourceRow extends Omit<ClaimedUser, 'id'> {
  idHash: string
  kind: GrantSourceKind
  payload: Payload
  grantId: string | null
  spentSeconds: number | null
  clientVersion: number | null
  hasGrant: boolean
  hasSession: boolean
  userId: string | null
  roles: string[]
  orgs: { id: string }[]
}

export function createGrantSources(sql: Sql): FindGrantSource {
  const find = combineLookups(async (hashes) => {
    const rows = await sql<SourceRow[]>`
      select asked.id_hash, source.* from ${toRows(sql, hashes)} as asked (id_hash),
        lateral (
          select kind, payload, grant_id, spent_seconds, client_version, has_grant, has_session, user_id, username,
            display_name, email, email_verified,
            case when payload ? 'resource' then roles else '{}' end as roles,
            case when payload ? 'resource' then orgs else '[]' end as orgs
          from grant_sources s where s.id_hash = asked.id_hash limit 1
        ) as source`
    return new Map(rows.map((row) => [row.idHash, row]))
  })
  return async (kind, value) => {
    const row = await find(hashToken(value))
    return row?.kind === kind ? toSource(row, value) : undefined
  }
}

function toSource(
  { idHash, kind, payload, grantId, spentSeconds, clientVersion, hasGrant, hasSession, userId, ...user }: SourceRow,
  value: string,
): GrantSource {
  const isAlive = hasGrant && hasSession && userId !== null && grantId !== null
  return {
    kind,
    value,
    clientId: payload.clientId,
    clientVersion,
    spentSeconds,
    authorization: isAlive ? { grant: toGrant(grantId, userId, payload), user: { ...user, id: userId } } : undefined,
    redirectUri: payload.redirectUri,
    codeChallenge: payload.codeChallenge,
    jkt: payload.dpopJkt ?? payload.jkt,
  }
}

function toGrant(id: string, userId: string, payload: Payload): Grant {
  const {
    clientId,
    sessionUid,
    sid,
    scope = '',
    resource = [],
    nonce,
    authTime,
    amr,
    acr,
    expiresWithSession,
  } = payload
  return {
    id,
    userId,
    clientId,
    sessionId: sessionUid,
    sid,
    scopes: scope.split(' ').filter(Boolean),
    audiences: [resource].flat(),
    nonce,
    authTime,
    amr,
    acr,
    isOffline: expiresWithSession !== true,
  }
}

/**
 * Spends a code and saves the tokens that are issued for it, in one statement. Returns false, and saves nothing, if it was
 * already spent or does not exist.
 */
export const exchange = (sql: Sql, source: GrantSource, grant: Grant, tokens: GrantTokens): Promise<boolean> =>
  store.spendForTokens(sql, 'passport', { kind: source.kind, id: source.value }, toArtifacts(grant, tokens))

/**
 * Spends a refresh token and saves its successor with the other tokens that are issued for it; see `exchange`. The
 * successor is stored with its value, encrypted under a key of the spent token, until it is used (decision 0040).
 */
export function rotate(
  sql: Sql,
  source: GrantSource,
  grant: Grant,
  tokens: GrantTokens & { refreshToken: IssuedRefreshToken },
  sealedValue: string,
): Promise<boolean> {
  const successor = { id: tokens.refreshToken.value, sealedValue }
  const spent = { kind: source.kind, id: source.value }
  return store.spendForTokens(sql, 'passport', spent, toArtifacts(grant, tokens), successor)
}

/**
 * Saves an access token for a client that presented a spent refresh token again, which counts as spent now. Returns false,
 * and saves nothing, if its successor was used or does not exist.
 */
export const saveBesideSuccessor = (
  sql: Sql,
  { value: spentId }: GrantSource,
  successorId: string,
  grant: Grant,
  accessToken: IssuedAccessToken,
): Promise<boolean> =>
  store.saveBesideUnusedSuccessor(sql, 'passport', { spentId, successorId }, toArtifacts(grant, { accessToken }))

/** Saves a token of a client on its own behalf. Returns false, and saves nothing, if the client has changed. */
export const saveClientToken = (
  sql: Sql,
  client: store.AuthenticatedClient,
  { jti, audience, scope, jkt, now, lifetimeSec }: IssuedAccessToken,
): Promise<boolean> => {
  const { clientId } = client
  const payload = { ...toTimes(now, lifetimeSec), kind: 'ClientCredentials', clientId, aud: audience, scope, jkt }
  return store.saveClientToken(sql, toArtifact('ClientCredentials', jti, payload, lifetimeSec), client)
}

function toArtifacts(grant: Grant, { accessToken, refreshToken }: GrantTokens): store.NewArtifact[] {
  const { id: grantId, userId: accountId, clientId, sessionId: sessionUid, sid, scopes, audiences, isOffline } = grant
  const shared = { clientId, accountId, grantId, sessionUid, sid, ...(!isOffline && { expiresWithSession: true }) }
  const { jti, audience: aud, scope, jkt, now, lifetimeSec } = accessToken
  const payload = { ...toTimes(now, lifetimeSec), ...shared, kind: 'AccessToken', aud, scope, jkt }
  const artifacts = [toArtifact('AccessToken', jti, payload, lifetimeSec, grant)]
  if (!refreshToken) return artifacts
  const { nonce, authTime, amr, acr } = grant
  const [first, ...others] = audiences
  const refreshPayload = {
    ...toTimes(now, refreshToken.lifetimeSec),
    ...shared,
    ...{ nonce, authTime, amr, acr },
    kind: 'RefreshToken',
    scope: scopes.join(' '),
    resource: others.length > 0 ? audiences : first,
    jkt: refreshToken.jkt,
  }
  return [...artifacts, toArtifact('RefreshToken', refreshToken.value, refreshPayload, refreshToken.lifetimeSec, grant)]
}

export const toTimes = (now: number, lifetimeSec: number) => ({ iat: now, exp: now + lifetimeSec })

export const toArtifact = (
  kind: string,
  id: string,
  payload: Record<string, unknown>,
  expiresInSeconds: number,
  grant?: Pick<Grant, 'id' | 'userId'>,
): store.NewArtifact => ({
  issuer: 'passport',
  kind,
  id,
  payload,
  sealedId: null,
  accountId: grant?.userId ?? null,
  grantId: grant?.id ?? null,
  uid: null,
  expiresInSeconds,
})
