import type { Sql } from '../database/sql.ts'
import type { User } from '../users/store.ts'
import { hashToken } from '../vault.ts'

/** The kinds of tokens that an application presents. */
export type TokenKind = 'AccessToken' | 'ClientCredentials' | 'RefreshToken'

/** The kinds of artifacts that are exchanged for tokens. */
export type GrantSourceKind = 'AuthorizationCode' | 'RefreshToken'

/** A token that was valid at the moment of the statement: not spent, not revoked, of an enabled user. */
export interface LiveToken {
  kind: TokenKind
  /** What the protocol library stored. */
  payload: Record<string, unknown>
}

/** A token of a user, with what the user granted. */
export interface LiveUserToken extends LiveToken, Omit<User, 'id' | 'disabledAt'> {
  grantPayload: Record<string, unknown>
  userId: string
}

/** A code or a refresh token, with what an access token for an API says about the user; empty if it is not for an API. */
export interface GrantSource extends Omit<LiveUserToken, 'kind'> {
  kind: GrantSourceKind
  roles: string[]
  orgs: { id: string }[]
}

/** Finds a token of any kind, by its id. */
export async function findToken(sql: Sql, id: string): Promise<LiveToken | undefined> {
  const [token] = await sql<LiveToken[]>`select kind, payload from live_tokens where id_hash = ${hashToken(id)}`
  return token
}

/** Finds an access token of a user. */
export async function findAccessToken(sql: Sql, id: string): Promise<LiveUserToken | undefined> {
  const [token] = await sql<LiveUserToken[]>`
    select kind, payload, grant_payload, user_id, username, display_name, email, email_verified
    from live_tokens where kind = 'AccessToken' and id_hash = ${hashToken(id)}`
  return token
}

/** Finds a code or a refresh token that is not spent. */
export async function findGrantSource(sql: Sql, kind: GrantSourceKind, id: string): Promise<GrantSource | undefined> {
  const [source] = await sql<GrantSource[]>`
    select kind, payload, grant_payload, user_id, username, display_name, email, email_verified,
      case when payload ? 'resource' then roles else '{}' end as roles,
      case when payload ? 'resource' then orgs else '[]' end as orgs
    from live_artifacts where kind = ${kind} and id_hash = ${hashToken(id)}`
  return source
}
