import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'

/** What is given of each login where many are loaded. */
export const load = {
  table: 'logins',
  columns: ['id', 'user_id', 'provider_id', 'issuer', 'subject', 'label', 'linked_at'],
}

/** Someone at an identity provider, and the provider's name for it here. */
export interface Identity {
  providerId: string
  issuer: string
  subject: string
  /** What tells this login from others of the same person: their name there. */
  label: string
}

export interface Login extends Identity {
  id: string
  userId: string
  linkedAt: string
  lastUsedAt: string | null
}

/** The login by which someone at an identity provider comes in: only issuer and subject count, never an e-mail. */
export async function findLogin(sql: Sql, issuer: string, subject: string): Promise<Login | undefined> {
  const [login] = await sql<Login[]>`
    select id, user_id, provider_id, issuer, subject, label, linked_at, last_used_at from logins
    where issuer = ${issuer} and subject = ${subject}`
  return login
}

/** Adds a way into an account; undefined where someone, this person or another, has it already. */
export async function addLogin(sql: Sql, userId: string, identity: Identity): Promise<string | undefined> {
  const { providerId, issuer, subject, label } = identity
  const [added] = await sql<{ id: string }[]>`
    insert into logins (id, user_id, provider_id, issuer, subject, label)
    values (${uuid()}, ${userId}, ${providerId}, ${issuer}, ${subject}, ${label})
    on conflict (issuer, subject) do nothing
    returning id`
  if (added) await users.activate(sql, userId)
  return added?.id
}

export async function useLogin(sql: Sql, id: string, label: string): Promise<void> {
  await sql`update logins set last_used_at = now(), label = ${label} where id = ${id}`
}

export async function listLogins(sql: Sql, userId: string): Promise<Login[]> {
  return sql<Login[]>`
    select id, user_id, provider_id, issuer, subject, label, linked_at, last_used_at from logins
    where user_id = ${userId} order by linked_at, id`
}

export async function removeLogin(sql: Sql, id: string): Promise<void> {
  await sql`delete from logins where id = ${id}`
}

/** Who some people are at one issuer. */
export async function subjectsOf(sql: Sql, userIds: string[], issuer: string): Promise<string[]> {
  const rows = await sql<{ subject: string }[]>`
    select subject from logins where user_id = any(${userIds}) and issuer = ${issuer}`
  return rows.map(({ subject }) => subject)
}
