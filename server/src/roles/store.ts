import type { Sql } from '../database/sql.ts'

/** The names of all the roles a person has, sorted, whatever gives them. */
export async function namesOf(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ role: string }[]>`select role from effective_roles where user_id = ${userId} order by role`
  return rows.map(({ role }) => role)
}

/** Whether the person did not have the role before. */
export async function grant(sql: Sql, role: string, userId: string): Promise<boolean> {
  const added = await sql`
    insert into role_members (role, user_id) values (${role}, ${userId}) on conflict do nothing returning role`
  return added.length > 0
}
