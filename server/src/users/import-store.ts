import type { ImportFile, ImportState, PreviewRow, RowError } from '@passport/contract/user-imports'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import { cutText } from '../http/storable-text.ts'
import type { Visit } from '../http/visit.ts'
import type { UserInput } from './create.ts'
import type { FileRow } from './user-file.ts'

/** An import and its progress, as numbers of rows. */
export interface Import {
  id: string
  state: ImportState
  /** The administrator who created it, or who started the current phase. */
  createdBy: string
  visit: Visit | null
  createdAt: string
  updatedAt: string
  /** How its file was read; null in a list, and for an import of an earlier version. */
  file: ImportFile | null
  rows: number
  faulty: number
  added: number
  takenBack: number
}

/** Adds an import without rows; returns its id. */
export async function add(sql: Sql, createdBy: string, file: ImportFile, visit: Visit): Promise<string> {
  const id = uuid()
  await sql`
    insert into user_imports (id, state, created_by, file, visit)
    values (${id}, 'checked', ${createdBy}, ${sql.json(file as never)}, ${sql.json(visit as never)})`
  return id
}

export async function addRows(sql: Sql, id: string, rows: Omit<FileRow, 'cells'>[]): Promise<void> {
  const stored = rows.map(({ line, user, errors }) => ({
    line,
    person: user,
    state: errors.length > 0 ? 'faulty' : 'valid',
    errors,
  }))
  await sql`
    insert into user_import_rows (import_id, line, person, state, errors)
    select ${id}, r."line", r."person", r."state", r."errors"
    from jsonb_to_recordset(${sql.json(stored as never)})
      as r ("line" integer, "person" jsonb, "state" text, "errors" jsonb)`
}

/** Lists the imports of the last 30 days, newest first; with an id, only that import. */
export async function list(sql: Sql, id: string | null = null): Promise<Import[]> {
  return sql<Import[]>`
    select i.id, i.state, i.created_by, i.visit, i.created_at, i.updated_at,
      case when ${id}::text is not null then i.file end as file,
      count(r.line)::integer as rows,
      (count(*) filter (where r.state = 'faulty'))::integer as faulty,
      (count(*) filter (where r.state in ('added', 'takenBack', 'kept')))::integer as added,
      (count(*) filter (where r.state = 'takenBack'))::integer as taken_back
    from user_imports i left join user_import_rows r on r.import_id = i.id
    where (i.id = ${id} or ${id}::text is null) and i.created_at > now() - interval '30 days'
    group by i.id order by i.created_at desc, i.id desc limit 50`
}

const maxErrors = 1000
/** The longest name of a role; a file may have any text. */
const maxRoleName = 100

/** Lists the first 1000 errors of rows, by line. */
export async function listErrors(sql: Sql, id: string): Promise<RowError[]> {
  return sql<RowError[]>`
    select line, error ->> 'column' as column, error ->> 'header' as header, error ->> 'code' as code,
      error ->> 'value' as value
    from user_import_rows, jsonb_array_elements(errors) with ordinality as e (error, position)
    where import_id = ${id} order by line, position limit ${maxErrors}`
}

/** Lists the first rows with errors and the first valid ones, by line. */
export async function listPreview(sql: Sql, id: string): Promise<PreviewRow[]> {
  const rows = await sql<{ line: number; user: UserInput }[]>`
    (select line, person as "user" from user_import_rows where import_id = ${id} and state = 'faulty' order by line limit 40)
    union all
    (select line, person as "user" from user_import_rows where import_id = ${id} and state = 'valid' order by line limit 10)
    order by line`
  return rows.map(({ line, user: { displayName, isDisabled, roles, ...user } }) => {
    const shown = roles.map((role) => cutText(role, maxRoleName))
    return { line, ...user, displayname: displayName, disabled: isDisabled, roles: shown }
  })
}

/** Counts the valid rows without an email and a username. */
export async function countUnreachable(sql: Sql, id: string): Promise<number> {
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*)::integer as count from user_import_rows
    where import_id = ${id} and state = 'valid' and person ->> 'email' is null and person ->> 'username' is null`
  return count
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
  errors?: FileRow['errors']
}

/** Stores the results of rows. */
export async function saveRowResults(sql: Sql, id: string, results: RowResult[]): Promise<void> {
  await sql`
    update user_import_rows as r set state = v."state", user_id = coalesce(v."userId", r.user_id),
      version = coalesce(v."version", r.version), errors = coalesce(v."errors", '[]')
    from jsonb_to_recordset(${sql.json(results as never)})
      as v ("line" integer, "state" text, "userId" text, "version" bigint, "errors" jsonb)
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
