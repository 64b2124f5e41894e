import type { RelationshipFilter } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import { type RowKey, type Terms, toFilterCondition } from './rows.ts'

/** The head of the log. */
export interface Head {
  epoch: string
  /** Epochs before a restore, each with the last revision that is part of this log. */
  former: Record<string, number>
  rev: number
  schemaId: string | null
  /** The log before this revision has been removed. */
  horizon: number
}

export async function readHead(sql: Sql): Promise<Head> {
  const [head] = await sql<Head[]>`
    select epoch, former, rev::double precision as rev, schema_id, horizon::double precision as horizon from relationship_head`
  return head as Head
}

/** Reads the head, and blocks other commits until the transaction ends. */
export async function lockHead(sql: Sql): Promise<Head> {
  await sql`select from relationship_head for update`
  return readHead(sql)
}

/**
 * Begins the changes of this transaction by an author, and returns the id of the schema to check them against. The
 * commit fails with SQLSTATE 40001, and the transaction is retried, if another schema is current then.
 */
export async function beginWrite(sql: Sql, by: string | null): Promise<string | null> {
  const [head] = await sql<{ checkedAgainst: string }[]>`
    select set_config('passport.permission_schema', coalesce(
        nullif(current_setting('passport.permission_schema', true), ''), schema_id::text, 'none'), true) as checked_against,
      set_config('passport.actor', coalesce(${by}, current_setting('passport.actor', true)), true)
    from relationship_head`
  return head && head.checkedAgainst !== 'none' ? head.checkedAgainst : null
}

/** Returns the id of this transaction's commit; null if nothing has changed. */
export async function findOwnCommit(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ id: string | null }[]>`
    select nullif(current_setting('passport.relationship_commit', true), '') as id`
  return row?.id ?? null
}

/** Gives this transaction's commit its number; later changes are another commit. Other transactions wait to commit. */
export async function finishCommit(sql: Sql): Promise<void> {
  await sql`set constraints relationship_commits_numbered immediate`
  await sql`set constraints relationship_commits_numbered deferred`
  await sql`select set_config('passport.relationship_commit', '', true)`
}

/** Returns the revision of a commit, with the current epoch; undefined before it has one. */
export async function findRevisionOfCommit(sql: Sql, id: string): Promise<Pick<Head, 'epoch' | 'rev'> | undefined> {
  const [row] = await sql<Pick<Head, 'epoch' | 'rev'>[]>`
    select h.epoch, c.rev::double precision as rev from relationship_commits c cross join relationship_head h
    where c.id = ${id} and c.rev is not null`
  return row
}

/** Returns the text of a schema; undefined if it does not exist. */
export async function readSchema(sql: Sql, id: string): Promise<string | undefined> {
  const [schema] = await sql<{ text: string }[]>`select text from permission_schemas where id = ${id}`
  return schema?.text
}

/** Returns the id of the schema at a revision; null if there was none. */
export async function findSchemaIdAt(sql: Sql, rev: number): Promise<string | null> {
  const [schema] = await sql<{ id: string }[]>`
    select id from permission_schemas where rev <= ${rev} order by rev desc limit 1`
  return schema?.id ?? null
}

/** Stores the text of a schema under the id of this transaction's commit, and returns the id. */
export async function addSchema(sql: Sql, text: string): Promise<string> {
  const [commit] = await sql<{ id: string }[]>`select relationship_commit() as id`
  const id = commit?.id ?? ''
  await sql`
    insert into permission_schemas (id, text) values (${id}, ${text}) on conflict (id) do update set text = excluded.text`
  return id
}

/** Activates a schema; the head must be locked. */
export async function activateSchema(sql: Sql, id: string): Promise<void> {
  await sql`update relationship_head set schema_id = ${id}`
  await sql`select set_config('passport.permission_schema', ${id}, true)`
}

/** A change of a relationship, with its terms before and after; null where it does not exist. */
export interface Change extends RowKey {
  before: Terms | null
  after: Terms | null
}

/**
 * Returns the changes committed after a revision, in any order; undefined if there are more than the limit, or if a
 * commit was a bulk load.
 */
export async function listChangesSince(sql: Sql, rev: number, limit: number): Promise<Change[] | undefined> {
  const rows = await sql<(Change & { isReload: boolean })[]>`
    select h.resource_type, h.resource_id, h.relation, h.subject_type, h.subject_id, h.subject_relation, h.before,
      h.after, c.is_reload
    from relationship_commits c left join relationship_changes h on h.commit_id = c.id
    where c.rev > ${rev} limit ${limit + 1}`
  if (rows.length > limit || rows.some(({ isReload }) => isReload)) return undefined
  return rows.filter(({ resourceType }) => resourceType !== null)
}

/** A commit of the log. */
export interface Commit {
  rev: number
  isSchemaChange: boolean
  /** Set for a bulk load, whose changes are not in the log. */
  isReload: boolean
  changes: (RowKey & { after: Terms | null })[]
}

/** Yields at most `limit` commits, in order: those after one revision and up to another. */
export async function* readCommits(sql: Sql, after: number, upTo: number, limit: number): AsyncGenerator<Commit> {
  const rows = sql<(Omit<Commit, 'changes'> & { isChange: boolean } & RowKey & { after: Terms | null })[]>`
    select c.rev::double precision as rev, s.id is not null as is_schema_change, c.is_reload,
      h.commit_id is not null as is_change, h.resource_type, h.resource_id, h.relation, h.subject_type, h.subject_id,
      h.subject_relation, h.after
    from (select id, rev, is_reload from relationship_commits where rev > ${after} and rev <= ${upTo}
      order by rev limit ${limit}) c
    left join permission_schemas s on s.id = c.id
    left join relationship_changes h on h.commit_id = c.id and h.before is distinct from h.after
    order by c.rev`.cursor(5000)
  let commit: Commit | undefined
  for await (const batch of rows) {
    for (const { rev, isSchemaChange, isReload, isChange, ...change } of batch) {
      if (commit && commit.rev !== rev) yield commit
      if (commit?.rev !== rev) commit = { rev, isSchemaChange, isReload, changes: [] }
      if (isChange) commit.changes.push(change)
    }
  }
  if (commit) yield commit
}

/** Returns the first relationship changes of this transaction, and the numbers of all relationships removed and written. */
export async function readOwnChanges(
  sql: Sql,
  limit: number,
): Promise<{ changes: Change[]; removed: number; written: number }> {
  const changes = await sql<(Change & { removed: number; written: number })[]>`
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation, before, after,
      (count(*) filter (where after is null) over ())::integer as removed,
      (count(*) filter (where after is not null) over ())::integer as written
    from relationship_changes
    where commit_id = nullif(current_setting('passport.relationship_commit', true), '')::uuid
      and before is distinct from after
    order by resource_type, resource_id, relation, subject_type, subject_id, subject_relation limit ${limit}`
  const [{ removed, written } = { removed: 0, written: 0 }] = changes
  return { changes, removed, written }
}

/** A change with its commit; `rev` and `key` are its keyset cursor. */
interface HistoryRow extends Change {
  rev: number
  at: string
  by: string | null
  key: string
}

/** Returns matching changes, newest first, before the keyset cursor `before`. */
export async function readHistory(
  sql: Sql,
  filter: RelationshipFilter,
  { before, limit }: { before: { rev: number; key: string } | undefined; limit: number },
): Promise<HistoryRow[]> {
  return sql<HistoryRow[]>`
    select * from (
      select c.rev::double precision as rev, c.at, c.by, h.resource_type, h.resource_id, h.relation, h.subject_type,
        h.subject_id, h.subject_relation, h.before, h.after, concat_ws(' ', h.resource_type, h.resource_id, h.relation,
          h.subject_type, h.subject_id, h.subject_relation) collate "C" as key
      from relationship_changes h join relationship_commits c on c.id = h.commit_id
      where h.before is distinct from h.after
        and ${toFilterCondition(sql, filter)}
    ) matching
    where (rev, key) < (${before?.rev ?? Number.MAX_SAFE_INTEGER}, ${before?.key ?? ''})
    order by rev desc, key desc limit ${limit}`
}

/** The retention period of the history and of exact snapshots. */
const retentionDays = 31

/** Removes commits beyond the retention period; returns the number removed. */
export async function sweepLog(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<{ swept: number }[]>`select sweep_relationship_log(${retentionDays}, ${limit}) as swept`
  return row?.swept ?? 0
}
