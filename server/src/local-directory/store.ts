import { v7 as uuid } from 'uuid'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/**
 * The issuer of directory identities in accounts. The protocol issuer follows PUBLIC_URL; this is constant, so that
 * moving a server keeps all accounts.
 */
export const identityIssuer = 'urn:passport:directory'

/** A user of the built-in directory; `id` is their `sub` there. */
export interface DirectoryUser {
  id: string
  /** The id itself for a user who signs in with the email alone. */
  name: string
  displayName: string
  email: string
  emailVerified: boolean
  passwordHash: string
  /** Changes with the password, not with another hash of the same password. */
  version: string
}

/** Returns what a user enters to sign in: the name, or the email of one who has no other. */
export const signInNameOf = ({ id, name, email }: Pick<DirectoryUser, 'id' | 'name' | 'email'>): string =>
  name === id ? email : name

const columns = (sql: Sql): Fragment => sql`id, name, display_name, email, email_verified, password_hash, version`

export async function findByName(sql: Sql, name: string): Promise<DirectoryUser | undefined> {
  const [user] = await sql<DirectoryUser[]>`
    select ${columns(sql)} from directory_people where name = ${name.toLowerCase()}`
  return user
}

/** Finds a user by what they enter to sign in: their name, or an email that only one user has. */
export async function findBySignInName(sql: Sql, entered: string): Promise<DirectoryUser | undefined> {
  const [user] = await sql<DirectoryUser[]>`with ${toFoundUser(sql, entered)} select * from found`
  return user
}

/** Reports whether a user signs in with this as their name or, even with others, as their email. */
export async function hasSignInName(sql: Sql, entered: string): Promise<boolean> {
  const name = entered.toLowerCase()
  const [row] = await sql<{ isTaken: boolean }[]>`
    select exists (select from directory_people where name = ${name} or lower(email) = ${name}) as is_taken`
  return row?.isTaken ?? false
}

/** Returns the parts of a statement of which `found` has the user who enters this to sign in. */
function toFoundUser(sql: Sql, entered: string): Fragment {
  const name = entered.toLowerCase()
  return sql`
    named as (
      select ${columns(sql)} from directory_people
      where name = ${name} or lower(email) = ${name} order by name = ${name} desc limit 2
    ), found as (
      select * from named where name = ${name} or (select count(*) from named) = 1
    )`
}

/** What is counted and read with a user who signs in. Gets an expression for their id, which is null for unknown ones. */
interface SignInQuery {
  /** Parts of a statement, and an expression for what they counted. */
  count: (id: Fragment) => { parts: Fragment; counted: Fragment }
  /** An expression for the account of the user. */
  readAccount: (id: Fragment) => Fragment
}

/** Finds a user like `findBySignInName`, in one statement that also counts the attempt. Costs the same for unknown users. */
export async function beginSignIn<Counted, Account>(
  sql: Sql,
  entered: string,
  { count, readAccount }: SignInQuery,
): Promise<{ user: DirectoryUser | undefined; counted: Counted; account: Account | undefined }> {
  const id = sql`(select id from found)`
  const { parts, counted } = count(id)
  const [row] = await sql<(DirectoryUser & { counted: Counted; account: Account | null })[]>`
    with ${toFoundUser(sql, entered)}, ${parts}
    select found.*, ${counted} as counted, ${readAccount(id)} as account
    from (select) as request left join found on true`
  if (!row) throw new Error('A query without a condition returned no row')
  const { counted: result, account, ...user } = row
  return { user: user.id === null ? undefined : user, counted: result, account: account ?? undefined }
}

/** Returns a query that selects a row, and locks the user, as long as their password is the one that was read. */
export const selectUnchanged = (sql: Sql, { id, version }: DirectoryUser): Fragment =>
  sql`select from directory_people where id = ${id} and version = ${version} for no key update`

export async function findById(sql: Sql, id: string): Promise<DirectoryUser | undefined> {
  const [user] = await sql<DirectoryUser[]>`select ${columns(sql)} from directory_people where id = ${id}`
  return user
}

/** Locks users, before their accounts, until the transaction ends. */
export async function lock(sql: Sql, ids: string[]): Promise<void> {
  await sql`select from directory_people where id = any(${ids}) order by id for update`
}

/** Returns the hashes of about `size` users in random pages of the table, or of all of a small directory. */
export async function sampleHashes(sql: Sql, size: number): Promise<string[]> {
  const sampled = await sql<{ passwordHash: string }[]>`
    select password_hash from directory_people tablesample system ((
      select least(100, 100 * ${size}::float8 / greatest(1, reltuples))
      from pg_class where oid = 'directory_people'::regclass
    )) limit ${2 * size}`
  return sampled.map(({ passwordHash }) => passwordHash)
}

/** Reports whether the directory has any user. */
export async function hasUsers(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ hasUsers: boolean }[]>`select exists (select from directory_people) as has_users`
  return row?.hasUsers ?? false
}

export interface NewDirectoryUser {
  /** Null for a user who signs in with an email that they have not proven: it stays free for its owner. */
  name: string | null
  displayName: string
  email: string
  /** Whether the user has proven the email; true by default. */
  emailVerified?: boolean
  passwordHash: string
  isDemoUser: boolean
}

/** Adds a user and returns their id. */
export async function add(
  sql: Sql,
  { name, displayName, email, emailVerified = true, passwordHash, isDemoUser }: NewDirectoryUser,
): Promise<string> {
  const id = uuid()
  await sql`
    insert into directory_people (id, name, display_name, email, email_verified, password_hash, is_cast)
    values (
      ${id}, ${name?.toLowerCase() ?? id}, ${displayName}, ${email}, ${emailVerified}, ${passwordHash}, ${isDemoUser}
    )`
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
