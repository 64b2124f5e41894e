import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

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

/** Whoever has this e-mail address, proved or not; `isPrepared` where nobody has come in by the account yet. */
export async function findByEmail(sql: Sql, email: string): Promise<{ id: string; isPrepared: boolean } | undefined> {
  const [user] = await sql<{ id: string; isPrepared: boolean }[]>`
    select id, activated_at is null as is_prepared from users
    where lower(email) = lower(${email}) and deleted_at is null
    order by activated_at nulls last limit 1`
  return user
}

/** An account that was made for someone who has not come in yet; it stays so until the transaction ends. */
export async function lockPrepared(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from users
    where id = ${id} and deleted_at is null and activated_at is null for update`
  return user
}

/** The person for whom an account was made has come, and this is what is known of them; a taken username is left out. */
export async function fillIn(sql: Sql, id: string, { username, displayName }: NewUser): Promise<void> {
  await sql`
    update users set email_verified = true, display_name = coalesce(display_name, ${displayName}),
      username = coalesce(username, (
        select ${username}::text where not exists (
          select from users other where lower(other.username) = lower(${username}) and other.deleted_at is null
        )
      )),
      updated_at = now(), version = version + 1
    where id = ${id}`
}

/** Those of the people who are here, who stay so until the transaction ends. */
export async function holdPresent(sql: Sql, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from users where id = any(${ids}) and deleted_at is null order by id for share`
  return rows.map(({ id }) => id)
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
