import type { TracePartKind, TraceStepName } from '@passport/contract/sign-in-traces'
import { afterCursor, allOf, orderBy } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'

/** A step, `ms` milliseconds after the start of its request. */
export interface StoredStep {
  name: TraceStepName
  ms: number
  isFailed: boolean
  detail: Record<string, string>
}

export interface TraceRow {
  id: string
  at: string
  traceId: string
  /** The digits of the support code. */
  supportCode: string
  kind: TracePartKind
  result: 'succeeded' | 'failed' | 'pending'
  reason: string | null
  /** What the requests of one sign-in have in common. */
  keys: string[]
  provider: string | null
  clientId: string | null
  userId: string | null
  domain: string | null
  ip: string
  userAgent: string
  steps: StoredStep[]
}

/** The columns for the bulk load of requests. */
export const copyTarget = {
  table: 'sign_in_traces',
  columns: [
    'id',
    'at',
    'trace_id',
    'kind',
    'result',
    'reason',
    'keys',
    'provider',
    'client_id',
    'user_id',
    'domain',
    'ip',
    'user_agent',
    'steps',
  ],
} as const

/** Adds requests, all in one statement. */
export async function addAll(sql: Sql, rows: TraceRow[]): Promise<void> {
  await sql`
    insert into sign_in_traces
      (id, at, trace_id, support_code, kind, result, reason, keys, provider, client_id, user_id, domain, ip, user_agent,
        steps)
    select r.id, r.at, r."traceId", r."supportCode", r.kind, r.result, r.reason, array(select jsonb_array_elements_text(r.keys)), r.provider,
      r."clientId", r."userId", r.domain, r.ip, r."userAgent", r.steps
    from jsonb_to_recordset(${sql.json(rows as never)}) as r (id text, at timestamptz, "traceId" text, "supportCode" text, kind text,
      result text, reason text, keys jsonb, provider text, "clientId" text, "userId" text, domain text, ip text,
      "userAgent" text, steps jsonb)`
}

/** Returns the request of a support code, by its digits; of several, a failed one, then the newest. */
export async function findBySupportCode(sql: Sql, digits: string): Promise<TraceRow | undefined> {
  const [row] = await sql<TraceRow[]>`
    select id, at, trace_id, coalesce(support_code, left(trace_id, 8)) as support_code, kind, result, reason, keys,
      provider, client_id, user_id, domain, ip, user_agent, steps
    from sign_in_traces where coalesce(support_code, left(trace_id, 8)) = ${digits}
    order by result = 'failed' desc, at desc limit 1`
  return row
}

/**
 * Returns the request of a trace id. Of several, one whose id this server has drawn, since any caller can send that id
 * afterwards; then a failed one, and the newest.
 */
export async function findByTraceId(sql: Sql, traceId: string): Promise<TraceRow | undefined> {
  const [row] = await sql<TraceRow[]>`
    select id, at, trace_id, coalesce(support_code, left(trace_id, 8)) as support_code, kind, result, reason, keys,
      provider, client_id, user_id, domain, ip, user_agent, steps
    from sign_in_traces where trace_id = ${traceId}
    order by coalesce(support_code = left(trace_id, 8), true) desc, result = 'failed' desc, at desc limit 1`
  return row
}

/** Returns the requests with one of these keys, oldest first. */
export async function listByKeys(sql: Sql, keys: string[], limit: number): Promise<TraceRow[]> {
  return sql<TraceRow[]>`
    select id, at, trace_id, coalesce(support_code, left(trace_id, 8)) as support_code, kind, result, reason, keys,
      provider, client_id, user_id, domain, ip, user_agent, steps
    from sign_in_traces where keys && ${keys}::text[]
    order by at, id limit ${limit}`
}

export interface FailureFilter {
  reasons: string[] | undefined
  client: string | undefined
}

/** Lists failed requests, newest first, after the request `after`. */
export async function listFailures(
  sql: Sql,
  { reasons, client }: FailureFilter,
  limit: number,
  after: Cursor | undefined,
): Promise<TraceRow[]> {
  const newestFirst = { key: 'at', isDescending: true }
  const conditions = [
    sql`result = 'failed'`,
    reasons && sql`reason = any(${reasons})`,
    client === undefined ? undefined : sql`client_id = ${client}`,
    afterCursor(sql, newestFirst, after),
  ]
  return sql<TraceRow[]>`
    select id, at, trace_id, coalesce(support_code, left(trace_id, 8)) as support_code, kind, result, reason, keys,
      provider, client_id, user_id, domain, ip, user_agent, steps
    from sign_in_traces where ${allOf(sql, ...conditions)}
    ${orderBy(sql, newestFirst)} limit ${limit}`
}

/** Deletes at most `limit` requests older than `days`; returns how many. */
export async function sweep(sql: Sql, days: number, limit: number): Promise<number> {
  const removed = await sql`
    delete from sign_in_traces where id in (
      select id from sign_in_traces where at < now() - make_interval(days => ${days}) order by at limit ${limit})`
  return removed.count
}

/** Deletes at most `limit` of the oldest requests beyond the newest `max`; returns how many. */
export async function trim(sql: Sql, max: number, limit: number): Promise<number> {
  const removed = await sql`
    delete from sign_in_traces where id in (
      select id from sign_in_traces
      where (at, id) <= (select at, id from sign_in_traces order by at desc, id desc offset ${max} limit 1)
      order by at limit ${limit})`
  return removed.count
}
