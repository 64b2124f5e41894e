import type { SetupLink } from '@passport/contract/setup'
import type { Sql } from '../database/sql.ts'

/** A row of `setup_link_rows`. */
export interface LinkRow {
  id: string
  orgId: string
  status: SetupLink['status']
  createdBy: string
  creatorName: string | null
  createdAt: string
  expiresAt: string
  openedAt: string | null
  openedIp: string | null
  openedAgent: string | null
  sessionHash: string | null
  endedAt: string | null
  endedBy: 'revoked' | 'enabled' | 'deleted' | null
}

interface NewLink {
  id: string
  orgId: string
  tokenHash: string
  createdBy: string
  hours: number
}

export async function add(sql: Sql, { id, orgId, tokenHash, createdBy, hours }: NewLink): Promise<void> {
  await sql`
    insert into setup_links (id, org_id, token_hash, created_by, expires_at)
    values (${id}, ${orgId}, ${tokenHash}, ${createdBy}, now() + make_interval(hours => ${hours}))`
}

/** Counts the live links of an organisation. */
export async function countLive(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ live: number }[]>`
    select count(*)::integer as live from setup_link_rows where org_id = ${orgId} and status in ('open', 'opened')`
  return row?.live ?? 0
}

/** Lists links of an organisation, newest first. */
export async function list(sql: Sql, orgId: string, limit: number): Promise<LinkRow[]> {
  return sql<LinkRow[]>`
    select id, org_id, status, created_by, creator_name, created_at, expires_at, opened_at, opened_ip, opened_agent,
      session_hash, ended_at, ended_by
    from setup_link_rows where org_id = ${orgId} order by created_at desc, id desc limit ${limit}`
}

/** Finds a link, by its id or by the hash of its token or of its cookie. */
async function findBy(sql: Sql, column: 'id' | 'token_hash' | 'session_hash', value: string) {
  const [row] = await sql<LinkRow[]>`
    select id, org_id, status, created_by, creator_name, created_at, expires_at, opened_at, opened_ip, opened_agent,
      session_hash, ended_at, ended_by
    from setup_link_rows where ${sql(column)} = ${value}`
  return row
}

/** Finds the link of a cookie, by its hash. */
export const findBySession = (sql: Sql, sessionHash: string): Promise<LinkRow | undefined> =>
  findBy(sql, 'session_hash', sessionHash)

/** Locks the link of a token until the transaction ends. */
export async function lockByToken(sql: Sql, tokenHash: string): Promise<LinkRow | undefined> {
  await sql`select from setup_links where token_hash = ${tokenHash} for update`
  return findBy(sql, 'token_hash', tokenHash)
}

/** Locks a link of an organisation until the transaction ends. */
export async function lockOfOrg(sql: Sql, orgId: string, id: string): Promise<LinkRow | undefined> {
  await sql`select from setup_links where id = ${id} and org_id = ${orgId} for update`
  const link = await findBy(sql, 'id', id)
  return link?.orgId === orgId ? link : undefined
}

/** Reports whether a browser uses a link, and keeps the link from ending until the transaction does. */
export async function lockInUse(sql: Sql, id: string): Promise<boolean> {
  await sql`select from setup_links where id = ${id} for share`
  return (await findBy(sql, 'id', id))?.status === 'opened'
}

interface Opening {
  sessionHash: string
  hours: number
  ip: string
  userAgent: string
}

/** Gives a link to the browser that opens it, for some hours. */
export async function open(sql: Sql, id: string, { sessionHash, hours, ip, userAgent }: Opening): Promise<void> {
  await sql`
    update setup_links set session_hash = ${sessionHash}, opened_at = now(), opened_ip = ${ip},
      opened_agent = ${userAgent}, expires_at = now() + make_interval(hours => ${hours})
    where id = ${id}`
}

/** Ends a link that the transaction has locked. */
export async function revoke(sql: Sql, id: string): Promise<void> {
  await sql`update setup_links set ended_at = now(), ended_by = 'revoked' where id = ${id}`
}

/** Revokes the live links that some users have created; returns them. */
export async function revokeAllBy(
  sql: Sql,
  userIds: string[],
): Promise<{ id: string; orgId: string; createdBy: string }[]> {
  return sql`
    update setup_links set ended_at = now(), ended_by = 'revoked'
    where created_by = any(${userIds}) and ended_at is null and expires_at > now()
    returning id, org_id, created_by`
}

/** Ends the live links of an organisation. */
export async function endAll(sql: Sql, orgId: string, endedBy: 'enabled' | 'deleted'): Promise<void> {
  await sql`
    update setup_links set ended_at = now(), ended_by = ${endedBy}
    where org_id = ${orgId} and ended_at is null and expires_at > now()`
}

/** The time for which links are listed after their end, in days. */
const keptDays = 90

/** Deletes at most `limit` old links; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from setup_links where id in (
      select id from setup_links where expires_at <= now() - make_interval(days => ${keptDays}) limit ${limit})`
  return removed.count
}
