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
  /** What the protocol library stored. */
  payload: Record<string, unknown>
}

/** A token of a user, with what the user granted. */
export interface LiveUserToken extends LiveToken, Omit<User, 'id' | 'disabledAt'> {
  grantPayload: Record<string, unknown>
  userId: string
}

/** What introspection finds for a client. */
export interface IntrospectedToken {
  /** Undefined for a token that is not valid. */
  token: LiveToken | undefined
}

/** Finds tokens and what they depend on, each by its id. Look-ups at the same time share a statement. */
export interface LiveTokenStore {
  /** Finds a token of any kind for a client; undefined if the client is disabled or has changed since it was read. */
  findToken: (id: string, client: AuthenticatedClient) => Promise<IntrospectedToken | undefined>
  /** Finds an access token of a user. */
  findAccessToken: (id: string) => Promise<LiveUserToken | undefined>
}

type Found<T> = T & { idHash: string }
type Nullable<T> = { [K in keyof T]: T[K] | null }

export function createLiveTokenStore(sql: Sql): LiveTokenStore {
  const findToken = combineLookups(async (keys) => {
    const rows = await sql<(Nullable<LiveToken> & { key: string })[]>`
      select asked.key, token.kind, token.payload
      from (select key, key::jsonb as parts from ${toRows(sql, keys)} as key) as asked
      left join lateral (
        select kind, payload from live_tokens t where t.id_hash = asked.parts ->> 0 limit 1
      ) as token on true
      where ${isUnchangedClient(sql, sql`asked.parts ->> 1`, sql`(asked.parts ->> 2)::integer`)}`
    return new Map(
      rows.map(({ key, kind, payload }) => [key, { token: kind && payload ? { kind, payload } : undefined }]),
    )
  })
  const findAccessToken = combineLookups((hashes) =>
    byHash(sql<Found<LiveUserToken>[]>`
      select asked.id_hash, token.* from ${toRows(sql, hashes)} as asked (id_hash),
        lateral (
          select kind, payload, grant_payload, user_id, username, display_name, email, email_verified
          from live_tokens t where t.kind = 'AccessToken' and t.id_hash = asked.id_hash limit 1
        ) as token`),
  )
  return {
    findToken: (id, { clientId, version }) => findToken(JSON.stringify([hashToken(id), clientId, version])),
    findAccessToken: (id) => findAccessToken(hashToken(id)),
  }
}

async function byHash<T>(rows: PromiseLike<Found<T>[]>): Promise<Map<string, T>> {
  return new Map((await rows).map(({ idHash, ...found }) => [idHash, found as T]))
}
