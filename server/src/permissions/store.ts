import type { RelationshipFilter } from '@passport/permissions'
import { copyOut } from '../database/bulk-load.ts'
import { allOf, type Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { type Row, type RowKey, toFilterCondition } from './rows.ts'

/** The number of stored relationships that differ only in their ids; the ids of objects are empty. */
export interface Usage extends Row {
  count: number
}

/** Counts the unexpired relationships of relations such as `document#viewer`, by subject type, caveat and expiration. */
export async function findUses(sql: Sql, relations: string[]): Promise<Usage[]> {
  return sql<Usage[]>`
    select resource_type, '' as resource_id, relation, subject_type, subject_relation,
      case when subject_id = '*' then '*' else '' end as subject_id,
      jsonb_build_object('caveat', caveat, 'expiresAt', case when expires_at is not null then 0 end) as terms,
      count(*)::integer as count
    from stored_relationships
    where resource_type || '#' || relation = any(${relations}) and (expires_at is null or expires_at > now())
    group by 1, 2, 3, 4, 5, 6, 7, caveat order by 1, 3, 4, 5, 6, caveat, 7`
}

/** Streams unexpired relationships whose caveat context sets one of the parameters. */
export function readContexts(sql: Sql, caveat: string, parameters: string[]): AsyncIterable<Row[]> {
  return sql<Row[]>`
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation,
      relationship_terms(caveat, context, expires_at) as terms
    from stored_relationships
    where caveat = ${caveat} and context ?| ${parameters} and (expires_at is null or expires_at > now())`.cursor(1000)
}

/** Copies all rows as text for `CopiedRows`, in the transaction's snapshot. */
export const copyAll = (sql: Sql): Promise<AsyncIterable<Buffer>> =>
  copyOut(sql, 'copy (select * from relationship_rows) to stdout')

/**
 * Inserts rows, and returns the written ones. If a row exists, `create` overwrites it only if it has expired, and
 * `touch` only if its terms differ.
 */
export async function upsert(sql: Sql, operation: 'create' | 'touch', rows: Row[]): Promise<RowKey[]> {
  return sql<RowKey[]>`
    insert into stored_relationships
    select n."resourceType", n."resourceId", n.relation, n."subjectType", n."subjectId", n."subjectRelation",
      n.terms ->> 'caveat', nullif(n.terms -> 'context', 'null'), to_timestamp((n.terms ->> 'expiresAt')::bigint / 1000.0)
    from jsonb_to_recordset(${sql.json(rows as never)}) as n ("resourceType" text, "resourceId" text, relation text,
      "subjectType" text, "subjectId" text, "subjectRelation" text, terms jsonb)
    order by 1, 2, 3, 4, 5, 6
    on conflict (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
    do update set caveat = excluded.caveat, context = excluded.context, expires_at = excluded.expires_at
    where case when ${operation} = 'create' then stored_relationships.expires_at <= now()
      else (stored_relationships.caveat, stored_relationships.context, stored_relationships.expires_at)
        is distinct from (excluded.caveat, excluded.context, excluded.expires_at) end
    returning resource_type, resource_id, relation, subject_type, subject_id, subject_relation`
}

export async function remove(sql: Sql, rows: RowKey[]): Promise<void> {
  await sql`
    delete from stored_relationships r
    using jsonb_to_recordset(${sql.json(rows as never)}) as n ("resourceType" text, "resourceId" text, relation text,
      "subjectType" text, "subjectId" text, "subjectRelation" text)
    where (r.resource_type, r.resource_id, r.relation, r.subject_type, r.subject_id, r.subject_relation)
      = (n."resourceType", n."resourceId", n.relation, n."subjectType", n."subjectId", n."subjectRelation")`
}

const keyColumns = ['resource_type', 'resource_id', 'relation', 'subject_type', 'subject_id', 'subject_relation']

/** The staging table and its columns for bulk loads of relationships. */
export const copyTarget = {
  table: 'incoming_relationships',
  columns: [...keyColumns, 'caveat', 'context', 'expires_at'],
}

/** Creates the staging table until the end of the transaction, with memory for sorting and counting. */
export async function prepareLoad(sql: Sql): Promise<void> {
  await sql`set local work_mem = '64MB'`
  await sql.unsafe(`
    create temp table ${copyTarget.table} (like stored_relationships, place bigint generated always as identity) on commit drop`)
}

/** Touches the relationships in the staging table, the last row of each; returns the number changed. */
export async function touchLoaded(sql: Sql): Promise<number> {
  const { count } = await sql.unsafe(`
    insert into stored_relationships
    select distinct on (1, 2, 3, 4, 5, 6) ${copyTarget.columns.join(', ')}
    from ${copyTarget.table} order by 1, 2, 3, 4, 5, 6, place desc
    on conflict (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
    do update set caveat = excluded.caveat, context = excluded.context, expires_at = excluded.expires_at
    where (stored_relationships.caveat, stored_relationships.context, stored_relationships.expires_at)
      is distinct from (excluded.caveat, excluded.context, excluded.expires_at)`)
  return count
}

/** Deletes at most `limit` unexpired matching application relationships, and returns their number. */
export async function removeMatching(sql: Sql, filter: RelationshipFilter, limit: number): Promise<number> {
  const removed = await sql`
    delete from stored_relationships where ctid = any(array(
      select ctid from stored_relationships
      where ${toFilterCondition(sql, filter)}
        and (expires_at is null or expires_at > now())
      limit ${limit} for update))`
  return removed.count
}

/** Deletes all application relationships of objects of a type; returns the first `limit` of them and their number. */
export async function removeOfObjects(
  sql: Sql,
  type: string,
  ids: string[],
  limit: number,
): Promise<{ first: Row[]; removed: number }> {
  const rows = await sql<(Row & { removed: number })[]>`
    with gone as (
      delete from stored_relationships
      where subject_type = ${type} and subject_id = any(${ids}) or resource_type = ${type} and resource_id = any(${ids})
      returning *
    )
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation,
      relationship_terms(caveat, context, expires_at) as terms, count(*) over ()::integer as removed
    from gone order by 1, 2, 3, 4, 5, 6 limit ${limit}`
  return { first: rows, removed: rows[0]?.removed ?? 0 }
}

/** Reports whether an unexpired application relationship matches. */
export async function existsMatching(sql: Sql, filter: RelationshipFilter): Promise<boolean> {
  const matches = await sql`
    select from stored_relationships
    where ${toFilterCondition(sql, filter)}
      and (expires_at is null or expires_at > now())
    limit 1`
  return matches.length > 0
}

const lowest = { resourceType: '', resourceId: '', relation: '', subjectType: '', subjectId: '', subjectRelation: '' }

/** Returns unexpired matching rows in the order of their keys, after a key; at a revision, by default the newest. */
export async function readMatching(
  sql: Sql,
  filter: RelationshipFilter,
  page: { after?: RowKey | undefined; limit: number; at?: number | null; expiresBefore?: number | undefined },
): Promise<Row[]> {
  const { after: a = lowest, limit, at = null, expiresBefore = null } = page
  return sql<Row[]>`
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation, terms
    from (
      select * from relationship_rows where ${at}::bigint is null
      union all
      select * from relationships_at(${at}::bigint) where ${at}::bigint is not null
    ) r
    where ${toFilterCondition(sql, filter)}
      and (terms -> 'expiresAt' is null or terms -> 'expiresAt' = 'null'
        or (terms ->> 'expiresAt')::bigint > extract(epoch from now()) * 1000)
      and (${expiresBefore}::bigint is null or (terms ->> 'expiresAt')::bigint < ${expiresBefore})
      and (resource_type collate "C", resource_id collate "C", relation collate "C", subject_type collate "C",
          subject_id collate "C", subject_relation collate "C")
        > (${a.resourceType}, ${a.resourceId}, ${a.relation}, ${a.subjectType}, ${a.subjectId}, ${a.subjectRelation})
    order by resource_type collate "C", resource_id collate "C", relation collate "C", subject_type collate "C",
      subject_id collate "C", subject_relation collate "C"
    limit ${limit}`
}

/**
 * Reports for each filter whether an unexpired relationship matches. Filters with the same fields share a statement,
 * which can use an index because it has conditions for these fields only.
 */
export async function checkExistence(sql: Sql, filters: RelationshipFilter[]): Promise<boolean[]> {
  const conditions: [keyof RelationshipFilter, Fragment][] = [
    ['resourceType', sql`resource_type = f."resourceType"`],
    ['resourceId', sql`resource_id = f."resourceId"`],
    ['resourceIdPrefix', sql`resource_id ^@ f."resourceIdPrefix"`],
    ['relation', sql`relationship_rows.relation = f.relation`],
    ['subjectType', sql`subject_type = f."subjectType"`],
    ['subjectId', sql`subject_id = f."subjectId"`],
    ['subjectRelation', sql`subject_relation = f."subjectRelation"`],
  ]
  const listConditions = (filter: RelationshipFilter) => conditions.filter(([name]) => filter[name] !== undefined)
  const listFields = (filter: RelationshipFilter) => listConditions(filter).map(([name]) => name)
  const groups = Map.groupBy(filters.entries(), ([, filter]) => listFields(filter).join())
  const existence = filters.map(() => false)
  for (const group of groups.values()) {
    const rows = await sql<{ place: number }[]>`
      select f.place
      from jsonb_to_recordset(${sql.json(group.map(([place, filter]) => ({ ...filter, place })))}) as f (place integer,
        "resourceType" text, "resourceId" text, "resourceIdPrefix" text, relation text, "subjectType" text,
        "subjectId" text, "subjectRelation" text)
      cross join lateral (
        select from relationship_rows
        where ${allOf(sql, ...listConditions(group[0]?.[1] ?? {}).map(([, condition]) => condition))}
          and (terms -> 'expiresAt' is null or terms -> 'expiresAt' = 'null'
            or (terms ->> 'expiresAt')::bigint > extract(epoch from now()) * 1000)
        limit 1) r`
    for (const { place } of rows) existence[place] = true
  }
  return existence
}

/** A walk over relationships, from an object. */
export interface Traversal {
  type: string
  id: string
  /** The relations to follow, as `document#viewer`. */
  relations: string[]
  /** The relations on the left of an arrow. */
  arrows: string[]
  /** The revision; null for the newest. */
  at: number | null
  /** The maximum number of rows. */
  upTo: number
}

/**
 * Returns the rows that a permission of an object can depend on; with a subject, only those relevant to that subject.
 * The migration describes the parameters.
 */
export async function readRowsFrom(
  sql: Sql,
  { type, id, relations, arrows, at, upTo }: Traversal,
  subject: { type: string; id: string } | undefined,
): Promise<Row[]> {
  return sql<Row[]>`
    select * from relationships_from(${type}, ${id}, ${relations}, ${arrows}, ${subject?.type ?? null},
      ${subject?.id ?? null}, ${at}, ${upTo})`
}

/** Returns the rows that permissions of the objects reachable from a subject can depend on. */
export async function readRowsTowards(sql: Sql, { type, id, relations, arrows, at, upTo }: Traversal): Promise<Row[]> {
  return sql<Row[]>`select * from relationships_towards(${type}, ${id}, ${relations}, ${arrows}, ${at}, ${upTo})`
}

/** Deletes expired relationships; returns the number deleted. */
export async function sweepExpired(sql: Sql, limit: number): Promise<number> {
  const swept = await sql`
    delete from stored_relationships where ctid = any(array(
      select ctid from stored_relationships where expires_at < now() limit ${limit}))`
  return swept.count
}
