import { type Mail, type MailState, mailDays } from '@passport/contract/mail'
import type { MailKindId } from '@passport/contract/mail-kinds'
import { maxCounted } from '@passport/contract/page'
import { v7 as uuid } from 'uuid'
import { allOf, type Fragment, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { toStorableText } from '../http/storable-text.ts'

/** The longest response of a mail server that is kept, in UTF-16 code units. */
export const maxResponse = 500

export interface QueuedMail {
  id: string
  recipient: string
  subject: string
  sealedContent: string
  /** The number of attempts, including the current one. */
  attempts: number
  queuedAt: string
  /** Its content is no longer true. */
  isStale: boolean
  /** How many emails of its kind it stands for; 0 for one that was not held back. */
  heldCount: number
}

/** An email before it is queued. */
export interface NewMail extends Pick<QueuedMail, 'id' | 'recipient' | 'subject' | 'sealedContent'> {
  kind: MailKindId
  /** The time for which its content is true. */
  validMinutes: number
  state: MailState
  /** How many of its kind its recipient gets within 24 hours; null for no limit. */
  perDay: number | null
}

/** Gives an email its id. */
export const prepare = (mail: Omit<NewMail, 'id'>): NewMail => ({ id: uuid(), ...mail })

/**
 * Returns the statement that queues an email, which is sent after the commit. It can be a part of another statement, and
 * queues the email if `source` of that statement has a row. One above the limit of its kind is held back for a day; until
 * then, later ones replace it and are counted.
 */
export function toInsertion(
  sql: Sql,
  { id, kind, recipient, subject, sealedContent, validMinutes, state, perDay }: NewMail,
  source: Fragment = sql`(select 1)`,
): Fragment {
  const isDone = state !== 'queued'
  return sql`
    insert into mails (
      id, kind, recipient, subject, sealed_content, state, ended_at, valid_until, held_count, due_at, queued_at
    )
    select ${id}, ${kind}, ${recipient}, ${subject}, ${isDone ? null : sealedContent}, ${state},
      case when ${isDone} then now() end, now() + make_interval(mins => ${validMinutes}), is_held::integer,
      case when is_held then now() + interval '1 day' else now() end,
      case when is_held then now() + interval '1 day' else now() end
    from ${source} as source, (
      select not ${isDone}::boolean and count(*) >= ${perDay}::integer is true as is_held from (
        select from mails
        where recipient = ${recipient} and kind = ${kind} and held_count = 0 and created_at > now() - interval '1 day'
        limit ${perDay ?? 0}
      ) as recent
    ) as day
    on conflict (recipient, kind) where state = 'queued' and held_count > 0 and attempts = 0 do update set
      held_count = mails.held_count + 1, subject = excluded.subject, sealed_content = excluded.sealed_content,
      valid_until = excluded.valid_until`
}

/** Queues an email. Returns its id. */
export async function add(sql: Sql, mail: NewMail): Promise<string> {
  await toInsertion(sql, mail)
  return mail.id
}

/**
 * Leases at most five due emails for an attempt. An email without a recorded outcome is retried, with increasing
 * delays.
 */
export async function lease(sql: Sql): Promise<QueuedMail[]> {
  return sql<QueuedMail[]>`
    update mails set attempts = attempts + 1,
      due_at = now() + make_interval(mins => least(2 ^ attempts, 60)::integer)
    where id in (
      select id from mails where state = 'queued' and due_at <= now() order by due_at limit 5 for update skip locked
    )
    returning id, recipient, subject, sealed_content, attempts, queued_at, held_count,
      valid_until <= now() as is_stale`
}

/** Returns the number of emails in the queue, and the age of the oldest one in seconds; 0 if there is none. */
export async function readQueue(sql: Sql): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await sql<{ count: number; oldestSeconds: number }[]>`
    select count(*)::integer as count, greatest(coalesce(extract(epoch from now() - min(queued_at)), 0), 0)::float8 as oldest_seconds
    from mails where state = 'queued'`
  return row ?? { count: 0, oldestSeconds: 0 }
}

/**
 * Records the outcome of an attempt with the response of the mail server, or the reason. Deletes the content of a sent
 * email; that of a failed one is kept while it is true, so that it can be sent again.
 */
export async function recordOutcome(sql: Sql, id: string, state: MailState, response: string): Promise<void> {
  const isSent = state === 'sent'
  const text = toStorableText(response, maxResponse)
  await sql`
    update mails set state = ${state}, failure = ${isSent ? null : text}, response = ${isSent ? text : null},
      sealed_content = case when ${isSent} then null else sealed_content end,
      ended_at = case when ${state !== 'queued'} then now() end
    where id = ${id} and state = 'queued'`
}

/** Adds an email that was sent, or not, without the queue. It cannot be sent again. */
export async function addEnded(sql: Sql, mail: NewMail, response: string): Promise<void> {
  await toInsertion(sql, mail)
  const text = toStorableText(response, maxResponse)
  const isSent = mail.state === 'sent'
  await sql`update mails set attempts = 1, failure = ${isSent ? null : text}, response = ${isSent ? text : null} where id = ${mail.id}`
}

/** Deletes a queued email that must no longer be sent, and the content of a failed one. */
export async function withdraw(sql: Sql, id: string): Promise<void> {
  await sql`
    with deleted as (delete from mails where id = ${id} and state = 'queued')
    update mails set sealed_content = null where id = ${id} and state = 'failed'`
}

/** Queues failed emails again whose content is stored and true; returns them as they were. */
export async function requeue(
  sql: Sql,
  ids: string[],
): Promise<{ id: string; kind: string | null; recipient: string; failure: string | null }[]> {
  return sql<{ id: string; kind: string | null; recipient: string; failure: string | null }[]>`
    update mails set state = 'queued', due_at = now(), queued_at = now(), attempts = 0, ended_at = null
    where id = any(${ids}) and state = 'failed' and sealed_content is not null and valid_until > now()
    returning id, kind, recipient, failure`
}

/** Counts the emails of a kind that a recipient got within 24 hours. */
export async function countRecent(sql: Sql, kind: MailKindId, recipient: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from mails
    where recipient = ${recipient} and kind = ${kind} and created_at > now() - interval '1 day'`
  return row?.count ?? 0
}

/** Starts the delivery once the transaction has ended. */
export async function startDelivery(sql: Sql): Promise<void> {
  await sql`select pg_notify('mail', '')`
}

interface MailFilter {
  /** A query of words in the recipient; null for all. */
  words: string | null
  state: MailState | undefined
  kind: MailKindId | undefined
}

const matches = (sql: Sql, { words, state, kind }: MailFilter) =>
  allOf(
    sql,
    words === null ? undefined : sql`search_words @@ ${words}::tsquery`,
    state === undefined ? undefined : sql`state = ${state}`,
    kind === undefined ? undefined : sql`kind = ${kind}`,
  )

/** Lists emails without their contents, newest first. */
export const list = (sql: Sql, filter: MailFilter, range: ListRange): Promise<Mail[]> =>
  sql<Mail[]>`
    select id, kind, recipient, state, attempts, created_at, ended_at, coalesce(response, failure) as response,
      case when state = 'queued' then due_at end as due_at,
      case when state = 'failed' and sealed_content is not null and valid_until > now() then valid_until end as resend_until
    from mails ${pageWhere(sql, { key: 'created_at', isDescending: true }, range, matches(sql, filter))}`

/** Counts emails, exactly up to `maxCounted` and estimated beyond. */
export async function count(sql: Sql, filter: MailFilter): Promise<number> {
  const { words, state = null, kind = null } = filter
  const [row] = await sql<{ found: number }[]>`
    select count_or_estimate(count(*), ${maxCounted},
      'select from mails where ($1[1] is null or search_words @@ $1[1]::tsquery)
       and ($1[2] is null or state = $1[2]) and ($1[3] is null or kind = $1[3])',
      array[${words}::text, ${state}::text, ${kind}::text]) as found
    from (select from mails where ${matches(sql, filter)} limit ${maxCounted + 1}) matched`
  return row?.found ?? 0
}

interface Figures {
  waiting: number
  oldestWaitingAt: string | null
  resendable: number
  /** In UTC, oldest first, without days that have none. */
  byDay: { day: string; sent: number; failed: number }[]
}

/** Returns the figures of the queue, and of the days since `firstDay`. */
export async function readFigures(sql: Sql, firstDay: string): Promise<Figures> {
  const [figures] = await sql<[Figures]>`
    select q.*, d.by_day, (
        select count(*)::integer from mails
        where state = 'failed' and sealed_content is not null and valid_until > now()) as resendable
    from (
      select count(*)::integer as waiting, format_instant(min(queued_at)) as oldest_waiting_at
      from mails where state = 'queued') q,
    (select coalesce(jsonb_agg(day_counts order by day), '[]') as by_day from (
      select (ended_at at time zone 'UTC')::date::text as day,
        (count(*) filter (where state = 'sent'))::integer as sent,
        (count(*) filter (where state = 'failed'))::integer as failed
      from mails where state <> 'queued' and ended_at >= (${firstDay}::date)::timestamp at time zone 'UTC'
      group by 1) day_counts) d`
  return figures
}

/** Deletes at most `limit` contents of failed emails that are no longer true; returns how many. */
export async function sweepContents(sql: Sql, limit: number): Promise<number> {
  const cleared = await sql`
    update mails set sealed_content = null where id in (
      select id from mails
      where state = 'failed' and sealed_content is not null and valid_until <= now() limit ${limit})`
  return cleared.count
}

/** Deletes at most `limit` emails that ended `mailDays` ago; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from mails where id in (
      select id from mails where state <> 'queued' and ended_at < now() - make_interval(days => ${mailDays}) limit ${limit})`
  return removed.count
}
