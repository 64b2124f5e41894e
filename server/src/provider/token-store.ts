import { combineLookups, toRows } from '../database/combine.ts'
import type { Sql } from '../database/sql.ts'
import type { User } from '../users/store.ts'
import { hashToken } from '../vault.ts'
import { type AuthenticatedClient, isUnchangedClient } from './store.ts'

/** The kinds of tokens that an application presents. */
export type TokenKind = 'AccessToken' | 'ClientCredentials' | 'RefreshToken'

/** A token that was valid at the moment of the statement: not spent, not revoked, of an enabled user and client. */
export interface LiveToken {
  kind: TokenKind
  clientId: string
  /** Undefined for the token of a client on its own behalf. */
  userId: string | undefined
  scopes: string[]
  /** The audience of the API that the token is for; undefined for a token for user info, or a refresh token. */
  audience: string | undefined
  /** The session that the user signed in with, as applications see it. */
  sid: string | undefined
  /** The thumbprint of the key that the token is bound to. */
  jkt: string | undefined
  /** In seconds since 1970. */
  issuedAt: number
  /** In seconds since 1970. */
  expiresAt: number
}

/** An access token of a user, with the user and the scopes of OpenID Connect that they granted. */
export interface LiveUserToken extends LiveToken {
  user: Omit<User, 'disabledAt'>
  grantedScopes: string[]
}

/** What introspection finds for a client. */
export interface IntrospectedToken {
  /** Undefined for a token that is not valid. */
  token: LiveToken | undefined
}

/** Finds presented tokens, each by its id. Look-ups at the same time share a statement. */
export interface TokenStore {
  /** Finds a token of any kind for a client; undefined if the client is disabled or has changed since it was read. */
  findToken: (id: string, client: AuthenticatedClient) => Promise<IntrospectedToken | undefined>
  /** Finds an access token of a user. */
  findAccessToken: (id: string) => Promise<LiveUserToken | undefined>
}

/** What the database has of a token, by the names of the protocol. */
interface StoredPayload {
  clientId: string
  accountId?: string
  scope?: string
  aud?: string
  sid?: string
  jkt?: string
  iat: number
  exp: number
}

interface TokenRow {
  key: string
  kind: TokenKind
  payload: StoredPayload
}

interface UserTokenRow extends TokenRow, Omit<User, 'id' | 'disabledAt'> {
  userId: string
  grantedScope: string
}

export function createTokenStore(sql: Sql): TokenStore {
  const findToken = combineLookups(async (keys) => {
    const rows = await sql<(TokenRow | { key: string; kind: null })[]>`
      select asked.key, token.kind, token.payload
      from (select key, key::jsonb as parts from ${toRows(sql, keys)} as key) as asked
      left join lateral (
        select kind, payload from live_tokens t where t.id_hash = asked.parts ->> 0 limit 1
      ) as token on true
      where ${isUnchangedClient(sql, sql`asked.parts ->> 1`, sql`(asked.parts ->> 2)::integer`)}`
    return new Map(rows.map((row) => [row.key, { token: row.kind === null ? undefined : toToken(row) }]))
  })
  const findAccessToken = combineLookups(async (hashes) => {
    const rows = await sql<UserTokenRow[]>`
      select asked.key, token.* from ${toRows(sql, hashes)} as asked (key),
        lateral (
          select kind, payload, coalesce(grant_payload #>> '{openid,scope}', '') as granted_scope,
            user_id, username, display_name, email, email_verified
          from live_tokens t where t.kind = 'AccessToken' and t.id_hash = asked.key limit 1
        ) as token`
    return new Map(rows.map((row) => [row.key, toUserToken(row)]))
  })
  return {
    findToken: (id, { clientId, version }) => findToken(JSON.stringify([hashToken(id), clientId, version])),
    findAccessToken: (id) => findAccessToken(hashToken(id)),
  }
}

const toToken = ({ kind, payload }: TokenRow): LiveToken => ({
  kind,
  clientId: payload.clientId,
  userId: payload.accountId,
  scopes: splitScopes(payload.scope),
  audience: payload.aud,
  sid: payload.sid,
  jkt: payload.jkt,
  issuedAt: payload.iat,
  expiresAt: payload.exp,
})

function toUserToken({ key, kind, payload, userId, grantedScope, ...user }: UserTokenRow): LiveUserToken {
  return { ...toToken({ key, kind, payload }), user: { id: userId, ...user }, grantedScopes: splitScopes(grantedScope) }
}

const splitScopes = (scope = ''): string[] => scope.split(' ').filter(Boolean)
