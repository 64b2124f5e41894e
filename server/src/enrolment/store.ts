import type { Sql } from '../database/sql.ts'

/** A row of `enrolment_link_rows`. */
export interface LinkRow {
  id: string
  userId: string
  invitationId: string | null
  createdBy: string
  createdAt: string
  expiresAt: string
  openedAt: string | null
  browserHash: string | null
  status: 'open' | 'opened' | 'used' | 'expired' | 'revoked'
}

export interface NewLink {
  id: string
  userId: string
  invitationId: string | null
  tokenHash: string
  createdBy: string
  hours: number
}

/** Adds a link. An earlier one of the user must have ended. */
export async function add(
  sql: Sql,
  { id, userId, invitationId, tokenHash, createdBy, hours }: NewLink,
): Promise<LinkRow> {
  await sql`
    insert into enrolment_links (id, user_id, invitation_id, token_hash, created_by, expires_at)
    values (
      ${id}, ${userId}, ${invitationId}, ${tokenHash}, ${createdBy}, now() + make_interval(hours => ${hours})
    )`
  const added = await findBy(sql, 'id', id)
  if (!added) throw new Error(`The enrolment link ${id} was not added`)
  return added
}

async function findBy(
  sql: Sql,
  column: 'id' | 'token_hash' | 'browser_hash',
  value: string,
): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    select id, user_id, invitation_id, created_by, created_at, expires_at, opened_at, browser_hash, status
    from enrolment_link_rows where ${sql(column)} = ${value}`
  return row
}

export const findByToken = (sql: Sql, tokenHash: string): Promise<LinkRow | undefined> =>
  findBy(sql, 'token_hash', tokenHash)

/** Finds the link of a cookie, by its hash. */
export const findByBrowser = (sql: Sql, browserHash: string): Promise<LinkRow | undefined> =>
  findBy(sql, 'browser_hash', browserHash)

/** Locks a link until the transaction ends. Its user is locked before it. */
export async function lock(sql: Sql, id: string): Promise<LinkRow | undefined> {
  await sql`select from enrolment_links where id = ${id} for update`
  return findBy(sql, 'id', id)
}

/** Finds the link of a user that can be opened or used. */
export async function findLive(sql: Sql, userId: string): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    select id, user_id, invitation_id, created_by, created_at, expires_at, opened_at, browser_hash, status
    from enrolment_link_rows where user_id = ${userId} and status in ('open', 'opened')`
  return row
}

/** Gives a link to the browser that opens it. */
export async function open(sql: Sql, id: string, browserHash: string): Promise<void> {
  await sql`update enrolment_links set browser_hash = ${browserHash}, opened_at = now() where id = ${id}`
}

export async function markUsed(sql: Sql, id: string): Promise<void> {
  await sql`update enrolment_links set ended_at = now(), ended_by = 'used' where id = ${id}`
}

/** Ends the link of a user, of which one that has expired may be replaced. */
export async function revokeOf(sql: Sql, userId: string): Promise<void> {
  await sql`update enrolment_links set ended_at = now(), ended_by = 'revoked' where user_id = ${userId} and ended_at is null`
}

/** Ends the links of an invitation. */
export async function revokeOfInvitation(sql: Sql, invitationId: string): Promise<void> {
  await sql`
    update enrolment_links set ended_at = now(), ended_by = 'revoked'
    where invitation_id = ${invitationId} and ended_at is null`
}

/** Revokes the live links that some users have created; returns them. */
export async function revokeAllBy(
  sql: Sql,
  creatorIds: string[],
): Promise<{ id: string; userId: string; createdBy: string }[]> {
  return sql`
    update enrolment_links set ended_at = now(), ended_by = 'revoked'
    where created_by = any(${creatorIds}) and ended_at is null and expires_at > now()
    returning id, user_id, created_by`
}

/** The time for which an ended link says why it does not work, in days. */
const keptDays = 30

/** Deletes at most `limit` old links; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from enrolment_links where id in (
      select id from enrolment_links where expires_at <= now() - make_interval(days => ${keptDays}) limit ${limit})`
  return removed.count
}
