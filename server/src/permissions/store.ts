import type { RelationshipFilter } from '@passport/permissions'
import { copyOut } from '../database/bulk-load.ts'
import type { Sql } from '../database/sql.ts'
import { type Row, type RowKey, toSqlFilter } from './rows.ts'

/** A way in which stored relationships use the schema, and their number. */
export interface Usage {
  resourceType: string
  relation: string
  subjectType: string
  subjectRelation: string
  isWildcard: boolean
  caveat: string | null
  hasExpiration: boolean
  count: number
}

/** Returns how unexpired relationships use the given relations, each as `document#viewer`. */
export async function findUses(sql: Sql, relations: string[]): Promise<Usage[]> {
  return sql<Usage[]>`
    select resource_type, relation, subject_type, subject_relation, subject_id = '*' as is_wildcard, caveat,
      expires_at is not null as has_expiration, count(*)::integer as count
    from stored_relationships
    where resource_type || '#' || relation = any(${relations}) and (expires_at is null or expires_at > now())
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`
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

/** Inserts the rows that do not exist or have expired; returns the inserted ones. */
export async function add(sql: Sql, rows: Row[]): Promise<RowKey[]> {
  return sql<RowKey[]>`
    insert into stored_relationships
    select n."resourceType", n."resourceId", n.relation, n."subjectType", n."subjectId", n."subjectRelation",
      n.terms ->> 'caveat', nullif(n.terms -> 'context', 'null'), to_timestamp((n.terms ->> 'expiresAt')::bigint / 1000.0)
    from jsonb_to_recordset(${sql.json(rows as never)}) as n ("resourceType" text, "resourceId" text, relation text,
      "subjectType" text, "subjectId" text, "subjectRelation" text, terms jsonb)
    order by 1, 2, 3, 4, 5, 6
    on conflict (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
    do update set caveat = excluded.caveat, context = excluded.context, expires_at = excluded.expires_at
    where stored_relationships.expires_at <= now()
    returning resource_type, resource_id, relation, subject_type, subject_id, subject_relation`
}

/** Upserts the rows. */
export async function touch(sql: Sql, rows: Row[]): Promise<void> {
  await sql`
    insert into stored_relationships
    select n."resourceType", n."resourceId", n.relation, n."subjectType", n."subjectId", n."subjectRelation",
      n.terms ->> 'caveat', nullif(n.terms -> 'context', 'null'), to_timestamp((n.terms ->> 'expiresAt')::bigint / 1000.0)
    from jsonb_to_recordset(${sql.json(rows as never)}) as n ("resourceType" text, "resourceId" text, relation text,
      "subjectType" text, "subjectId" text, "subjectRelation" text, terms jsonb)
    order by 1, 2, 3, 4, 5, 6
    on conflict (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
    do update set caveat = excluded.caveat, context = excluded.context, expires_at = excluded.expires_at
    where (stored_relationships.caveat, stored_relationships.context, stored_relationships.expires_at)
      is distinct from (excluded.caveat, excluded.context, excluded.expires_at)`
}

/** Deletes the rows. */
export async function remove(sql: Sql, rows: RowKey[]): Promise<void> {
  await sql`
    delete from stored_relationships r
    using jsonb_to_recordset(${sql.json(rows as never)}) as n ("resourceType" text, "resourceId" text, relation text,
      "subjectType" text, "subjectId" text, "subjectRelation" text)
    where (r.resource_type, r.resource_id, r.relation, r.subject_type, r.subject_id, r.subject_relation)
      = (n."resourceType", n."resourceId", n.relation, n."subjectType", n."subjectId", n."subjectRelation")`
}

/** The staging table for bulk loads. */
export const load = {
  table: 'incoming_relationships',
  columns: [
    'resource_type',
    'resource_id',
    'relation',
    'subject_type',
    'subject_id',
    'subject_relation',
    'caveat',
    'context',
    'expires_at',
  ],
}

/** Creates the staging table until the end of the transaction, with memory for sorting and counting. */
export async function prepareLoad(sql: Sql): Promise<void> {
  await sql`set local work_mem = '64MB'`
  await sql.unsafe(`
    create temp table ${load.table} (like stored_relationships, place bigint generated always as identity) on commit drop`)
}

/** Upserts the loaded rows, the last of each; returns the number of rows changed. */
export async function touchLoaded(sql: Sql): Promise<number> {
  const { count } = await sql.unsafe(`
    insert into stored_relationships
    select distinct on (1, 2, 3, 4, 5, 6) ${load.columns.join(', ')}
    from ${load.table} order by 1, 2, 3, 4, 5, 6, place desc
    on conflict (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
    do update set caveat = excluded.caveat, context = excluded.context, expires_at = excluded.expires_at
    where (stored_relationships.caveat, stored_relationships.context, stored_relationships.expires_at)
      is distinct from (excluded.caveat, excluded.context, excluded.expires_at)`)
  return count
}

/** Deletes at most `limit` matching application relationships. Expired ones are kept and not counted. */
export async function removeMatching(sql: Sql, filter: RelationshipFilter, limit: number): Promise<number> {
  const f = toSqlFilter(filter)
  const removed = await sql`
    delete from stored_relationships where ctid = any(array(
      select ctid from stored_relationships
      where (${f.resourceType}::text is null or resource_type = ${f.resourceType})
        and (${f.resourceId}::text is null or resource_id = ${f.resourceId})
        and (${f.prefix}::text is null or starts_with(resource_id, ${f.prefix}))
        and (${f.relation}::text is null or relation = ${f.relation})
        and (${f.subjectType}::text is null or subject_type = ${f.subjectType})
        and (${f.subjectId}::text is null or subject_id = ${f.subjectId})
        and (${f.subjectRelation}::text is null or subject_relation = ${f.subjectRelation})
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
  const f = toSqlFilter(filter)
  const matches = await sql`
    select from stored_relationships
    where (${f.resourceType}::text is null or resource_type = ${f.resourceType})
      and (${f.resourceId}::text is null or resource_id = ${f.resourceId})
      and (${f.prefix}::text is null or starts_with(resource_id, ${f.prefix}))
      and (${f.relation}::text is null or relation = ${f.relation})
      and (${f.subjectType}::text is null or subject_type = ${f.subjectType})
      and (${f.subjectId}::text is null or subject_id = ${f.subjectId})
      and (${f.subjectRelation}::text is null or subject_relation = ${f.subjectRelation})
      and (expires_at is null or expires_at > now())
    limit 1`
  return matches.length > 0
}

/** Returns unexpired matching rows in key order, after a key; at a revision, or now. */
export async function readMatching(
  sql: Sql,
  filter: RelationshipFilter,
  {
    after,
    limit,
    at = null,
    expiresBefore = null,
  }: { after?: RowKey; limit: number; at?: number | null; expiresBefore?: number | null },
): Promise<Row[]> {
  const f = toSqlFilter(filter)
  const a = after ?? {
    resourceType: '',
    resourceId: '',
    relation: '',
    subjectType: '',
    subjectId: '',
    subjectRelation: '',
  }
  return sql<Row[]>`
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation, terms
    from (
      select * from relationship_rows where ${at}::bigint is null
      union all
      select * from relationships_at(${at}::bigint) where ${at}::bigint is not null
    ) r
    where (${f.resourceType}::text is null or resource_type = ${f.resourceType})
      and (${f.resourceId}::text is null or resource_id = ${f.resourceId})
      and (${f.prefix}::text is null or starts_with(resource_id, ${f.prefix}))
      and (${f.relation}::text is null or relation = ${f.relation})
      and (${f.subjectType}::text is null or subject_type = ${f.subjectType})
      and (${f.subjectId}::text is null or subject_id = ${f.subjectId})
      and (${f.subjectRelation}::text is null or subject_relation = ${f.subjectRelation})
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

const conditions = {
  resourceType: 'resource_type =',
  resourceId: 'resource_id =',
  resourceIdPrefix: 'resource_id ^@',
  relation: 'relation =',
  subjectType: 'subject_type =',
  subjectId: 'subject_id =',
  subjectRelation: 'subject_relation =',
} as const
const names = Object.keys(conditions) as (keyof typeof conditions)[]

/**
 * Reports for each filter whether an unexpired relationship matches. Filters with the same fields share one statement
 * that tests only those, so it can use an index.
 */
export async function checkExistence(sql: Sql, filters: RelationshipFilter[]): Promise<boolean[]> {
  const existence = filters.map(() => false)
  const listFields = (filter: RelationshipFilter) => names.filter((name) => filter[name] !== undefined)
  const filtersByFields = Map.groupBy(filters.entries(), ([, filter]) => listFields(filter).join())
  for (const group of filtersByFields.values()) {
    const fields = listFields(group[0]?.[1] ?? {})
    const rows = await sql.unsafe<{ place: number }[]>(
      `select f.place from unnest(${['$1::integer[]', ...fields.map((_, at) => `$${at + 2}::text[]`)].join(', ')})
        as f (${['place', ...fields.map((_, at) => `value${at}`)].join(', ')})
      cross join lateral (
        select from relationship_rows
        where ${['true', ...fields.map((name, at) => `${conditions[name]} f.value${at}`)].join(' and ')}
          and (terms -> 'expiresAt' is null or terms -> 'expiresAt' = 'null'
            or (terms ->> 'expiresAt')::bigint > extract(epoch from now()) * 1000)
        limit 1) r`,
      [group.map(([place]) => place), ...fields.map((name) => group.map(([, filter]) => filter[name] ?? ''))],
    )
    for (const { place } of rows) existence[place] = true
  }
  return existence
}

/** The relationships a question can depend on; relations are named as `document#viewer`. */
export interface Traversal {
  type: string
  id: string
  relations: string[]
  /** The relations on the left of an arrow. */
  arrows: string[]
  at: number | null
  upTo: number
}

/** Returns the rows an answer about an object can depend on; see the migration for the parameters. */
export async function readRowsFrom(
  sql: Sql,
  { type, id, relations, arrows, at, upTo }: Traversal,
  subject: { type: string; id: string } | null,
): Promise<Row[]> {
  return sql<Row[]>`
    select * from relationships_from(${type}, ${id}, ${relations}, ${arrows}, ${subject?.type ?? null},
      ${subject?.id ?? null}, ${at}, ${upTo})`
}

/** Returns the rows that answers about everything reachable from a subject depend on. */
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
