import type { MailKindId } from '@passport/contract/mail-kinds'
import { v7 as uuid } from 'uuid'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

export interface QueuedMail {
  id: string
  recipient: string
  subject: string
  sealedContent: string
  /** The number of attempts, including the current one. */
  attempts: number
  createdAt: string
  /** Its content is no longer true. */
  isStale: boolean
}

/** The delivery state of an email; `off` without a mail server. */
export type MailState = 'queued' | 'sent' | 'failed' | 'off'

/** An email before it is queued. */
export interface NewMail extends Pick<QueuedMail, 'id' | 'recipient' | 'subject' | 'sealedContent'> {
  kind: MailKindId
  /** The time for which its content is true. */
  validMinutes: number
  state: MailState
}

/** Gives an email its id. */
export const prepare = (mail: Omit<NewMail, 'id'>): NewMail => ({ id: uuid(), ...mail })

/** Returns the statement that queues an email, which is sent after the commit; it can be a part of another statement. */
export function toInsertion(
  sql: Sql,
  { id, kind, recipient, subject, sealedContent, validMinutes, state }: NewMail,
): Fragment {
  const isDone = state !== 'queued'
  return sql`
    insert into mails (id, kind, recipient, subject, sealed_content, state, ended_at, valid_until)
    values (
      ${id}, ${kind}, ${recipient}, ${subject}, ${isDone ? null : sealedContent}, ${state},
      case when ${isDone} then now() end, now() + make_interval(mins => ${validMinutes})
    )`
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
    returning id, recipient, subject, sealed_content, attempts, created_at, valid_until <= now() as is_stale`
}

/** Returns the number of emails in the queue, and the age of the oldest one in seconds; 0 if there is none. */
export async function readQueue(sql: Sql): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await sql<{ count: number; oldestSeconds: number }[]>`
    select count(*)::integer as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_seconds
    from mails where state = 'queued'`
  return row ?? { count: 0, oldestSeconds: 0 }
}

/** Records the outcome of an attempt. Deletes the content unless the email will be retried. */
export async function recordOutcome(sql: Sql, id: string, state: MailState, reason: string): Promise<void> {
  const isDone = state !== 'queued'
  await sql`
    update mails set state = ${state}, failure = ${reason.slice(0, 500)},
      sealed_content = case when ${isDone} then null else sealed_content end,
      ended_at = case when ${isDone} then now() end
    where id = ${id} and state = 'queued'`
}

/** Deletes a queued email that must no longer be sent. */
export async function withdraw(sql: Sql, id: string): Promise<void> {
  await sql`delete from mails where id = ${id} and state = 'queued'`
}

/** Deletes at most `limit` emails that were completed half a year ago; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from mails where id in (
      select id from mails where state <> 'queued' and ended_at < now() - interval '180 days' limit ${limit})`
  return removed.count
}
