import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { RecordKind } from './report.ts'

export interface DirectoryImport {
  id: string
  source: string
  state: 'applying' | 'applied' | 'takenBack'
  createdAt: string
  /** The records that it added and that were not taken back. */
  roles: number
  organisations: number
  groups: number
  users: number
}

/** Lists imports, newest first; with an id, only that import. */
export async function list(sql: Sql, id: string | null = null): Promise<DirectoryImport[]> {
  return sql<DirectoryImport[]>`
    select i.id, i.source, i.state, i.created_at,
      (count(*) filter (where r.kind = 'role'))::integer as roles,
      (count(*) filter (where r.kind = 'organisation'))::integer as organisations,
      (count(*) filter (where r.kind = 'group'))::integer as groups,
      (count(*) filter (where r.kind = 'user'))::integer as users
    from directory_imports i left join directory_import_records r on r.import_id = i.id and r.state <> 'takenBack'
    where i.id = ${id} or ${id}::text is null
    group by i.id order by i.created_at desc, i.id desc limit 100`
}

/** Continues an unfinished import of the source, or starts one; returns its id. */
export async function begin(sql: Sql, source: string): Promise<string> {
  const [unfinished] = await sql<{ id: string }[]>`
    select id from directory_imports where source = ${source} and state = 'applying' order by created_at limit 1`
  if (unfinished) return unfinished.id
  const id = uuid()
  await sql`insert into directory_imports (id, source) values (${id}, ${source})`
  return id
}

export async function finish(sql: Sql, id: string, state: 'applied' | 'takenBack'): Promise<void> {
  await sql`update directory_imports set state = ${state}, updated_at = now() where id = ${id}`
}

/** Deletes an import that added nothing. */
export async function discard(sql: Sql, id: string): Promise<void> {
  await sql`delete from directory_imports where id = ${id}`
}

export interface ImportRecord {
  kind: RecordKind | 'user'
  sourceKey: string
  recordId: string
  version: number | null
}

export async function addRecords(sql: Sql, importId: string, records: ImportRecord[]): Promise<void> {
  await sql`
    insert into directory_import_records (import_id, kind, source_key, record_id, version)
    select ${importId}, r."kind", r."sourceKey", r."recordId", r."version"
    from jsonb_to_recordset(${sql.json(records as never)})
      as r ("kind" text, "sourceKey" text, "recordId" text, "version" bigint)
    on conflict (import_id, kind, source_key) do update set record_id = excluded.record_id,
      version = excluded.version, state = 'added'`
}

/** Returns those of the users of a source that an import of it has added and nobody took back. */
export async function listImported(sql: Sql, source: string, sourceKeys: string[]): Promise<Set<string>> {
  const rows = await sql<{ sourceKey: string }[]>`
    select r.source_key from directory_import_records r join directory_imports i on i.id = r.import_id
    where r.kind = 'user' and r.source_key = any(${sourceKeys}) and r.state <> 'takenBack' and i.source = ${source}`
  return new Set(rows.map(({ sourceKey }) => sourceKey))
}

/** Lists the next records of an import to take back. */
export async function listAdded(
  sql: Sql,
  importId: string,
  kind: ImportRecord['kind'],
  limit: number,
): Promise<ImportRecord[]> {
  return sql<ImportRecord[]>`
    select kind, source_key, record_id, version::integer as version from directory_import_records
    where import_id = ${importId} and kind = ${kind} and state = 'added' order by source_key limit ${limit}`
}

export async function setStates(
  sql: Sql,
  importId: string,
  kind: ImportRecord['kind'],
  states: { sourceKey: string; state: 'takenBack' | 'kept' }[],
): Promise<void> {
  await sql`
    update directory_import_records r set state = v."state"
    from jsonb_to_recordset(${sql.json(states as never)}) as v ("sourceKey" text, "state" text)
    where r.import_id = ${importId} and r.kind = ${kind} and r.source_key = v."sourceKey"`
}
