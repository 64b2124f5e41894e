import type { ImportState, RowError } from '@passport/contract/user-imports'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { CheckedRow } from './check-import.ts'
import type { UserInput } from './create.ts'

/** An import and its progress, as numbers of rows. */
export interface Import {
  id: string
  state: ImportState
  /** The administrator who created it, or who started the current phase. */
  createdBy: string
  visit: Visit | null
  createdAt: string
  updatedAt: string
  rows: number
  faulty: number
  added: number
  takenBack: number
}

/** Adds an import without rows; returns its id. */
export async function add(sql: Sql, createdBy: string, visit: Visit): Promise<string> {
  const id = uuid()
  await sql`
    insert into user_imports (id, state, created_by, visit)
    values (${id}, 'checked', ${createdBy}, ${sql.json(visit as never)})`
  return id
}

export async function addRows(sql: Sql, id: string, rows: CheckedRow[]): Promise<void> {
  const stored = rows.map(({ line, user, error }) => ({
    line,
    person: user,
    state: error ? 'faulty' : 'valid',
    column: error?.column,
    code: error?.code,
  }))
  await sql`
    insert into user_import_rows (import_id, line, person, state, fault_column, fault_code)
    select ${id}, r."line", r."person", r."state", r."column", r."code"
    from jsonb_to_recordset(${sql.json(stored as never)})
      as r ("line" integer, "person" jsonb, "state" text, "column" text, "code" text)`
}

/** Lists the imports of the last 30 days, newest first; with an id, only that import. */
export async function list(sql: Sql, id: string | null = null): Promise<Import[]> {
  return sql<Import[]>`
    select i.id, i.state, i.created_by, i.visit, i.created_at, i.updated_at,
      count(r.line)::integer as rows,
      (count(*) filter (where r.state = 'faulty'))::integer as faulty,
      (count(*) filter (where r.state in ('added', 'takenBack', 'kept')))::integer as added,
      (count(*) filter (where r.state = 'takenBack'))::integer as taken_back
    from user_imports i left join user_import_rows r on r.import_id = i.id
    where (i.id = ${id} or ${id}::text is null) and i.created_at > now() - interval '30 days'
    group by i.id order by i.created_at desc, i.id desc limit 50`
}

const maxErrors = 1000

/** Lists the first 1000 row errors, by line. */
export async function listErrors(sql: Sql, id: string): Promise<RowError[]> {
  return sql<RowError[]>`
    select line, fault_column as column, fault_code as code from user_import_rows
    where import_id = ${id} and fault_code is not null order by line limit ${maxErrors}`
}

/** Lists the roles that the valid rows give, by name. */
export async function listRoles(sql: Sql, id: string): Promise<{ name: string; users: number }[]> {
  return sql<{ name: string; users: number }[]>`
    select role as name, count(*)::integer as users
    from user_import_rows, jsonb_array_elements_text(person -> 'roles') role
    where import_id = ${id} and state = 'valid' group by role order by role collate "C"`
}

/** Starts a phase of an import on behalf of an actor; returns false if the import is in another state than `from`. */
export async function startPhase(
  sql: Sql,
  id: string,
  states: { from: ImportState; to: ImportState },
  actor: { actorId: string; visit: Visit },
): Promise<boolean> {
  const [updated] = await sql`
    update user_imports set state = ${states.to}, created_by = ${actor.actorId}, visit = ${sql.json(actor.visit as never)},
      updated_at = now()
    where id = ${id} and state = ${states.from} returning id`
  return updated !== undefined
}

/** Lists the ids of unfinished imports. */
export async function listUnfinished(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from user_imports where state in ('applying', 'takingBack') order by id`
  return rows.map(({ id }) => id)
}

export type UnfinishedImport = Pick<Import, 'id' | 'state' | 'createdBy' | 'visit'>

/** Locks an unfinished import for this transaction; undefined if it is finished or another process has locked it. */
export async function lockUnfinished(sql: Sql, id: string): Promise<UnfinishedImport | undefined> {
  const [locked] = await sql<UnfinishedImport[]>`
    select id, state, created_by, visit from user_imports
    where id = ${id} and state in ('applying', 'takingBack') for update skip locked`
  return locked
}

/** A row to process; an added one has its user, with the version after the import. */
export interface Row {
  line: number
  user: UserInput
  userId: string | null
  version: number | null
}

/** Lists the next rows in a state, by line. */
export async function listNextRows(sql: Sql, id: string, state: 'valid' | 'added', limit: number): Promise<Row[]> {
  return sql<Row[]>`
    select line, person as "user", user_id, version::integer as version from user_import_rows
    where import_id = ${id} and state = ${state} order by line limit ${limit}`
}

/** The result of processing a row. */
export interface RowResult {
  line: number
  state: 'faulty' | 'added' | 'takenBack' | 'kept'
  userId?: string | null
  version?: number | null
  column?: string | null
  code?: string
}

/** Stores the results of rows. */
export async function saveRowResults(sql: Sql, id: string, results: RowResult[]): Promise<void> {
  await sql`
    update user_import_rows as r set state = v."state", user_id = coalesce(v."userId", r.user_id),
      version = coalesce(v."version", r.version), fault_column = v."column", fault_code = v."code"
    from jsonb_to_recordset(${sql.json(results as never)})
      as v ("line" integer, "state" text, "userId" text, "version" bigint, "column" text, "code" text)
    where r.import_id = ${id} and r.line = v."line"`
}

/** Ends the current phase of an import in a state. */
export async function finish(sql: Sql, id: string, state: ImportState): Promise<void> {
  await sql`update user_imports set state = ${state}, updated_at = now() where id = ${id}`
}

/** Deletes at most `limit` imports older than 30 days; returns their number. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from user_imports where id in (
      select id from user_imports where created_at <= now() - interval '30 days' order by created_at
      limit ${limit})`
  return removed.count
}
