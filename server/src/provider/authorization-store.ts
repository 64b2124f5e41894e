import { combineLookups, toRows } from '../database/combine.ts'
import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'
import type { Artifact } from './store.ts'

type Payload = Artifact['payload']

/** The session of a browser, as authorizations need it. */
export interface BrowserSession {
  tokenHash: string
  userId: string
  loginId: string
  browserId: string | null
  /** ISO 8601. */
  authTime: string
  amr: string[]
  acr: string | null
  /** The id of the authorization request that required this authentication. */
  interaction: string | null
  /** The row that has the clients of the session. */
  providerSession: string | null
}

/** What decides about the authorization of a client in a browser. */
export interface BrowserRead {
  /** The pending request, if it was asked for. */
  pending: Payload | null
  session: BrowserSession | undefined
  /** The clients of the session, with their grants. */
  issuerSession: Payload | null
  grant: Payload | null
  /** The version of the client that has the grant. */
  clientVersion: number | null
}

/** The keys of a browser's request; the client is that of the pending request, if there is one. */
export interface BrowserKeys {
  /** The cookie of the session. */
  token: string | undefined
  clientId?: string
  /** The id of a pending request. */
  uid?: string
}

type Row = Omit<BrowserRead, 'session'> & { [K in keyof BrowserSession]: BrowserSession[K] | null } & { key: string }

const hashOf = (id: string | undefined) => (id === undefined ? null : hashToken(id))

/**
 * Creates the reader of browsers. Look-ups at the same time share a statement, in which each row is found by its key. A
 * session ends after `idleHours` without activity, and counts as long as its user is enabled.
 */
export function createBrowserReader(sql: Sql, idleHours: number) {
  const find = combineLookups(async (keys) => {
    const rows = await sql<Row[]>`
      select asked.key, i.payload as pending, s.payload as issuer_session, g.payload as grant, g.client_version,
        c.token_hash, c.user_id, c.login_id, c.browser_id, c.auth_time, c.amr, c.acr, c.interaction, c.provider_session
      from (select key, key::jsonb as parts from ${toRows(sql, keys)} as key) as asked
      left join lateral (select payload from pending_interactions where id_hash = asked.parts ->> 2 limit 1) as i on true
      left join lateral (
        select * from authorization_callers
        where token_hash = asked.parts ->> 0 and expires_at > now()
          and last_seen_at > now() - make_interval(hours => ${idleHours}) limit 1
      ) as c on true
      left join lateral (
        select payload from issuer_sessions
        where id_hash = artifact_hash(c.provider_session) and payload ->> 'accountId' = c.user_id limit 1
      ) as s on true
      left join lateral (
        select payload, client_version from issuer_grants
        where id_hash = artifact_hash(s.payload #>> array[
            'authorizations', coalesce(i.payload ->> 'clientId', asked.parts ->> 1), 'grantId'
          ])
          and payload ->> 'accountId' = c.user_id
          and payload ->> 'clientId' = coalesce(i.payload ->> 'clientId', asked.parts ->> 1)
        limit 1
      ) as g on true`
    return new Map(rows.map(({ key, ...row }) => [key, toBrowserRead(row)]))
  })
  return async ({ token, clientId, uid }: BrowserKeys): Promise<BrowserRead> => {
    const read = await find(JSON.stringify([hashOf(token), clientId ?? null, hashOf(uid)]))
    if (!read) throw new Error('A query without a condition returned no row')
    return read
  }
}

function toBrowserRead({ pending, issuerSession, grant, clientVersion, ...session }: Omit<Row, 'key'>): BrowserRead {
  const found = session.tokenHash === null ? undefined : (session as BrowserSession)
  return { pending, session: found, issuerSession, grant, clientVersion }
}
