import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

/** What is given of each person where many are loaded. */
export const load = {
  table: 'users',
  columns: [
    'id',
    'username',
    'display_name',
    'email',
    'email_verified',
    'disabled_at',
    'activated_at',
    'last_sign_in_at',
    'created_at',
    'updated_at',
  ],
}

/** What is known of a person on the day Passport first meets them. */
export interface NewUser {
  username: string | null
  displayName: string | null
  email: string | null
  emailVerified: boolean
}

export interface User extends NewUser {
  id: string
  disabledAt: string | null
}

/** Adds a person and returns their id. A username that is taken is left out rather than refused: they can choose one. */
export async function create(sql: Sql, user: NewUser): Promise<string> {
  const id = uuid()
  const added = await sql`
    insert into users (id, username, display_name, email, email_verified)
    values (${id}, ${user.username}, ${user.displayName}, ${user.email}, ${user.emailVerified})
    on conflict (lower(username)) where deleted_at is null do nothing
    returning id`
  return added.length > 0 ? id : create(sql, { ...user, username: null })
}

/** A person who is not deleted. */
export async function find(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from users where id = ${id} and deleted_at is null`
  return user
}

/** Like `find`, and nothing else changes the person or adds to what is theirs until the transaction ends. */
export async function lock(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from users
    where id = ${id} and deleted_at is null for update`
  return user
}

/** Someone has a way into the account now. */
export async function activate(sql: Sql, id: string): Promise<void> {
  await sql`update users set activated_at = now() where id = ${id} and activated_at is null`
}

/** The person came in just now. */
export async function noteSignIn(sql: Sql, id: string): Promise<void> {
  await sql`update users set last_sign_in_at = now() where id = ${id}`
}

export async function count(sql: Sql): Promise<number> {
  const [row] = await sql<{ users: number }[]>`select count(*)::integer as users from users`
  return row?.users ?? 0
}

/** Deletes a person softly: they are gone for everyone, and can be brought back. */
export async function remove(sql: Sql, id: string): Promise<void> {
  await sql`update users set deleted_at = now(), updated_at = now(), version = version + 1 where id = ${id}`
}

/** Changes what a person is called and found by. Fails with 23505 where someone else has the username. */
export async function setNames(
  sql: Sql,
  id: string,
  { displayName, username }: { displayName: string | null; username: string | null },
): Promise<void> {
  await sql`
    update users set display_name = ${displayName}, username = ${username}, updated_at = now(), version = version + 1
    where id = ${id}`
}

/** What people are called where they are only mentioned: their name, or what is nearest to one. */
export async function namesOf(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, coalesce(display_name, username, email, id) as name from users where id = any(${ids})
    order by sort_name, id`
}

/** People who were deleted more than so many days ago; nobody gives them back until the transaction ends. */
export async function lockDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from users where deleted_at < now() - make_interval(days => ${olderThanDays})
    order by deleted_at limit ${limit} for update skip locked`
  return rows.map(({ id }) => id)
}

/** Removes people for good, with all that is theirs. */
export async function erase(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from users where id = any(${ids})`
}
