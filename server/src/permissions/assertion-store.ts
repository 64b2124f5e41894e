import type { NewAssertion } from '@passport/contract/permissions'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

export interface SavedAssertion {
  id: string
  assertion: NewAssertion
  createdAt: string
}

/** Returns all assertions, oldest first. */
export async function list(sql: Sql): Promise<SavedAssertion[]> {
  return sql<SavedAssertion[]>`select id, content as assertion, created_at from permission_assertions order by id`
}

export async function count(sql: Sql): Promise<number> {
  const [counted] = await sql<{ saved: number }[]>`select count(*)::integer as saved from permission_assertions`
  return counted?.saved ?? 0
}

export async function add(sql: Sql, assertions: NewAssertion[]): Promise<SavedAssertion[]> {
  const rows = assertions.map((content) => ({ id: uuid(), content }))
  return sql<SavedAssertion[]>`
    insert into permission_assertions (id, content)
    select a.id, a.content from jsonb_to_recordset(${sql.json(rows as never)}) as a (id text, content jsonb)
    returning id, content as assertion, created_at`
}

/** Deletes an assertion, and returns it; undefined if it does not exist. */
export async function remove(sql: Sql, id: string): Promise<SavedAssertion | undefined> {
  const [removed] = await sql<SavedAssertion[]>`
    delete from permission_assertions where id = ${id} returning id, content as assertion, created_at`
  return removed
}

/** Replaces all assertions of the given kinds, and returns the replaced ones. */
export async function replace(
  sql: Sql,
  kinds: NewAssertion['kind'][],
  assertions: NewAssertion[],
): Promise<NewAssertion[]> {
  const removed = await sql<{ assertion: NewAssertion }[]>`
    delete from permission_assertions where content ->> 'kind' = any(${kinds}) returning content as assertion`
  if (assertions.length > 0) await add(sql, assertions)
  return removed.map(({ assertion }) => assertion)
}
