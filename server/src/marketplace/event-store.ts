import { v7 as uuid } from 'uuid'
import { allOf, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { EventKind, LicenseEvent } from './state.ts'

/** The channel on which the database notifies of events to apply. */
export const eventChannel = 'aws_events'

/** The type of an event that stands for a message of a queue that is none. */
export const unreadableMessage = 'Unreadable message'

/** What is stored of an event. */
export interface NewEvent {
  source: 'eventbridge' | 'sns'
  eventId: string
  detailType: string
  kind: EventKind | null
  licenseKey: string | null
  licenseArn: string | null
  agreementId: string | null
  offerId: string | null
  accountId: string | null
  product: string | null
  eventTime: string
  payload: object
}

/**
 * Stores an event once, and notifies the processes that apply events. An event without a kind is stored as ignored, or as
 * failed for the reason in `failure`.
 */
export async function add(sql: Sql, { payload, failure, ...fields }: NewEvent & { failure?: string }): Promise<void> {
  const status = failure ? 'failed' : fields.kind === null ? 'ignored' : 'received'
  const row = { id: uuid(), ...fields, payload: sql.json(payload as never), status, error: failure ?? null }
  await sql`
    with added as (
      insert into aws_events ${sql(row as never)} on conflict (source, event_id) do nothing returning status
    )
    select pg_notify(${eventChannel}, '') from added where status = 'received'`
}

export interface ReceivedEvent {
  id: string
  licenseKey: string | null
  licenseArn: string | null
  accountId: string | null
  product: string | null
}

/** Locks events to apply until the transaction ends; other processes skip them. */
export async function lockReceived(sql: Sql, limit: number): Promise<ReceivedEvent[]> {
  return sql<ReceivedEvent[]>`
    select id, license_key, license_arn, account_id, product from aws_events
    where status = 'received' order by received_at limit ${limit} for update skip locked`
}

export async function lockReceivedById(sql: Sql, id: string): Promise<ReceivedEvent[]> {
  return sql<ReceivedEvent[]>`
    select id, license_key, license_arn, account_id, product from aws_events
    where id = ${id} and status = 'received' for update skip locked`
}

/**
 * Until the transaction ends, no other one matches events or creates subscriptions. Without it, an event and its
 * subscription that arrive at once would not see each other, and the event would stay unmatched.
 */
export async function lockMatching(sql: Sql): Promise<void> {
  await sql`select from aws_event_matching for update`
}

/** Gives locked events to their subscriptions, whose ids are returned. Those without one are parked as unmatched. */
export async function match(sql: Sql, ids: string[]): Promise<string[]> {
  const rows = await sql<{ subscriptionId: string | null }[]>`
    update aws_events e set subscription_id = m.subscription_id, attempts = e.attempts + 1, error = null,
      status = case when m.subscription_id is null then 'unmatched' else 'applied' end
    from (
      select id, subscription_of_event(license_key, agreement_id, account_id, product) as subscription_id
      from aws_events where id = any(${ids})
    ) m
    where e.id = m.id
    returning e.subscription_id`
  return [...new Set(rows.flatMap(({ subscriptionId }) => subscriptionId ?? []))]
}

/** Makes parked events due again whose subscription now exists; returns whether there are any. */
export async function unpark(
  sql: Sql,
  of: { licenseKeys: string[]; agreementIds: string[]; accountIds: string[] },
): Promise<boolean> {
  const rows = await sql`
    update aws_events set status = 'received'
    where status = 'unmatched'
      and (license_key = any(${of.licenseKeys}) or agreement_id = any(${of.agreementIds})
        or account_id = any(${of.accountIds}))
      and subscription_of_event(license_key, agreement_id, account_id, product) is not null
    returning id`
  return rows.length > 0
}

/** The event of a subscription, with the id of its offer. */
export type StoredEvent = LicenseEvent & { subscriptionId: string; offerId: string | null }

/** Lists everything that is stored about subscriptions. */
export async function listOf(sql: Sql, subscriptionIds: string[]): Promise<StoredEvent[]> {
  return sql<StoredEvent[]>`
    select event_id as id, subscription_id, kind, event_time as at, received_at, agreement_id, offer_id,
      payload #>> '{detail,agreement,intent}' as intent, payload #>> '{detail,agreement,status}' as agreement_status,
      coalesce(payload ->> 'isFreeTrialTermPresent' = 'true', false) as is_trial
    from aws_events where subscription_id = any(${subscriptionIds}) and kind is not null`
}

/**
 * Records on the events of a subscription since the check `before` that AWS could not be asked, or on all that were
 * received by `checkedAt` that it was.
 */
export async function recordCheck(
  sql: Sql,
  subscriptionId: string,
  {
    error,
    before,
    checkedAt,
    kinds,
  }: { error: string | null; before: string | null; checkedAt: string; kinds: EventKind[] },
): Promise<void> {
  if (error === null) {
    await sql`
      update aws_events set status = 'applied', error = null
      where subscription_id = ${subscriptionId} and status = 'failed' and received_at <= ${checkedAt}`
  } else {
    await sql`
      update aws_events set status = 'failed', error = ${error}, attempts = attempts + 1
      where subscription_id = ${subscriptionId} and status in ('applied', 'failed') and kind = any(${kinds})
        and received_at > ${before ?? '-infinity'}`
  }
}

/** Records that events could not be applied; an administrator can redrive them. */
export async function fail(sql: Sql, ids: string[], error: string): Promise<void> {
  await sql`
    update aws_events set status = 'failed', error = ${error}, attempts = attempts + 1
    where id = any(${ids}) and status = 'received'`
}

/** Makes an unmatched or failed event due again; returns undefined if it is neither. */
export async function redrive(sql: Sql, id: string): Promise<{ subscriptionId: string | null } | undefined> {
  const [row] = await sql<{ subscriptionId: string | null }[]>`
    with redriven as (
      update aws_events set status = 'received', error = null
      where id = ${id} and status in ('unmatched', 'failed') returning subscription_id
    )
    select subscription_id, pg_notify(${eventChannel}, '')::text from redriven`
  return row
}

/** Gives an unmatched or failed event to a subscription; returns whether it was one. */
export async function assign(sql: Sql, id: string, subscriptionId: string): Promise<boolean> {
  const rows = await sql`
    update aws_events set subscription_id = ${subscriptionId}, status = 'applied', error = null, attempts = attempts + 1
    where id = ${id} and status in ('unmatched', 'failed') returning id`
  return rows.length > 0
}

/** An event as administrators see it. */
export interface EventRow {
  id: string
  eventId: string
  source: NewEvent['source']
  detailType: string
  kind: EventKind | null
  status: 'received' | 'applied' | 'ignored' | 'unmatched' | 'failed'
  licenseKey: string | null
  agreementId: string | null
  accountId: string | null
  product: string | null
  eventTime: string
  receivedAt: string
  subscriptionId: string | null
  attempts: number
  error: string | null
}

export async function find(sql: Sql, id: string): Promise<EventRow | undefined> {
  const [row] = await sql<EventRow[]>`select ${columns(sql)} from aws_events where id = ${id}`
  return row
}

export async function findWithPayload(
  sql: Sql,
  id: string,
): Promise<(EventRow & { payload: Record<string, unknown> }) | undefined> {
  const [row] = await sql<(EventRow & { payload: Record<string, unknown> })[]>`
    select ${columns(sql)}, payload from aws_events where id = ${id}`
  return row
}

const columns = (sql: Sql) => sql`
  id, event_id, source, detail_type, kind, status, license_key, agreement_id, account_id, product, event_time, received_at,
  subscription_id, attempts, error`

export async function list(
  sql: Sql,
  { status, ...range }: ListRange & { status: 'unmatched' | 'failed' },
): Promise<EventRow[]> {
  const newestFirst = { key: 'received_at', isDescending: true }
  return sql<EventRow[]>`
    select ${columns(sql)} from aws_events
    ${pageWhere(sql, newestFirst, range, allOf(sql, sql`status = ${status}`))}`
}

export async function count(sql: Sql, status: 'unmatched' | 'failed'): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from aws_events where status = ${status}`
  return row?.count ?? 0
}

/** Counts the unreadable messages of the last day. */
export async function countUnreadable(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from aws_events
    where status = 'failed' and detail_type = ${unreadableMessage} and received_at > now() - interval '1 day'`
  return row?.count ?? 0
}

/** Lists the events of a subscription, those that arrived last first. */
export async function listOfSubscription(sql: Sql, subscriptionId: string, limit: number): Promise<EventRow[]> {
  return sql<EventRow[]>`
    select ${columns(sql)} from aws_events where subscription_id = ${subscriptionId}
    order by received_at desc, id desc limit ${limit}`
}

/** Lets a process apply events and ask AWS as soon as the transaction commits. */
export async function wake(sql: Sql): Promise<void> {
  await sql`select pg_notify(${eventChannel}, '')`
}
