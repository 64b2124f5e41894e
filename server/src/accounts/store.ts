import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

/** The table and columns for bulk loads of logins. */
export const copyTarget = {
  table: 'logins',
  columns: ['id', 'user_id', 'provider_id', 'issuer', 'subject', 'label', 'linked_at'],
}

/** A user's identity at an identity provider. `providerId` is the provider's id in the configuration. */
export interface Identity {
  providerId: string
  issuer: string
  subject: string
  /** The user's name at the provider, which distinguishes the logins of one user. */
  label: string
}

/** What an account has from a provider, as of the last sign-in with a login. */
export interface Given {
  email: string | null
  emailVerified: boolean
  displayName: string | null
}

export interface Login extends Identity {
  id: string
  userId: string
  linkedAt: string
  lastUsedAt: string | null
}

/** Finds the login of an identity by issuer and subject, never by email. */
export async function findLogin(sql: Sql, issuer: string, subject: string): Promise<Login | undefined> {
  const [login] = await sql<Login[]>`
    select id, user_id, provider_id, issuer, subject, label, linked_at, last_used_at from logins
    where issuer = ${issuer} and subject = ${subject}`
  return login
}

/** Adds a login and returns its id; undefined if the identity is already linked. */
export async function addLogin(
  sql: Sql,
  userId: string,
  identity: Identity,
  given: Given | null,
): Promise<string | undefined> {
  const { providerId, issuer, subject, label } = identity
  const [added] = await sql<{ id: string }[]>`
    insert into logins (id, user_id, provider_id, issuer, subject, label, given)
    values (
      ${uuid()}, ${userId}, ${providerId}, ${issuer}, ${subject}, ${label}, ${given && sql.json(given as never)}
    )
    on conflict (issuer, subject) do nothing
    returning id`
  return added?.id
}

/** Records what an account has from the provider of a login. */
export async function setGiven(sql: Sql, loginId: string, given: Given): Promise<void> {
  await sql`update logins set given = ${sql.json(given as never)} where id = ${loginId}`
}

export async function listLogins(sql: Sql, userId: string): Promise<Login[]> {
  return sql<Login[]>`
    select id, user_id, provider_id, issuer, subject, label, linked_at, last_used_at from logins
    where user_id = ${userId} order by linked_at, id`
}

/** Lists the logins of all users at an issuer. */
export async function listLoginsAt(sql: Sql, issuer: string): Promise<Pick<Login, 'id' | 'userId'>[]> {
  return sql<Pick<Login, 'id' | 'userId'>[]>`select id, user_id from logins where issuer = ${issuer}`
}

/** Returns those of some users who have no other logins than the given ones. */
export async function listUsersOfOnly(sql: Sql, userIds: string[], loginIds: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select asked.id from unnest(${userIds}::text[]) as asked (id)
    where not exists (select from logins l where l.user_id = asked.id and l.id <> all(${loginIds}))`
  return rows.map(({ id }) => id)
}

export async function removeLogin(sql: Sql, id: string): Promise<void> {
  await sql`delete from logins where id = ${id}`
}

/** Deletes all logins of users. */
export async function removeLoginsOf(sql: Sql, userIds: string[]): Promise<void> {
  await sql`delete from logins where user_id = any(${userIds})`
}

/** Returns the subject identifiers of the given users at an issuer. */
export async function listSubjects(sql: Sql, userIds: string[], issuer: string): Promise<string[]> {
  const rows = await sql<{ subject: string }[]>`
    select subject from logins where user_id = any(${userIds}) and issuer = ${issuer}`
  return rows.map(({ subject }) => subject)
}
