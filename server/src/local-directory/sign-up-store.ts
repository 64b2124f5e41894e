import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'

/** What a user entered to sign up, and where they continue. */
export interface NewSignUp {
  email: string
  displayName: string
  passwordHash: string
  /** The URL in the app to return to, without the origin. */
  returnTo: string
  /** The id of the pending authorization request. */
  interaction: string | null
}

/** A sign-up in progress. */
export interface SignUp extends NewSignUp {
  codeHash: string | null
  isCodeExpired: boolean
  wrongCodes: number
  /** The user of the directory, once the code was right. */
  personId: string | null
}

/** Stores a sign-up for the browser with this token, in place of an earlier one. */
export async function save(
  sql: Sql,
  token: string,
  { email, displayName, passwordHash, returnTo, interaction }: NewSignUp,
  { codeHash, codeSeconds, seconds }: { codeHash: string | null; codeSeconds: number; seconds: number },
): Promise<void> {
  await sql`
    insert into directory_sign_ups (
      token_hash, email, display_name, password_hash, code_hash, return_to, interaction, code_expires_at, expires_at
    )
    values (
      ${hashToken(token)}, ${email}, ${displayName}, ${passwordHash}, ${codeHash}, ${returnTo}, ${interaction},
      now() + make_interval(secs => ${codeSeconds}), now() + make_interval(secs => ${seconds})
    )`
}

/** Finds the sign-up of the browser with this token. */
export async function find(sql: Sql, token: string): Promise<SignUp | undefined> {
  const [row] = await sql<SignUp[]>`
    select email, display_name, password_hash, return_to, interaction, code_hash, code_expires_at <= now() as is_code_expired,
      wrong_codes, person_id
    from directory_sign_ups where token_hash = ${hashToken(token)} and expires_at > now()`
  return row
}

/** Like `find`, and locks the sign-up until the transaction ends. */
export async function lock(sql: Sql, token: string): Promise<SignUp | undefined> {
  const [row] = await sql<SignUp[]>`
    select email, display_name, password_hash, return_to, interaction, code_hash, code_expires_at <= now() as is_code_expired,
      wrong_codes, person_id
    from directory_sign_ups where token_hash = ${hashToken(token)} and expires_at > now() for update`
  return row
}

/** Replaces the code, and resets the count of wrong ones. */
export async function renewCode(
  sql: Sql,
  token: string,
  { codeHash, codeSeconds }: { codeHash: string | null; codeSeconds: number },
): Promise<void> {
  await sql`
    update directory_sign_ups
    set code_hash = ${codeHash}, code_expires_at = now() + make_interval(secs => ${codeSeconds}), wrong_codes = 0
    where token_hash = ${hashToken(token)}`
}

export async function countWrongCode(sql: Sql, token: string): Promise<void> {
  await sql`
    update directory_sign_ups set wrong_codes = wrong_codes + 1 where token_hash = ${hashToken(token)}`
}

/** Records the user that the sign-up created, who can sign in with it for some seconds. */
export async function markConfirmed(sql: Sql, token: string, personId: string, seconds: number): Promise<void> {
  await sql`
    update directory_sign_ups set person_id = ${personId}, expires_at = now() + make_interval(secs => ${seconds})
    where token_hash = ${hashToken(token)}`
}

/** Removes a confirmed sign-up for this email; returns its user, once. */
export async function redeem(sql: Sql, token: string, email: string): Promise<string | undefined> {
  const [row] = await sql<{ personId: string }[]>`
    delete from directory_sign_ups
    where token_hash = ${hashToken(token)} and email = ${email} and person_id is not null and expires_at > now()
    returning person_id`
  return row?.personId
}

/** Removes the sign-up of a browser. */
export async function remove(sql: Sql, token: string): Promise<void> {
  await sql`delete from directory_sign_ups where token_hash = ${hashToken(token)}`
}

/** Deletes at most `limit` expired sign-ups; returns how many. */
export async function sweepSignUps(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from directory_sign_ups where token_hash in (
      select token_hash from directory_sign_ups where expires_at <= now() limit ${limit})`
  return removed.count
}

/** Ends the sign-ups by which a directory user could still sign in. */
export async function endAllOf(sql: Sql, personId: string): Promise<void> {
  await sql`delete from directory_sign_ups where person_id = ${personId}`
}
