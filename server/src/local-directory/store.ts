import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

/**
 * The issuer of directory identities in accounts. The protocol issuer follows PUBLIC_URL; this is constant, so that
 * moving a server keeps all accounts.
 */
export const identityIssuer = 'urn:passport:directory'

/** A user of the built-in directory; `id` is their `sub` there. */
export interface DirectoryUser {
  id: string
  name: string
  displayName: string
  email: string
  passwordHash: string
}

export async function findByName(sql: Sql, name: string): Promise<DirectoryUser | undefined> {
  const [user] = await sql<DirectoryUser[]>`
    select id, name, display_name, email, password_hash from directory_people where name = ${name.toLowerCase()}`
  return user
}

/**
 * Finds a user by what they enter to sign in: their name, or an email that only one user has. Costs the same for
 * unknown users.
 */
export async function findBySignInName(sql: Sql, entered: string): Promise<DirectoryUser | undefined> {
  const name = entered.toLowerCase()
  const users = await sql<DirectoryUser[]>`
    select id, name, display_name, email, password_hash from directory_people
    where name = ${name} or lower(email) = ${name} order by name = ${name} desc limit 2`
  return users[0]?.name === name || users.length === 1 ? users[0] : undefined
}

export async function findById(sql: Sql, id: string): Promise<DirectoryUser | undefined> {
  const [user] = await sql<DirectoryUser[]>`
    select id, name, display_name, email, password_hash from directory_people where id = ${id}`
  return user
}

/** Reports whether the directory has any user. */
export async function hasUsers(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ hasUsers: boolean }[]>`select exists (select from directory_people) as has_users`
  return row?.hasUsers ?? false
}

export interface NewDirectoryUser {
  name: string
  displayName: string
  email: string
  passwordHash: string
  isDemoUser: boolean
}

/** Adds a user and returns their id. */
export async function add(
  sql: Sql,
  { name, displayName, email, passwordHash, isDemoUser }: NewDirectoryUser,
): Promise<string> {
  const id = uuid()
  await sql`
    insert into directory_people (id, name, display_name, email, password_hash, is_cast)
    values (${id}, ${name.toLowerCase()}, ${displayName}, ${email}, ${passwordHash}, ${isDemoUser})`
  return id
}

/** Replaces the hash of a user's password. */
export async function setPassword(sql: Sql, id: string, passwordHash: string): Promise<void> {
  await sql`
    update directory_people set password_hash = ${passwordHash}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Replaces the hash of the same password, unless the password has changed since. */
export async function upgradeHash(sql: Sql, id: string, hashes: { from: string; to: string }): Promise<void> {
  await sql`update directory_people set password_hash = ${hashes.to} where id = ${id} and password_hash = ${hashes.from}`
}

/** Lists the names of the existing demo users. */
export async function listDemoUsers(sql: Sql): Promise<string[]> {
  const users = await sql<{ name: string }[]>`select name from directory_people where is_cast order by name`
  return users.map(({ name }) => name)
}

/** Deletes the demo users from the directory, so that they cannot sign in; returns their ids. */
export async function removeDemoUsers(sql: Sql): Promise<string[]> {
  const removed = await sql<{ id: string }[]>`delete from directory_people where is_cast returning id`
  return removed.map(({ id }) => id)
}

/** Deletes users, who can then no longer sign in here. */
export async function remove(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from directory_people where id = any(${ids})`
}
