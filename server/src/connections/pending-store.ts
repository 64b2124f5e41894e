import type { Sql } from '../database/sql.ts'
import type { ExternalAccount } from './store.ts'

/** A connection that a session has started. */
export interface PendingConnection {
  handleHash: string
  expiresAt: string
  isExpired: boolean
  answeredAt: string | null
  /** The service has rejected the request, such as its prompt. */
  isRefused: boolean
}

/** Identifies a pending connection. */
export interface PendingKey {
  sessionId: string
  connector: string
}

/** Starts a connection, which replaces an earlier one of the session. Returns its expiry. */
export async function start(
  sql: Sql,
  { sessionId, connector }: PendingKey,
  handleHash: string,
  minutes: number,
): Promise<string> {
  const [started] = await sql<{ expiresAt: string }[]>`
    insert into pending_connections (session_id, connector, handle_hash, expires_at)
    values (${sessionId}, ${connector}, ${handleHash}, now() + make_interval(mins => ${minutes}))
    on conflict (session_id, connector) do update set handle_hash = excluded.handle_hash,
      expires_at = excluded.expires_at, answered_at = null, is_refused = false, link_id = null, external_id = null, label = null
    returning expires_at`
  return started?.expiresAt ?? ''
}

export async function find(sql: Sql, { sessionId, connector }: PendingKey): Promise<PendingConnection | undefined> {
  const [pending] = await sql<PendingConnection[]>`
    select handle_hash, expires_at, expires_at <= now() as is_expired, answered_at, is_refused from pending_connections
    where session_id = ${sessionId} and connector = ${connector}`
  return pending
}

/** Records the arrival of the response; returns false if one has arrived before. */
export async function recordAnswer(
  sql: Sql,
  { sessionId, connector }: PendingKey,
  handleHash: string,
): Promise<boolean> {
  const recorded = await sql`
    update pending_connections set answered_at = now()
    where session_id = ${sessionId} and connector = ${connector} and handle_hash = ${handleHash} and answered_at is null
    returning session_id`
  return recorded.length > 0
}

/** Records that the service has rejected the request. */
export async function recordRefusal(sql: Sql, { sessionId, connector }: PendingKey, handleHash: string): Promise<void> {
  await sql`
    update pending_connections set is_refused = true
    where session_id = ${sessionId} and connector = ${connector} and handle_hash = ${handleHash}`
}

/** Stores the account to confirm. */
export async function setAccount(
  sql: Sql,
  { sessionId, connector }: PendingKey,
  { handleHash, linkId, externalId, label }: { handleHash: string; linkId: string; externalId: string; label: string },
): Promise<void> {
  await sql`
    update pending_connections set link_id = ${linkId}, external_id = ${externalId}, label = ${label}
    where session_id = ${sessionId} and connector = ${connector} and handle_hash = ${handleHash}`
}

/** Returns the account to confirm. */
export async function findAccount(
  sql: Sql,
  { sessionId, connector }: PendingKey,
  linkId: string,
): Promise<(ExternalAccount & { isExpired: boolean }) | undefined> {
  const [found] = await sql<(ExternalAccount & { isExpired: boolean })[]>`
    select connector, external_id, label, expires_at <= now() as is_expired from pending_connections
    where session_id = ${sessionId} and connector = ${connector} and link_id = ${linkId}`
  return found
}
