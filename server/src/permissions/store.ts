import type { RelationshipFilter } from '@passport/permissions/relationship'
import { copyOut } from '../database/bulk-load.ts'
import type { Sql } from '../database/sql.ts'
import { filled, type Row, type RowKey } from './rows.ts'

/** A way in which relationships use the schema, and how many do. */
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

/** How the relations, each as `document#viewer`, are used by relationships that count. */
export async function usesOf(sql: Sql, relations: string[]): Promise<Usage[]> {
  return sql<Usage[]>`
    select resource_type, relation, subject_type, subject_relation, subject_id = '*' as is_wildcard, caveat,
      expires_at is not null as has_expiration, count(*)::integer as count
    from stored_relationships
    where resource_type || '#' || relation = any(${relations}) and (expires_at is null or expires_at > now())
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`
}

/** Relationships that count and whose caveat has a value of its own for one of the parameters, some at a time. */
export function contextsOf(sql: Sql, caveat: string, parameters: string[]): AsyncIterable<Row[]> {
  return sql<Row[]>`
    select resource_type, resource_id, relation, subject_type, subject_id, subject_relation,
      relationship_terms(caveat, context, expires_at) as terms
    from stored_relationships
    where caveat = ${caveat} and context ?| ${parameters} and (expires_at is null or expires_at > now())`.cursor(1000)
}

/** All rows that there are, as text to be parsed by `rowsOfCopy`, in the transaction's snapshot. */
export const copyAll = (sql: Sql): Promise<AsyncIterable<Buffer>> =>
  copyOut(sql, 'copy (select * from relationship_rows) to stdout')

/** Adds those that are not there, or are over; returns which were added. */
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

/** Makes them be there as they are given. */
export async function put(sql: Sql, rows: Row[]): Promise<void> {
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

/** Makes them be gone. */
export async function remove(sql: Sql, rows: RowKey[]): Promise<void> {
  await sql`
    delete from stored_relationships r
    using jsonb_to_recordset(${sql.json(rows as never)}) as n ("resourceType" text, "resourceId" text, relation text,
      "subjectType" text, "subjectId" text, "subjectRelation" text)
    where (r.resource_type, r.resource_id, r.relation, r.subject_type, r.subject_id, r.subject_relation)
      = (n."resourceType", n."resourceId", n.relation, n."subjectType", n."subjectId", n."subjectRelation")`
}

/** The table that many are loaded into before they are put where they belong. */
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

/** Makes room for many, until the transaction ends; in memory, as they are sorted and counted. */
export async function prepareLoad(sql: Sql): Promise<void> {
  await sql`set local work_mem = '64MB'`
  await sql.unsafe(`
    create temp table ${load.table} (like stored_relationships, place bigint generated always as identity) on commit drop`)
}

/** Puts what was loaded where it belongs, of each the last; returns how many are others than before. */
export async function putLoaded(sql: Sql): Promise<number> {
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

/** Deletes at most so many of those that applications relate and that fit; those that are over go along uncounted. */
export async function removeMatching(sql: Sql, filter: RelationshipFilter, limit: number): Promise<number> {
  const f = filled(filter)
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

/** Deletes whatever applications relate to objects of a type; the first so many of those, and how many they were. */
export async function removeOf(
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

/** Whether applications relate something that fits and counts. */
export async function isAnyStored(sql: Sql, filter: RelationshipFilter): Promise<boolean> {
  const f = filled(filter)
  const found = await sql`
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
  return found.length > 0
}

/** Those that fit and count, in the order of their parts, from after the key on; at a revision, or now. */
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
  const f = filled(filter)
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

const columnsOf = {
  resourceType: 'resource_type =',
  resourceId: 'resource_id =',
  resourceIdPrefix: 'resource_id ^@',
  relation: 'relation =',
  subjectType: 'subject_type =',
  subjectId: 'subject_id =',
  subjectRelation: 'subject_relation =',
} as const
const names = Object.keys(columnsOf) as (keyof typeof columnsOf)[]

/**
 * Of each filter, whether anything fits that counts. Those that have the same fields are one statement, which asks for
 * nothing else, and so goes by an index where there is one.
 */
export async function areAny(sql: Sql, filters: RelationshipFilter[]): Promise<boolean[]> {
  const found = filters.map(() => false)
  const fieldsOf = (filter: RelationshipFilter) => names.filter((name) => filter[name] !== undefined)
  const alike = Map.groupBy(filters.entries(), ([, filter]) => fieldsOf(filter).join())
  for (const some of alike.values()) {
    const fields = fieldsOf(some[0]?.[1] ?? {})
    const rows = await sql.unsafe<{ place: number }[]>(
      `select f.place from unnest(${['$1::integer[]', ...fields.map((_, at) => `$${at + 2}::text[]`)].join(', ')})
        as f (${['place', ...fields.map((_, at) => `value${at}`)].join(', ')})
      cross join lateral (
        select from relationship_rows
        where ${['true', ...fields.map((name, at) => `${columnsOf[name]} f.value${at}`)].join(' and ')}
          and (terms -> 'expiresAt' is null or terms -> 'expiresAt' = 'null'
            or (terms ->> 'expiresAt')::bigint > extract(epoch from now()) * 1000)
        limit 1) r`,
      [some.map(([place]) => place), ...fields.map((name) => some.map(([, filter]) => filter[name] ?? ''))],
    )
    for (const { place } of rows) found[place] = true
  }
  return found
}

/** What a question depends on; relations are named as `document#viewer`. */
export interface Reach {
  type: string
  id: string
  relations: string[]
  /** Those of them that are on the left of an arrow. */
  arrows: string[]
  at: number | null
  upTo: number
}

/** What an answer about an object can depend on; see the migration for its parts. */
export async function rowsFrom(
  sql: Sql,
  { type, id, relations, arrows, at, upTo }: Reach,
  subject: { type: string; id: string } | null,
): Promise<Row[]> {
  return sql<Row[]>`
    select * from relationships_from(${type}, ${id}, ${relations}, ${arrows}, ${subject?.type ?? null},
      ${subject?.id ?? null}, ${at}, ${upTo})`
}

/** What answers about whatever a subject can reach depend on. */
export async function rowsTowards(sql: Sql, { type, id, relations, arrows, at, upTo }: Reach): Promise<Row[]> {
  return sql<Row[]>`select * from relationships_towards(${type}, ${id}, ${relations}, ${arrows}, ${at}, ${upTo})`
}

/** Forgets what is over; tells how many. */
export async function sweepExpired(sql: Sql, limit: number): Promise<number> {
  const swept = await sql`
    delete from stored_relationships where ctid = any(array(
      select ctid from stored_relationships where expires_at < now() limit ${limit}))`
  return swept.count
}
