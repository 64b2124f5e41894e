import type { RelationshipFilter } from '@passport/permissions/relationship'
import type { Sql } from '../database/sql.ts'
import { filled, type RowKey, type Terms } from './rows.ts'

/** Where the log ends. */
export interface Head {
  epoch: string
  /** Epochs of before a restore, each with the last revision of it that is part of this log. */
  former: Record<string, number>
  rev: number
  schemaId: string | null
  /** Nothing before this revision can be told any more. */
  horizon: number
}

export async function readHead(sql: Sql): Promise<Head> {
  const [head] = await sql<Head[]>`
    select epoch, former, rev::double precision as rev, schema_id, horizon::double precision as horizon from relationship_head`
  return head as Head
}

/** Like `readHead`; no other change is committed until the transaction ends. */
export async function lockHead(sql: Sql): Promise<Head> {
  await sql`select from relationship_head for update`
  return readHead(sql)
}

/**
 * Which schema the changes of this transaction are checked against: where it is another one at the commit, that fails
 * with 40001, upon which the transaction is run again. Tells the history who does it.
 */
export async function beginWrite(sql: Sql, by: string | null): Promise<string | null> {
  const [found] = await sql<{ checkedAgainst: string }[]>`
    select set_config('passport.permission_schema', coalesce(
        nullif(current_setting('passport.permission_schema', true), ''), schema_id::text, 'none'), true) as checked_against,
      set_config('passport.actor', coalesce(${by}, current_setting('passport.actor', true)), true)
    from relationship_head`
  return found && found.checkedAgainst !== 'none' ? found.checkedAgainst : null
}

/** Gives the transaction its place among all changes, and returns it; others wait for its end from here on. */
export async function numberWrite(sql: Sql): Promise<Head> {
  await sql`set constraints relationship_commits_numbered immediate`
  return readHead(sql)
}

/** Which commit the changes of this transaction are part of; null where it made none. */
export async function commitOfWrite(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ id: string | null }[]>`
    select nullif(current_setting('passport.relationship_commit', true), '') as id`
  return row?.id ?? null
}

/** The number of a commit that is done. */
export async function revisionOfCommit(sql: Sql, id: string): Promise<Pick<Head, 'epoch' | 'rev'> | undefined> {
  const [row] = await sql<Pick<Head, 'epoch' | 'rev'>[]>`
    select h.epoch, c.rev::double precision as rev from relationship_commits c cross join relationship_head h
    where c.id = ${id}`
  return row
}

/** The text of a schema; undefined where it is not there. */
export async function readSchema(sql: Sql, id: string): Promise<string | undefined> {
  const [schema] = await sql<{ text: string }[]>`select text from permission_schemas where id = ${id}`
  return schema?.text
}

/** Which schema was in force at a revision; null where there was none. */
export async function schemaIdAt(sql: Sql, rev: number): Promise<string | null> {
  const [schema] = await sql<{ id: string }[]>`
    select id from permission_schemas where rev <= ${rev} order by rev desc limit 1`
  return schema?.id ?? null
}

/** Keeps the text of a schema under the id of this transaction's commit, which it returns. */
export async function addSchema(sql: Sql, text: string): Promise<string> {
  const [commit] = await sql<{ id: string }[]>`select relationship_commit() as id`
  const id = commit?.id ?? ''
  await sql`
    insert into permission_schemas (id, text) values (${id}, ${text}) on conflict (id) do update set text = excluded.text`
  return id
}

/** Puts a schema in force; the head is locked. */
export async function putInForce(sql: Sql, id: string): Promise<void> {
  await sql`update relationship_head set schema_id = ${id}`
  await sql`select set_config('passport.permission_schema', ${id}, true)`
}

/** What others committed after a revision, in no order; undefined where that is more than so many changes, or not told. */
export async function changesSince(
  sql: Sql,
  rev: number,
  limit: number,
): Promise<(RowKey & { before: Terms | null; after: Terms | null })[] | undefined> {
  const rows = await sql<(RowKey & { before: Terms | null; after: Terms | null; isReload: boolean })[]>`
    select h.resource_type, h.resource_id, h.relation, h.subject_type, h.subject_id, h.subject_relation, h.before,
      h.after, c.is_reload
    from relationship_commits c left join relationship_changes h on h.commit_id = c.id
    where c.rev > ${rev} limit ${limit + 1}`
  if (rows.length > limit || rows.some(({ isReload }) => isReload)) return undefined
  return rows.filter(({ resourceType }) => resourceType !== null)
}

/** A row of the log: a commit, with one of its changes unless it has none. */
export interface LogRow extends RowKey {
  rev: number
  isSchemaChange: boolean
  isReload: boolean
  /** Whether there is a change in this row. */
  isChange: boolean
  after: Terms | null
}

/** What became of relationships after a revision and up to another, commit by commit, of so many commits at most. */
export function readLog(sql: Sql, after: number, upTo: number, limit: number): AsyncIterable<LogRow[]> {
  return sql<LogRow[]>`
    select c.rev::double precision as rev, s.id is not null as is_schema_change, c.is_reload,
      h.commit_id is not null as is_change, h.resource_type, h.resource_id, h.relation, h.subject_type, h.subject_id,
      h.subject_relation, h.after
    from (select id, rev, is_reload from relationship_commits where rev > ${after} and rev <= ${upTo}
      order by rev limit ${limit}) c
    left join permission_schemas s on s.id = c.id
    left join relationship_changes h on h.commit_id = c.id and h.before is distinct from h.after
    order by c.rev`.cursor(5000)
}

/** What this transaction changed of relationships so far, the first of them. */
export async function changesOfWrite(
  sql: Sql,
  limit: number,
): Promise<(RowKey & { before: Terms | null; after: Terms | null })[]> {
  return sql<(RowKey & { before: Terms | null; after: Terms | null })[]>`
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation, before, after
    from relationship_changes
    where commit_id = nullif(current_setting('passport.relationship_commit', true), '')::uuid
      and before is distinct from after
    order by resource_type, resource_id, relation, subject_type, subject_id, subject_relation limit ${limit}`
}

/** How many relationships are gone by this transaction so far, and how many are new or others. */
export async function countWrite(sql: Sql): Promise<{ removed: number; written: number }> {
  const [counted] = await sql<{ removed: number; written: number }[]>`
    select count(*) filter (where after is null)::integer as removed,
      count(*) filter (where after is not null)::integer as written
    from relationship_changes
    where commit_id = nullif(current_setting('passport.relationship_commit', true), '')::uuid
      and before is distinct from after`
  return counted ?? { removed: 0, written: 0 }
}

/** Something that happened to a relationship. */
export interface HistoryRow extends RowKey {
  rev: number
  at: string
  by: string | null
  before: Terms | null
  after: Terms | null
}

/** What happened to those that fit, the newest first, before the revision and key of `before`. */
export async function readHistory(
  sql: Sql,
  filter: RelationshipFilter,
  { before, limit }: { before?: { rev: number; key: string }; limit: number },
): Promise<(HistoryRow & { key: string })[]> {
  const f = filled(filter)
  return sql<(HistoryRow & { key: string })[]>`
    select * from (
      select c.rev::double precision as rev, c.at, c.by, h.resource_type, h.resource_id, h.relation, h.subject_type,
        h.subject_id, h.subject_relation, h.before, h.after, concat_ws(' ', h.resource_type, h.resource_id, h.relation,
          h.subject_type, h.subject_id, h.subject_relation) collate "C" as key
      from relationship_changes h join relationship_commits c on c.id = h.commit_id
      where h.before is distinct from h.after
        and (${f.resourceType}::text is null or h.resource_type = ${f.resourceType})
        and (${f.resourceId}::text is null or h.resource_id = ${f.resourceId})
        and (${f.prefix}::text is null or starts_with(h.resource_id, ${f.prefix}))
        and (${f.relation}::text is null or h.relation = ${f.relation})
        and (${f.subjectType}::text is null or h.subject_type = ${f.subjectType})
        and (${f.subjectId}::text is null or h.subject_id = ${f.subjectId})
        and (${f.subjectRelation}::text is null or h.subject_relation = ${f.subjectRelation})
    ) told
    where (rev, key) < (${before?.rev ?? Number.MAX_SAFE_INTEGER}, ${before?.key ?? ''})
    order by rev desc, key desc limit ${limit}`
}

/** For how long is told who changed which relationship, and exact snapshots are answered. */
const retentionDays = 31

/** Forgets commits that are too old to be told; tells how many. */
export async function sweepLog(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<{ swept: number }[]>`select sweep_relationship_log(${retentionDays}, ${limit}) as swept`
  return row?.swept ?? 0
}
