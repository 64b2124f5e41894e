import { maxScimRequests, type ScimRequest, type ScimRequestDetails, scimRequestDays } from '@passport/contract/scim'
import { v7 as uuid } from 'uuid'
import { afterCursor, allOf, orderBy } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'
import { hashToken } from '../vault.ts'

// The tokens of SCIM clients, and the log of their requests.

/** A token with the name of its creator. */
export interface TokenRow {
  id: string
  orgId: string
  /** The tenant of the organisation. */
  tenantId: string
  name: string
  start: string
  createdAt: string
  createdBy: string | null
  creatorName: string | null
  fromSetupLink: boolean
  /** The set-up link whose browser created it; null if that is deleted. */
  setupLinkId: string | null
  expiresAt: string
  state: 'live' | 'expired' | 'revoked'
  lastUsedAt: string | null
  lastUsedIp: string | null
}

interface NewToken {
  orgId: string
  name: string
  start: string
  expiresInDays: number
  createdBy: string | null
  setupLinkId: string | null
}

/** Adds a token and returns its id; its value is not stored. */
export async function addToken(sql: Sql, value: string, token: NewToken): Promise<string> {
  const { orgId, name, start, expiresInDays, createdBy, setupLinkId } = token
  const id = uuid()
  await sql`
    insert into scim_tokens (id, org_id, name, token_hash, start, created_by, from_setup_link, setup_link_id,
      expires_at)
    values (${id}, ${orgId}, ${name}, ${hashToken(value)}, ${start}, ${createdBy}, ${setupLinkId !== null}, ${setupLinkId},
      now() + make_interval(days => ${expiresInDays}))`
  return id
}

/** Lists the tokens of an organisation that is not deleted, newest first. */
export async function listTokens(sql: Sql, orgId: string): Promise<TokenRow[]> {
  return sql<TokenRow[]>`
    select id, org_id, tenant_id, name, start, created_at, created_by, creator_name, from_setup_link, setup_link_id, expires_at,
      state, last_used_at, last_used_ip
    from scim_token_rows where org_id = ${orgId} order by created_at desc, id desc`
}

/** Finds a token of an organisation that is not deleted by its value, expired or revoked too. */
export async function findTokenByValue(sql: Sql, value: string): Promise<TokenRow | undefined> {
  const [token] = await sql<TokenRow[]>`
    select id, org_id, tenant_id, name, start, created_at, created_by, creator_name, from_setup_link, setup_link_id, expires_at,
      state, last_used_at, last_used_ip
    from scim_token_rows where token_hash = ${hashToken(value)}`
  return token
}

/** Returns the state of a token of an organisation that is not deleted. */
export async function findTokenState(sql: Sql, id: string): Promise<TokenRow['state'] | undefined> {
  const [token] = await sql<Pick<TokenRow, 'state'>[]>`select state from scim_token_rows where id = ${id}`
  return token?.state
}

/** Lists the live tokens that users, or the browsers of their set-up links, have created: their first characters. */
export async function listLiveBy(sql: Sql, userIds: string[]): Promise<{ userId: string; start: string }[]> {
  return sql<{ userId: string; start: string }[]>`
    select responsible_id as user_id, start from scim_token_rows
    where responsible_id = any(${userIds}) and state = 'live' order by created_at, id`
}

/** Revokes a token that is not revoked; returns false if the organisation has no such token. */
export async function revokeToken(sql: Sql, orgId: string, id: string): Promise<boolean> {
  const revoked = await sql`
    update scim_tokens set revoked_at = now() where org_id = ${orgId} and id = ${id} and revoked_at is null`
  return revoked.count > 0
}

/** Deletes at most `limit` tokens that expired or were revoked a month ago; returns how many. */
export async function sweepTokens(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from scim_tokens where id in (
      select id from scim_tokens
      where least(expires_at, revoked_at) < now() - make_interval(days => ${scimRequestDays}) limit ${limit})`
  return removed.count
}

/** A request for the log, already redacted. */
export interface LoggedRequest extends Omit<ScimRequestDetails, 'id' | 'at' | 'token'> {
  orgId: string
  tokenId: string
}

/** Adds a request to the log, and records the use of its token at most once a minute. */
export async function addRequest(sql: Sql, request: LoggedRequest): Promise<void> {
  const { orgId, tokenId, method, path, status, durationMs, error, notes, requestBody, responseBody, ip } = request
  await sql`
    with used as (
      update scim_tokens set last_used_at = now(), last_used_ip = ${ip}
      where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    insert into scim_requests (id, org_id, token_id, method, path, status, duration_ms, error, notes, request_body,
      response_body, ip, user_agent, trace_id)
    select ${uuid()}, ${orgId}, t.id, ${method}, ${path}, ${status}, ${durationMs}, ${error && sql.json(error)}, ${notes},
      ${requestBody}, ${responseBody}, ${ip}, ${request.userAgent}, ${request.traceId}
    from scim_tokens t where t.id = ${tokenId}`
}

interface RequestFilter {
  outcome: 'failed' | 'succeeded' | undefined
  after: Cursor | undefined
  limit: number
}

/** Lists the requests of an organisation, newest first. */
export async function listRequests(
  sql: Sql,
  orgId: string,
  { outcome, after, limit }: RequestFilter,
): Promise<ScimRequest[]> {
  const order = { key: 'at', isDescending: true }
  const conditions = [
    sql`org_id = ${orgId}`,
    outcome === undefined ? undefined : outcome === 'failed' ? sql`status >= 400` : sql`status < 400`,
    afterCursor(sql, order, after),
  ]
  return sql<ScimRequest[]>`
    select id, at, method, path, status, duration_ms, token, error, notes from scim_request_rows
    where ${allOf(sql, ...conditions)} ${orderBy(sql, order)} limit ${limit}`
}

/** Finds a request of an organisation with its bodies. */
export async function findRequest(sql: Sql, orgId: string, id: string): Promise<ScimRequestDetails | undefined> {
  const [request] = await sql<ScimRequestDetails[]>`
    select id, at, method, path, status, duration_ms, token, error, notes, request_body, response_body, ip, user_agent,
      trace_id
    from scim_request_rows where org_id = ${orgId} and id = ${id}`
  return request
}

/** Returns the time of the last request of an organisation. */
export async function findLastRequestTime(sql: Sql, orgId: string): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select max(at) as at from scim_requests where org_id = ${orgId}`
  return row?.at ?? null
}

/** Deletes at most `limit` requests that are old or beyond the number that is kept; returns how many. */
export async function sweepRequests(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from scim_requests where id in (
      select r.id from (select distinct org_id from scim_requests) o
      cross join lateral (
        select id from scim_requests where org_id = o.org_id order by at desc, id desc offset ${maxScimRequests}
      ) r
      union
      select id from scim_requests where at < now() - make_interval(days => ${scimRequestDays})
      limit ${limit})`
  return removed.count
}
