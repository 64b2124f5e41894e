import type { Sql } from '../database/sql.ts'

/** What is given where many have a role. */
export const load = { table: 'role_members', columns: ['role', 'user_id'] }

/** The names of all the roles a person has, sorted, whatever gives them. */
export async function namesOf(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ role: string }[]>`select role from effective_roles where user_id = ${userId} order by role`
  return rows.map(({ role }) => role)
}

/** Whether the person did not have the role of themselves before. */
export async function grant(sql: Sql, role: string, userId: string, by: string | null = null): Promise<boolean> {
  const added = await sql`
    insert into role_members (role, user_id, granted_by) values (${role}, ${userId}, ${by})
    on conflict do nothing returning role`
  return added.length > 0
}

/** Whether the person had the role of themselves. */
export async function take(sql: Sql, role: string, userId: string): Promise<boolean> {
  const removed = await sql`delete from role_members where role = ${role} and user_id = ${userId} returning role`
  return removed.length > 0
}

/** A role that a person has of themselves. */
export interface DirectRole {
  userId: string
  role: string
  /** ISO 8601. */
  grantedAt: string
  grantedBy: string | null
}

/** Gives people roles of themselves; returns those that they did not have. Where a time is told, it was given then. */
export async function grantAll(
  sql: Sql,
  grants: { userId: string; role: string; grantedAt?: string; grantedBy: string | null }[],
): Promise<{ userId: string; role: string }[]> {
  return sql<{ userId: string; role: string }[]>`
    insert into role_members (role, user_id, granted_at, granted_by)
    select r.name, g."userId", coalesce(g."grantedAt", now()), g."grantedBy"
    from jsonb_to_recordset(${sql.json(grants as never)})
      as g ("userId" text, "role" text, "grantedAt" timestamptz, "grantedBy" text)
    join roles r on r.name = g."role"
    on conflict do nothing returning user_id, role`
}

/** Takes roles from people, all that they have of themselves where none is named; returns what was taken. */
export async function takeAll(sql: Sql, people: string[], role: string | null = null): Promise<DirectRole[]> {
  return sql<DirectRole[]>`
    delete from role_members where user_id = any(${people}) and (${role}::text is null or role = ${role})
    returning user_id, role, granted_at, granted_by`
}

/** Of some names, those that no role has. */
export async function unknownOf(sql: Sql, names: string[]): Promise<Set<string>> {
  const unknown = await sql<{ name: string }[]>`
    select name from unnest(${names}::text[]) as name where name not in (select r.name from roles r)`
  return new Set(unknown.map(({ name }) => name))
}

/** Of the people, who has which role now. */
export interface Holding {
  userId: string
  role: string
}

export async function holdingsOf(sql: Sql, people: string[]): Promise<Holding[]> {
  return sql<Holding[]>`select user_id, role from effective_roles where user_id = any(${people})`
}

/** Lets no two changes of roles pass each other: each sees what the one before it left. */
export async function lockChanges(sql: Sql): Promise<void> {
  await sql`select from roles where name = 'Passport.Admin' for no key update`
}

/** Whether anybody could still run the console, and whether this person could. */
export async function administration(sql: Sql, userId: string | null): Promise<{ isLeft: boolean; isTheirs: boolean }> {
  const [found] = await sql<{ isLeft: boolean; isTheirs: boolean }[]>`
    select exists (select from administrators) as is_left,
      exists (select from administrators where user_id = ${userId}) as is_theirs`
  return found ?? { isLeft: false, isTheirs: false }
}

/** Those of the names that are names of roles. */
export async function known(sql: Sql, names: string[]): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`select name from roles where name = any(${names}) for key share`
  return new Set(rows.map(({ name }) => name))
}

/** Since when a person has a role, by whatever gave it first of what gives it now. */
export async function heldSince(sql: Sql, userId: string, role: string): Promise<string | null> {
  const [row] = await sql<{ since: string | null }[]>`
    select min(since) as since from role_sources where user_id = ${userId} and role = ${role}`
  return row?.since ?? null
}
