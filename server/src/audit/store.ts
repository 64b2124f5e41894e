import {
  type Action,
  type AuditDay,
  type AuditFilter,
  maxAuditDays,
  type SignInCounts,
  type TargetKind,
} from '@passport/contract/audit'
import { digitsOf } from '@passport/contract/support-code'
import { v7 as uuid } from 'uuid'
import { afterCursor, allOf, type Fragment, orderBy } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'
import type { Visit } from '../http/visit.ts'

export interface AuditEvent {
  action: Action
  /** Null for anonymous callers and for the system. */
  actorId?: string | null
  target: { kind: TargetKind; id: string | null }
  before?: JsonObject
  after?: JsonObject
  reason?: string
  visit?: Visit
}
export type JsonObject = { [name: string]: string | number | boolean | null | string[] | JsonObject }

/** The actor of an event, the origin, and the reason. */
export type ActorFields = Pick<AuditEvent, 'actorId' | 'visit' | 'reason'>

/** The table and columns for bulk loads of events. */
export const copyTarget = {
  table: 'audit_events',
  columns: [
    'id',
    'at',
    'actor_id',
    'action',
    'target_kind',
    'target_id',
    'before',
    'after',
    'reason',
    'ip',
    'user_agent',
    'trace_id',
  ],
}

/** Records an event in the audit log. Call it in the transaction of the change, so that both commit or neither. */
export async function record(sql: Sql, event: AuditEvent): Promise<void> {
  await recordAll(sql, [event])
}

/** An event as a statement takes it, in JSON. */
export type AuditRow = ReturnType<typeof toRow>

/** Returns an event as a statement takes it that writes the change as well. */
export const toRow = ({ action, actorId, target, before, after, reason, visit }: AuditEvent) => ({
  id: uuid(),
  action,
  actor: actorId ?? null,
  kind: target.kind,
  target: target.id,
  before,
  after,
  reason: reason ?? null,
  ip: visit?.ip,
  agent: visit?.userAgent,
  trace: visit?.traceId,
  code: visit?.requestId.slice(0, 8),
})

/** Records several events in one statement; see `record`. */
export async function recordAll(sql: Sql, events: AuditEvent[]): Promise<void> {
  await toInsertion(sql, events)
}

/** Returns the statement that records events, as a part of another one: if `source` of that statement has a row. */
export const toInsertion = (sql: Sql, events: AuditEvent[], source: Fragment = sql`(select 1)`): Fragment =>
  sql`
    insert into audit_events (id, action, actor_id, target_kind, target_id, before, after, reason, ip, user_agent, trace_id,
      support_code)
    select e.id, e.action, e.actor, e.kind, e.target, e.before, e.after, e.reason, e.ip, e.agent, e.trace, e.code
    from ${source} as source, jsonb_to_recordset(${sql.json(events.map(toRow) as never)}) as e (id text, action text,
      actor text, kind text, target text, before jsonb, after jsonb, reason text, ip text, agent text, trace text,
      code text)`

/** Reports whether an event of the last 24 hours has an action, a target, and these members of `after`. */
export async function hasHappenedToday(
  sql: Sql,
  { action, target, after }: Required<Pick<AuditEvent, 'action' | 'target' | 'after'>>,
): Promise<boolean> {
  const found = await sql`
    select from audit_events
    where target_kind = ${target.kind} and target_id = ${target.id} and at > now() - interval '24 hours'
      and action = ${action} and after @> ${sql.json(after as never)} limit 1`
  return found.length > 0
}

export interface ActivityRow {
  id: string
  at: string
  action: Action
  idp: string | null
  reason: string | null
  ip: string
  userAgent: string
  traceId: string
}

/** The actions shown to users: sign-ins, failed ones too, and changes of their logins, sessions and grants. */
const activityPatterns = [
  'signin.%',
  'signout%',
  'session.%',
  'notice.disputed',
  'login.%',
  'connection.%',
  'client.authorized%',
  'client.refused%',
  'grant.%',
  'developer-token.%',
  'personal-token.%',
  'device.%',
  'directory.%',
]

/** Lists the activity of an account, newest first, after the event `after`. */
export async function listActivity(
  sql: Sql,
  userId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<ActivityRow[]> {
  const newestFirst = { key: 'at', isDescending: true }
  const isOfUser = sql`target_kind = 'user' and target_id = ${userId} and action like any(${activityPatterns})`
  return sql<ActivityRow[]>`
    select id, at, action, after ->> 'idp' as idp, reason, coalesce(ip, '') as ip,
      coalesce(user_agent, '') as user_agent, coalesce(trace_id, '') as trace_id
    from audit_events
    where ${allOf(sql, isOfUser, afterCursor(sql, newestFirst, after))}
    ${orderBy(sql, newestFirst)} limit ${limit}`
}

export interface SignInDay {
  /** In UTC: `2026-11-23`. */
  day: string
  succeeded: number
  failed: number
}

/** The actions of a user's failed sign-ins. */
const failedActions = ['signin.failed', 'directory.password-refused', 'directory.locked']

/** Counts the sign-ins of a user on each of the last `days` days in UTC, oldest first. */
export async function countSignInsByDay(sql: Sql, userId: string, days: number): Promise<SignInDay[]> {
  return sql<SignInDay[]>`
    with events as (
      select (at at time zone 'UTC')::date as day, action from audit_events
      where target_kind = 'user' and target_id = ${userId}
        and at >= (date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${days - 1})) at time zone 'UTC'
        and action = any(${['signin.succeeded', ...failedActions]}))
    select to_char(d.day, 'YYYY-MM-DD') as day,
      (count(*) filter (where e.action = 'signin.succeeded'))::integer as succeeded,
      (count(*) filter (where e.action = any(${failedActions})))::integer as failed
    from (select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${days - 1}::integer) n) d
    left join events e on e.day = d.day
    group by d.day order by d.day`
}

export interface EntryRow {
  id: string
  at: string
  action: string
  actorId: string | null
  actorName: string | null
  targetKind: string
  targetId: string | null
  targetName: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  reason: string | null
  ip: string | null
  userAgent: string | null
  traceId: string | null
  /** The digits of the support code. */
  supportCode: string | null
}

/**
 * Lists matching events, newest first, after the event `after`. Sorted by time, because not every id is in that order.
 * With a role, the index of role events gives the order.
 */
export async function listEntries(
  sql: Sql,
  filter: AuditFilter,
  limit: number,
  after: Cursor | undefined,
): Promise<EntryRow[]> {
  const { role } = filter
  const source =
    role === undefined ? sql`audit_entries e` : sql`audit_roles r join audit_entries e on e.id = r.event_id`
  const order = {
    ...(role === undefined ? { key: 'e.at', id: 'e.id' } : { key: 'r.at', id: 'r.event_id' }),
    isDescending: true,
  }
  return sql<EntryRow[]>`
    select e.id, e.at, e.action, e.actor_id, e.actor_name, e.target_kind, e.target_id, e.target_name, e.before, e.after,
      e.reason, e.ip, e.user_agent, e.trace_id,
      coalesce(e.support_code, left(e.trace_id, 8)) as support_code
    from ${source}
    where ${allOf(sql, ...toConditions(sql, filter, sql`${sql(order.key)}`), afterCursor(sql, order, after))}
    ${orderBy(sql, order)} limit ${limit}`
}

/** Lists these events, newest first. */
export async function listEntriesById(sql: Sql, ids: string[]): Promise<EntryRow[]> {
  return sql<EntryRow[]>`
    select e.id, e.at, e.action, e.actor_id, e.actor_name, e.target_kind, e.target_id, e.target_name, e.before, e.after,
      e.reason, e.ip, e.user_agent, e.trace_id,
      coalesce(e.support_code, left(e.trace_id, 8)) as support_code
    from audit_entries e where e.id = any(${ids})
    order by e.at desc, e.id desc`
}

/** Counts the matching events of each day in a time zone, oldest first. */
export async function countByDay(sql: Sql, filter: AuditFilter, zone: string): Promise<AuditDay[]> {
  const { role, to = null } = filter
  const source = role === undefined ? sql`audit_events e` : sql`audit_roles r join audit_events e on e.id = r.event_id`
  const time = role === undefined ? sql`e.at` : sql`r.at`
  const isCounted = sql`${time} >= coalesce(${to}::timestamptz, now()) - make_interval(days => ${maxAuditDays})`
  return sql<AuditDay[]>`
    select to_char(${time} at time zone ${zone}, 'YYYY-MM-DD') as day, count(*)::integer as events,
      (count(*) filter (where e.action = any(${[...failedActions, 'directory.guesses-stopped']})))::integer as failed
    from ${source}
    where ${allOf(sql, ...toConditions(sql, filter, time), isCounted)}
    group by day order by day`
}

/** Returns the conditions of a filter; `time` is the indexed column. A role requires the join with `audit_roles r`. */
function toConditions(sql: Sql, filter: AuditFilter, time: Fragment) {
  const { actor, action, target, role, from, to, traceId, supportCode, signIns, provider, client, reason, settings } =
    filter
  const [targetKind, targetId] = target?.split(/:(.*)/s) ?? []
  const isPrefix = action?.endsWith('.')
  return [
    role === undefined ? undefined : sql`r.role = ${role}`,
    actor === undefined ? undefined : sql`e.actor_id = ${actor}`,
    action === undefined || isPrefix ? undefined : sql`e.action = ${action}`,
    isPrefix ? sql`split_part(e.action, '.', 1) = ${action?.slice(0, -1) ?? ''}` : undefined,
    targetKind === undefined ? undefined : sql`e.target_kind = ${targetKind}`,
    targetId === undefined ? undefined : sql`e.target_id = ${targetId}`,
    from === undefined ? undefined : sql`${time} >= ${from}`,
    to === undefined ? undefined : sql`${time} < ${to}`,
    traceId === undefined ? undefined : sql`e.trace_id = ${traceId}`,
    supportCode === undefined
      ? undefined
      : sql`coalesce(e.support_code, left(e.trace_id, 8)) = ${digitsOf(supportCode)}`,
    signIns === undefined ? undefined : isSignIn(sql, signIns),
    provider === undefined ? undefined : sql`e.after ->> 'idp' = ${provider}`,
    client === undefined ? undefined : sql`e.after ->> 'client' = ${client}`,
    reason === undefined ? undefined : sql`e.reason = ${reason}`,
    // The id of a preference is that of its user, then its key.
    settings === 'hidden'
      ? sql`(e.target_kind <> 'preference' or split_part(e.target_id, '/', 2) not like 'Passport.%')`
      : undefined,
  ]
}

/** Selects sign-ins by their result. The names are literals, as in the partial index of sign-ins. */
function isSignIn(sql: Sql, result: NonNullable<AuditFilter['signIns']>): Fragment {
  const isAny = sql`e.action in ('signin.succeeded', 'signin.failed', 'directory.password-refused', 'directory.locked')`
  if (result === 'any') return isAny
  return result === 'succeeded' ? sql`e.action = 'signin.succeeded'` : sql`${isAny} and e.action <> 'signin.succeeded'`
}

type SignInFilter = Pick<AuditFilter, 'signIns' | 'provider' | 'client' | 'reason' | 'actor'>

/** The period of a count of sign-ins, in steps of a time zone. */
export interface SignInPeriod extends Pick<SignInCounts, 'from' | 'to' | 'step'> {
  zone: string
}

/** The number of values of which sign-ins are counted. */
const maxFacets = 30

/** Counts sign-ins in each step of a period, and by provider, application and reason, in one statement. */
export async function countSignIns(
  sql: Sql,
  { signIns = 'any', ...filter }: SignInFilter,
  { from, to, step, zone }: SignInPeriod,
): Promise<Pick<SignInCounts, 'buckets' | 'providers' | 'clients' | 'reasons'>> {
  const isDay = step === 'day'
  const width = isDay ? '1 day' : step === 'hour' ? '1 hour' : step
  // Days begin at midnight of the zone; shorter steps have the same length in every zone.
  const toStep = (time: Fragment) =>
    isDay
      ? sql`date_trunc('day', ${time} at time zone ${zone})`
      : sql`date_bin(${width}::interval, ${time}, timestamptz '2000-01-01 00:00Z') at time zone 'UTC'`
  const stepZone = isDay ? zone : 'UTC'
  const [counts] = await sql<[Pick<SignInCounts, 'buckets' | 'providers' | 'clients' | 'reasons'>]>`
    with e as materialized (
      select ${toStep(sql`e.at`)} as step, e.action = 'signin.succeeded' as is_success, e.reason,
        e.after ->> 'idp' as provider, e.after ->> 'client' as client
      from audit_events e
      where ${allOf(sql, isSignIn(sql, signIns), ...toConditions(sql, { ...filter, from, to }, sql`e.at`))}
    ), facets as (
      select kind, jsonb_agg(jsonb_build_object('value', value, 'name', value, 'count', count) order by count desc, value) as list
      from (
        select kind, value, count(*)::integer as count, row_number() over (partition by kind order by count(*) desc, value) as n
        from e cross join lateral (values ('provider', provider), ('client', client), ('reason', case when not is_success then reason end))
          as v (kind, value)
        where value is not null group by kind, value) counted
      where n <= ${maxFacets} group by kind
    )
    select (
        select coalesce(jsonb_agg(jsonb_build_object('at', to_char(s.step at time zone ${stepZone} at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'succeeded', coalesce(c.succeeded, 0), 'failed', coalesce(c.failed, 0)) order by s.step), '[]')
        from generate_series(${toStep(sql`${from}::timestamptz`)}, ${toStep(sql`(${to}::timestamptz - interval '1 ms')`)}, ${width}::interval) s (step)
        left join (
          select step, (count(*) filter (where is_success))::integer as succeeded,
            (count(*) filter (where not is_success))::integer as failed
          from e group by step) c on c.step = s.step
      ) as buckets,
      coalesce((select list from facets where kind = 'provider'), '[]') as providers,
      coalesce((select list from facets where kind = 'client'), '[]') as clients,
      coalesce((select list from facets where kind = 'reason'), '[]') as reasons`
  return counts
}

interface FailureRow {
  id: string
  at: string
  idp: string | null
  reason: string | null
  supportCode: string | null
}

/** Lists the last failed sign-ins whose email address was of a domain, newest first. */
export async function listFailuresOfDomain(sql: Sql, domain: string, limit: number): Promise<FailureRow[]> {
  return sql<FailureRow[]>`
    select id, at, after ->> 'idp' as idp, reason, coalesce(support_code, left(trace_id, 8)) as support_code
    from audit_events
    where action in ('signin.failed', 'directory.password-refused', 'directory.locked') and after ->> 'domain' = ${domain}
    order by at desc, id desc limit ${limit}`
}

/** Returns those of these actors who have done this. */
export async function filterActors(sql: Sql, actorIds: string[], action: Action): Promise<Set<string>> {
  const rows = await sql<{ actorId: string }[]>`
    select distinct actor_id from audit_events where actor_id = any(${actorIds}) and action = ${action}`
  return new Set(rows.map(({ actorId }) => actorId))
}

/** The name of a user, an organisation or a group, and the hash of a user's picture. */
export interface NamedRecord {
  name: string | null
  pictureHash: string | null
}

/** Returns users, organisations and groups by id; missing ones are omitted. */
export async function findRecords(sql: Sql, ids: string[]): Promise<Map<string, NamedRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<(NamedRecord & { id: string })[]>`
    select id, name, picture_hash from record_names where id = any(${ids})`
  return new Map(rows.map(({ id, ...record }) => [id, record]))
}

export async function getRetention(sql: Sql): Promise<{ days: number }> {
  const [retention] = await sql<{ days: number }[]>`select days from audit_retention`
  return retention ?? { days: 365 }
}

/** Sets the retention period, and returns the previous one. */
export async function setRetention(sql: Sql, days: number): Promise<{ days: number }> {
  const [before] = await sql<{ days: number }[]>`select days from audit_retention for update`
  await sql`update audit_retention set days = ${days}`
  return before ?? { days }
}

/** Deletes the events beyond the retention period. */
export async function purge(sql: Sql): Promise<void> {
  await sql`select purge_audit_events(days) from audit_retention`
}
