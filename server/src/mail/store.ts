import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

export interface Queued {
  id: string
  recipient: string
  subject: string
  sealedContent: string
  /** This one included. */
  attempts: number
  createdAt: string
}

/** How far a mail has come; `off` where there is no mail server. */
export type MailState = 'queued' | 'sent' | 'failed' | 'off'

/** Queues a mail; it goes out once the transaction is done. Returns its id. */
export async function add(
  sql: Sql,
  mail: Pick<Queued, 'recipient' | 'subject' | 'sealedContent'> & { state: MailState },
): Promise<string> {
  const id = uuid()
  const isOver = mail.state !== 'queued'
  await sql`
    insert into mails (id, recipient, subject, sealed_content, state, ended_at)
    values (
      ${id}, ${mail.recipient}, ${mail.subject}, ${isOver ? null : mail.sealedContent}, ${mail.state},
      case when ${isOver} then now() end
    )`
  return id
}

/** Takes some mails that are due; whoever does not end them leaves them to be tried later, and later each time. */
export async function lease(sql: Sql): Promise<Queued[]> {
  return sql<Queued[]>`
    update mails set attempts = attempts + 1,
      due_at = now() + make_interval(mins => least(2 ^ attempts, 60)::integer)
    where id in (
      select id from mails where state = 'queued' and due_at <= now() order by due_at limit 5 for update skip locked
    )
    returning id, recipient, subject, sealed_content, attempts, created_at`
}

/** Notes what became of a mail; unless it waits for another try, its content is gone with that. */
export async function note(sql: Sql, id: string, state: MailState, told: string): Promise<void> {
  const isOver = state !== 'queued'
  await sql`
    update mails set state = ${state}, told = ${told.slice(0, 500)},
      sealed_content = case when ${isOver} then null else sealed_content end,
      ended_at = case when ${isOver} then now() end
    where id = ${id} and state = 'queued'`
}

/** A mail that nobody is to get any more. */
export async function withdraw(sql: Sql, id: string): Promise<void> {
  await sql`delete from mails where id = ${id} and state = 'queued'`
}

/** Removes at most `limit` mails that have ended half a year ago; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from mails where id in (
      select id from mails where state <> 'queued' and ended_at < now() - interval '180 days' limit ${limit})`
  return removed.count
}
