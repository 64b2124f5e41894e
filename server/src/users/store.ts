import type { UserAccess } from '@passport/contract/users'
import { v7 as uuid } from 'uuid'
import { type Sql, savepoint } from '../database/sql.ts'
import type { LeftGroups } from '../groups/store.ts'
import type { LeftOrg, OrgOfUser } from '../orgs/store.ts'
import type { DirectRole } from '../roles/store.ts'

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
  const fill = (username: string | null) => (sql: Sql) =>
    sql`
    update users set email_verified = true, display_name = coalesce(display_name, ${displayName}),
      username = coalesce(username, ${username}), updated_at = now(), version = version + 1
    where id = ${id}`
  if (!(await ifFree(sql, fill(username)))) await fill(null)(sql)
}

/** Those of the people who are there; nobody else changes or deletes them until the transaction ends. */
export async function hold(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from users where id = any(${ids}) and deleted_at is null order by id for no key update`
  return new Set(rows.map(({ id }) => id))
}

/** Everything that administrators see of a person but their logins. */
export interface UserRow extends NewUser {
  id: string
  disabledAt: string | null
  deletedAt: string | null
  leftBehind: LeftBehind | null
  createdAt: string
  updatedAt: string
  lastSignInAt: string | null
  version: number
  sortName: string
  status: 'active' | 'invited' | 'disabled'
  roles: string[]
  effectiveRoles: string[]
  orgs: OrgOfUser[]
}

/** What a deleted person was part of. */
export interface LeftBehind {
  roles: DirectRole[]
  groups: LeftGroups
  orgs: LeftOrg[]
}

/** People by their ids, deleted ones too, in no order. */
export async function rowsOf(sql: Sql, ids: string[]): Promise<UserRow[]> {
  return sql<UserRow[]>`
    select id, username, display_name, email, email_verified, disabled_at, deleted_at, left_behind, created_at,
      updated_at, last_sign_in_at, version, sort_name, status, roles, effective_roles, orgs
    from user_rows where id = any(${ids})`
}

/** Like `rowsOf`, and nothing else changes these people until the transaction ends. */
export async function lockRows(sql: Sql, ids: string[]): Promise<UserRow[]> {
  await sql`select from users where id = any(${ids}) order by id for no key update`
  return rowsOf(sql, ids)
}

/** The roles, groups and organisations of a person with what gives them, as the contract tells it. */
export async function accessOf(sql: Sql, id: string): Promise<UserAccess | undefined> {
  const [access] = await sql<UserAccess[]>`select roles, groups, orgs from user_access where id = ${id}`
  return access
}

/** Nobody else gives anyone an e-mail until the transaction ends. */
export async function lockEmails(sql: Sql): Promise<void> {
  await sql`select from user_email_lock for update`
}

/** Of some e-mails and usernames, in lower case, those that someone has. */
export async function taken(
  sql: Sql,
  emails: string[],
  usernames: string[],
): Promise<{ emails: Set<string>; usernames: Set<string> }> {
  const found = await sql<{ email: string | null; username: string | null }[]>`
    select lower(email) as email, null as username from users where lower(email) = any(${emails}) and deleted_at is null
    union all
    select null, lower(username) from users where lower(username) = any(${usernames}) and deleted_at is null`
  return {
    emails: new Set(found.flatMap(({ email }) => email ?? [])),
    usernames: new Set(found.flatMap(({ username }) => username ?? [])),
  }
}

export interface AddedUser extends NewUser {
  id: string
  isDisabled: boolean
}

/** Adds people; returns the ids of those whose username was free. */
export async function addAll(sql: Sql, people: AddedUser[]): Promise<Set<string>> {
  const added = await sql<{ id: string }[]>`
    insert into users (id, username, display_name, email, email_verified, disabled_at)
    select p."id", p."username", p."displayName", p."email", p."emailVerified",
      case when p."isDisabled" then now() end
    from jsonb_to_recordset(${sql.json(people as never)}) as p ("id" text, "username" text, "displayName" text,
      "email" text, "emailVerified" boolean, "isDisabled" boolean)
    on conflict (lower(username)) where deleted_at is null do nothing
    returning id`
  return new Set(added.map(({ id }) => id))
}

/** Saves what is known of a person; false where somebody else has the username. */
export async function save(sql: Sql, id: string, user: NewUser): Promise<boolean> {
  const { username, displayName, email, emailVerified } = user
  return ifFree(
    sql,
    (sql) => sql`
    update users set username = ${username}, display_name = ${displayName}, email = ${email},
      email_verified = ${emailVerified}, updated_at = now(), version = version + 1
    where id = ${id}`,
  )
}

/** Writes a username; false, and nothing written, where somebody else has it, also where they came first by a moment. */
async function ifFree(sql: Sql, write: (sql: Sql) => Promise<unknown>): Promise<boolean> {
  try {
    await savepoint(sql, write)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return false
    throw error
  }
}

/** Something else that belongs to these people changed, such as their roles. */
export async function touch(sql: Sql, ids: string[]): Promise<void> {
  await sql`update users set updated_at = now(), version = version + 1 where id = any(${ids})`
}

/** Disables people, each at a time, or enables them where it is null. */
export async function setDisabled(sql: Sql, ids: string[], at: string | null): Promise<void> {
  await sql`
    update users set disabled_at = ${at}, updated_at = now(), version = version + 1 where id = any(${ids})`
}

/** Deletes a person softly: they are gone for everyone, and can be brought back. */
export async function remove(sql: Sql, id: string, left: LeftBehind | null = null): Promise<void> {
  await sql`
    update users set deleted_at = now(), left_behind = ${left && sql.json(left as never)}, updated_at = now(),
      version = version + 1
    where id = ${id}`
}

/** Brings a deleted person back, as `username` and `email`; false where somebody else has the username. */
export async function unremove(sql: Sql, id: string, username: string | null, email: string | null): Promise<boolean> {
  return ifFree(
    sql,
    (sql) => sql`
    update users set deleted_at = null, left_behind = null, username = ${username}, email = ${email},
      updated_at = now(), version = version + 1
    where id = ${id}`,
  )
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

/** Whoever has one of the lines as their id, their username or, where these count, their e-mail address. */
export async function called(
  sql: Sql,
  lines: string[],
  byEmail: boolean,
): Promise<{ line: string; id: string; displayname: string; username: string | null }[]> {
  return sql<{ line: string; id: string; displayname: string; username: string | null }[]>`
    select found.line, u.id, coalesce(u.display_name, u.username, u.id) as displayname, u.username from (
      select l.line, u.id from unnest(${lines}::text[]) as l (line) join users u on u.id = l.line
      union
      select l.line, u.id from unnest(${lines}::text[]) as l (line)
      join users u on lower(u.username) = lower(l.line) and u.deleted_at is null
      union
      select l.line, u.id from unnest(${lines}::text[]) as l (line)
      join users u on lower(u.email) = lower(l.line) and u.deleted_at is null and ${byEmail}::boolean
    ) found
    join users u on u.id = found.id and u.deleted_at is null`
}
