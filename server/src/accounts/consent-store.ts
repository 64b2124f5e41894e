import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

export interface Consent {
  id: string
  clientId: string
  scopes: string[]
  /** ISO 8601. */
  grantedAt: string
  lastUsedAt: string | null
}

/** Lists a user's consents, newest first. */
export async function list(sql: Sql, userId: string): Promise<Consent[]> {
  return sql<Consent[]>`
    select id, client_id, scopes, granted_at, last_used_at from consents
    where user_id = ${userId} order by granted_at desc, id`
}

/**
 * Returns the scopes that a user granted to a client, and records the use of the consent; undefined without a consent.
 */
export async function use(sql: Sql, userId: string, clientId: string): Promise<string[] | undefined> {
  const [consent] = await sql<{ scopes: string[] }[]>`
    update consents set last_used_at = now() where user_id = ${userId} and client_id = ${clientId} returning scopes`
  return consent?.scopes
}

/** Returns the scopes that a user granted to a client; undefined without a consent. */
export async function find(sql: Sql, userId: string, clientId: string): Promise<string[] | undefined> {
  const [consent] = await sql<{ scopes: string[] }[]>`
    select scopes from consents where user_id = ${userId} and client_id = ${clientId}`
  return consent?.scopes
}

/** Creates a consent, or adds scopes to it. */
export async function addScopes(sql: Sql, userId: string, clientId: string, scopes: string[]): Promise<void> {
  await sql`
    insert into consents (id, user_id, client_id, scopes, last_used_at)
    values (${uuid()}, ${userId}, ${clientId}, ${scopes}, now())
    on conflict (user_id, client_id) do update set
      scopes = array(select distinct unnest(consents.scopes || excluded.scopes) order by 1),
      granted_at = now(), last_used_at = now()`
}

/** Deletes a consent and returns it; undefined if the user has no such consent. */
export async function remove(
  sql: Sql,
  userId: string,
  id: string,
): Promise<{ clientId: string; scopes: string[] } | undefined> {
  const [removed] = await sql<{ clientId: string; scopes: string[] }[]>`
    delete from consents where id = ${id} and user_id = ${userId} returning client_id, scopes`
  return removed
}

/** Deletes all consents to a client. */
export async function removeAllOfClient(sql: Sql, clientId: string): Promise<void> {
  await sql`delete from consents where client_id = ${clientId}`
}

/** Deletes all consents of these users, and returns them. */
export async function removeAll(sql: Sql, userIds: string[]): Promise<{ userId: string; clientId: string }[]> {
  return sql<{ userId: string; clientId: string }[]>`
    delete from consents where user_id = any(${userIds}) returning user_id, client_id`
}

/** Reports whether any user has consented to one of these scopes. */
export async function hasScopes(sql: Sql, scopes: string[]): Promise<boolean> {
  const [row] = await sql<{ isUsed: boolean }[]>`
    select exists (select from consents where scopes && ${scopes}::text[]) as is_used`
  return row?.isUsed ?? false
}

/** Removes scopes from all consents. */
export async function removeScopes(sql: Sql, scopes: string[]): Promise<void> {
  await sql`
    update consents set scopes = array(select s from unnest(scopes) s where s <> all(${scopes}))
    where scopes && ${scopes}::text[]`
}
