import type { NoticeKind } from '@passport/contract/mail-kinds'
import { v7 as uuid } from 'uuid'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** What the link of a notice ends: the sign-ins of a browser, a personal token or, if both are null, everything. */
export interface NoticeScope {
  browserId: string | null
  personalTokenId: string | null
}

export interface NewNotice extends NoticeScope {
  userId: string
  kind: NoticeKind
  /** The change, in the words of the email. */
  summary: string
  /** Labels and values, such as the device. */
  facts: readonly (readonly [label: string, value: string])[]
}

export interface SentNotice extends NewNotice {
  sentAt: string
  usedAt: string | null
  isExpired: boolean
}

/** Returns the statement that adds a notice, as a part of another one: if `source` of that statement has a row. */
export function toInsertion(
  sql: Sql,
  notice: NewNotice,
  tokenHash: string,
  source: Fragment = sql`(select 1)`,
): Fragment {
  const { userId, kind, summary, facts, browserId, personalTokenId } = notice
  return sql`
    insert into notices (id, user_id, kind, summary, facts, browser_id, personal_token_id, token_hash)
    select ${uuid()}, ${userId}, ${kind}, ${summary}, ${sql.json(facts as never)}, ${browserId}, ${personalTokenId}, ${tokenHash}
    from ${source} as source`
}

/** Adds a notice, and its email by the statement `mail`. */
export async function add(sql: Sql, notice: NewNotice, tokenHash: string, mail: Fragment): Promise<void> {
  await sql`with mail as (${mail}) ${toInsertion(sql, notice, tokenHash)}`
}

/** Finds the notice of a link, even a used or expired one. A link expires after `days`. */
export async function findByToken(sql: Sql, tokenHash: string, days: number): Promise<SentNotice | undefined> {
  const [notice] = await sql<SentNotice[]>`
    select user_id, kind, summary, facts, browser_id, personal_token_id, sent_at, used_at,
      sent_at <= now() - make_interval(days => ${days}) as is_expired
    from notices where token_hash = ${tokenHash}`
  return notice
}

/** Marks a link as used; returns false if it was used before. */
export async function spendToken(sql: Sql, tokenHash: string): Promise<boolean> {
  const spent = await sql`
    update notices set used_at = now() where token_hash = ${tokenHash} and used_at is null returning id`
  return spent.length > 0
}

/** Deletes at most `limit` notices after a month, until which their links explain why they end nothing; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from notices where id in (
      select id from notices where sent_at <= now() - interval '30 days' limit ${limit})`
  return removed.count
}

/** Reports whether a user receives emails about sign-ins on new devices. */
export async function wantsNewDeviceEmails(sql: Sql, userId: string): Promise<boolean> {
  const [row] = await sql<{ isOut: boolean }[]>`
    select exists (select from new_device_opt_outs where user_id = ${userId}) as is_out`
  return !row?.isOut
}

/** Returns false if the setting already had this value. */
export async function setNewDeviceEmails(sql: Sql, userId: string, isOn: boolean): Promise<boolean> {
  const changed = isOn
    ? await sql`delete from new_device_opt_outs where user_id = ${userId}`
    : await sql`insert into new_device_opt_outs (user_id) values (${userId}) on conflict do nothing`
  return changed.count > 0
}
