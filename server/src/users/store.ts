import type { UserAccess } from '@passport/contract/users'
import { v7 as uuid } from 'uuid'
import { type Sql, savepoint } from '../database/sql.ts'
import type { DirectRole, FormerGroups, FormerOrg, OrgOfUser } from './user-access.ts'

/** The table and columns for bulk loads of users. */
export const copyTarget = {
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

/** The fields of a user at their first sign-in. */
export interface NewUser {
  username: string | null
  displayName: string | null
  email: string | null
  emailVerified: boolean
  /**
   * The organisation that vouched for a verified email by its domain, null if the user proved it or an administrator stated
   * it. Null for an unverified one.
   */
  emailVerifiedBy: string | null
}

export interface User extends Omit<NewUser, 'emailVerifiedBy'> {
  id: string
  disabledAt: string | null
}

/** Adds a user and returns their id. A taken username is omitted rather than rejected: the user can choose one. */
export async function create(sql: Sql, user: NewUser): Promise<string> {
  const id = uuid()
  const added = await sql`
    insert into users (id, username, display_name, email, email_verified, email_verified_by)
    values (
      ${id}, ${user.username}, ${user.displayName}, ${user.email}, ${user.emailVerified}, ${user.emailVerifiedBy}
    )
    on conflict (lower(username)) where deleted_at is null do nothing
    returning id`
  return added.length > 0 ? id : create(sql, { ...user, username: null })
}

/** Finds a user who is not deleted. */
export async function find(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from users where id = ${id} and deleted_at is null`
  return user
}

/** Like `find`, and locks the user until the transaction ends, including against new records that refer to the user. */
export async function lock(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from users
    where id = ${id} and deleted_at is null for update`
  return user
}

/** Marks an account as having a login. */
export async function activate(sql: Sql, id: string): Promise<void> {
  await sql`update users set activated_at = now() where id = ${id} and activated_at is null`
}

/** Counts all users, including deleted ones. */
export async function count(sql: Sql): Promise<number> {
  const [row] = await sql<{ users: number }[]>`select count(*)::integer as users from users`
  return row?.users ?? 0
}

/** Changes the display name and the username. Fails with 23505 if the username is taken. */
export async function setNames(
  sql: Sql,
  id: string,
  { displayName, username }: { displayName: string | null; username: string | null },
): Promise<void> {
  await sql`
    update users set display_name = ${displayName}, username = ${username}, updated_at = now(), version = version + 1
    where id = ${id}`
}

/** Returns the display name of each user, or else the username, email or id, sorted by name. */
export async function listNames(
  sql: Sql,
  ids: string[],
): Promise<{ id: string; name: string; username: string | null }[]> {
  return sql<{ id: string; name: string; username: string | null }[]>`
    select id, coalesce(display_name, username, email, id) as name, username from users where id = any(${ids})
    order by sort_name, id`
}

/**
 * Finds the account of an invited address: one that has it verified and has had a login, or one that is prepared for it (see
 * `prepared_accounts`). Any other account may have the address without being that of its user. A verified one is preferred.
 */
export async function findInvited(sql: Sql, email: string): Promise<{ id: string; isPrepared: boolean } | undefined> {
  const [user] = await sql<{ id: string; isPrepared: boolean }[]>`
    select id, is_prepared from (
      select id, email_verified, true as is_prepared from prepared_accounts where lower(email) = lower(${email})
      union all
      select id, email_verified, false from users
      where lower(email) = lower(${email}) and email_verified and activated_at is not null and deleted_at is null
    ) found
    order by email_verified desc, is_prepared, id limit 1`
  return user
}

/** Reports whether a user who has signed in has this email, verified. */
export async function isVerifiedInUse(sql: Sql, email: string): Promise<boolean> {
  const rows = await sql`
    select from users
    where lower(email) = lower(${email}) and email_verified and activated_at is not null and deleted_at is null limit 1`
  return rows.length > 0
}

/** Finds a prepared account (see `prepared_accounts`); undefined if it is none. */
export async function findPrepared(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from prepared_accounts where id = ${id}`
  return user
}

/** Locks a prepared account (see `prepared_accounts`); undefined if it is none. */
export async function lockPrepared(sql: Sql, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select id, username, display_name, email, email_verified, disabled_at from prepared_accounts
    where id = ${id} for update`
  return user
}

/**
 * Fills a prepared account with the fields of its first sign-in, which verifies the email unless it is verified already; a
 * taken username is omitted.
 */
export async function completePrepared(
  sql: Sql,
  id: string,
  { username, displayName, emailVerifiedBy }: Omit<NewUser, 'email' | 'emailVerified'>,
): Promise<void> {
  const fill = (username: string | null) => (sql: Sql) =>
    sql`
    update users set email_verified = true,
      email_verified_by = case when email_verified then email_verified_by else ${emailVerifiedBy} end,
      display_name = coalesce(display_name, ${displayName}),
      username = coalesce(username, ${username}), updated_at = now(), version = version + 1
    where id = ${id}`
  if (!(await writeIfFree(sql, fill(username)))) await fill(null)(sql)
}

/** Returns the ids that exist, and locks these users against change and deletion until the transaction ends. */
export async function lockExisting(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from users where id = any(${ids}) and deleted_at is null order by id for no key update`
  return new Set(rows.map(({ id }) => id))
}

/** The data of a user for administrators, without logins. */
export interface UserRow extends NewUser {
  id: string
  disabledAt: string | null
  deletedAt: string | null
  /** Of a deleted user, for a restore. */
  leftBehind: FormerMemberships | null
  createdAt: string
  updatedAt: string
  lastSignInAt: string | null
  version: number
  sortName: string
  status: 'active' | 'invited' | 'disabled'
  roles: string[]
  effectiveRoles: string[]
  orgs: OrgOfUser[]
  pictureHash: string | null
}

/** The former roles and memberships of a deleted user. */
export interface FormerMemberships {
  roles: DirectRole[]
  groups: FormerGroups
  orgs: FormerOrg[]
}

/** Returns users by id, including deleted ones, in no particular order. */
export async function listRows(sql: Sql, ids: string[]): Promise<UserRow[]> {
  return sql<UserRow[]>`
    select id, username, display_name, email, email_verified, disabled_at, deleted_at, left_behind, created_at,
      updated_at, last_sign_in_at, version, sort_name, status, roles, effective_roles, orgs, picture_hash,
      email_verified_by
    from user_rows where id = any(${ids})`
}

/** Like `listRows`, and locks these users until the transaction ends. */
export async function lockRows(sql: Sql, ids: string[]): Promise<UserRow[]> {
  await sql`select from users where id = any(${ids}) order by id for no key update`
  return listRows(sql, ids)
}

/** Returns the roles, groups and organisations of a user with their origins, as in the contract. */
export async function findAccess(sql: Sql, id: string): Promise<UserAccess | undefined> {
  const [access] = await sql<UserAccess[]>`select roles, groups, orgs from user_access where id = ${id}`
  return access
}

/** Serializes assignments of emails until the transaction ends. */
export async function lockEmails(sql: Sql): Promise<void> {
  await sql`select from user_email_lock for update`
}

/** Returns those of the emails and usernames, in lower case, that are in use. */
export async function listTaken(
  sql: Sql,
  emails: string[],
  usernames: string[],
): Promise<{ emails: Set<string>; usernames: Set<string> }> {
  const rows = await sql<{ email: string | null; username: string | null }[]>`
    select lower(email) as email, null as username from users where lower(email) = any(${emails}) and deleted_at is null
    union all
    select null, lower(username) from users where lower(username) = any(${usernames}) and deleted_at is null`
  return {
    emails: new Set(rows.flatMap(({ email }) => email ?? [])),
    usernames: new Set(rows.flatMap(({ username }) => username ?? [])),
  }
}

/** An account that holds an email address. */
export interface AddressHolder {
  id: string
  username: string | null
  displayName: string | null
  email: string
  emailVerified: boolean
  emailVerifiedBy: string | null
}

/** Lists the accounts that hold an address, except one. */
export async function listHolders(sql: Sql, email: string, except = ''): Promise<AddressHolder[]> {
  return sql<AddressHolder[]>`
    select id, username, display_name, email, email_verified, email_verified_by from users
    where lower(email) = ${email.toLowerCase()} and deleted_at is null and id <> ${except} order by id`
}

/**
 * Marks the addresses at domains as unverified that another organisation vouched for than `orgId`, also of deleted users;
 * returns these users.
 */
export async function endVouches(
  sql: Sql,
  { orgId, domains }: { orgId: string; domains: string[] },
): Promise<{ id: string; email: string; voucher: string }[]> {
  return sql<{ id: string; email: string; voucher: string }[]>`
    with vouched as (
      select id, email_verified_by from users
      where lower(split_part(email, '@', 2)) = any(${domains}) and email_verified_by is not null
        and email_verified_by <> ${orgId}
      order by id for no key update
    )
    update users u set email_verified = false, email_verified_by = null, updated_at = now(), version = version + 1
    from vouched v where u.id = v.id
    returning u.id, u.email, v.email_verified_by as voucher`
}

/** Takes the email address from an account. */
export async function dropEmail(sql: Sql, id: string): Promise<void> {
  await sql`
    update users set email = null, email_verified = false, email_verified_by = null, updated_at = now(),
      version = version + 1
    where id = ${id}`
}

/** A user with an id, for `addAll`. */
export interface AddedUser extends NewUser {
  id: string
  isDisabled: boolean
}

/** Adds users; returns the ids of those whose username was free. */
export async function addAll(sql: Sql, users: AddedUser[]): Promise<Set<string>> {
  const added = await sql<{ id: string }[]>`
    insert into users (id, username, display_name, email, email_verified, email_verified_by, disabled_at)
    select p."id", p."username", p."displayName", p."email", p."emailVerified", p."emailVerifiedBy",
      case when p."isDisabled" then now() end
    from jsonb_to_recordset(${sql.json(users as never)}) as p ("id" text, "username" text, "displayName" text,
      "email" text, "emailVerified" boolean, "emailVerifiedBy" text, "isDisabled" boolean)
    on conflict (lower(username)) where deleted_at is null do nothing
    returning id`
  return new Set(added.map(({ id }) => id))
}

/** Saves the fields of a user; returns false if the username is taken. */
export async function save(sql: Sql, id: string, user: NewUser): Promise<boolean> {
  const { username, displayName, email, emailVerified, emailVerifiedBy } = user
  return writeIfFree(
    sql,
    (sql) => sql`
    update users set username = ${username}, display_name = ${displayName}, email = ${email},
      email_verified = ${emailVerified}, email_verified_by = ${emailVerifiedBy}, updated_at = now(),
      version = version + 1
    where id = ${id}`,
  )
}

/** Runs a write of a username; returns false, with nothing written, if a user or a concurrent transaction has taken it. */
async function writeIfFree(sql: Sql, write: (sql: Sql) => Promise<unknown>): Promise<boolean> {
  try {
    await savepoint(sql, write)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return false
    throw error
  }
}

/** Increments the versions of users after a change of related records, such as their roles. */
export async function touch(sql: Sql, ids: string[]): Promise<void> {
  await sql`update users set updated_at = now(), version = version + 1 where id = any(${ids})`
}

/** Disables users as of `disabledAt`, or enables them if it is null. */
export async function setDisabled(sql: Sql, ids: string[], disabledAt: string | null): Promise<void> {
  await sql`
    update users set disabled_at = ${disabledAt}, updated_at = now(), version = version + 1 where id = any(${ids})`
}

/** Soft-deletes a user, who can be restored. */
export async function remove(sql: Sql, id: string, former: FormerMemberships | null = null): Promise<void> {
  await sql`
    update users set deleted_at = now(), left_behind = ${former && sql.json(former as never)}, updated_at = now(),
      version = version + 1
    where id = ${id}`
}

/** Removes a group from what deleted users were members of, so that a restore does not give it back. */
export async function forgetFormerGroup(sql: Sql, ids: string[], groupId: string): Promise<void> {
  await sql`
    update users set left_behind = jsonb_set(left_behind, '{groups,member}', (
      select coalesce(jsonb_agg(m order by position), '[]')
      from jsonb_array_elements(left_behind #> '{groups,member}') with ordinality e (m, position)
      where m ->> 'groupId' <> ${groupId}))
    where id = any(${ids}) and left_behind is not null`
}

/** Restores a deleted user with a username and email, unverified if it changes; returns false if the username is taken. */
export async function restoreDeleted(
  sql: Sql,
  id: string,
  username: string | null,
  email: string | null,
): Promise<boolean> {
  return writeIfFree(
    sql,
    (sql) => sql`
    update users set deleted_at = null, left_behind = null, username = ${username}, email = ${email},
      email_verified = email_verified and lower(email) is not distinct from lower(${email}),
      email_verified_by = case when lower(email) is not distinct from lower(${email}) then email_verified_by end,
      updated_at = now(), version = version + 1
    where id = ${id}`,
  )
}

/** Locks at most `limit` users deleted more than `olderThanDays` days ago until the transaction ends; returns their ids. */
export async function lockDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from users where deleted_at < now() - make_interval(days => ${olderThanDays})
    order by deleted_at limit ${limit} for update skip locked`
  return rows.map(({ id }) => id)
}

/** Deletes users permanently, with all their data. */
export async function erase(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from users where id = any(${ids})`
}

/** Finds users by id, username or, with `byEmail`, email address. A line may match several users. */
export async function findByLines(
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
