import type { PricingModel, SubscriptionState } from '@passport/contract/aws-products'
import type { OfferType } from '@passport/contract/marketplace'
import type { Sql } from '../database/sql.ts'

/** A row of `aws_registration_rows`. */
export interface RegistrationRow {
  id: string
  productId: string
  productName: string
  productCode: string
  isProductEnabled: boolean
  pricingModel: PricingModel
  subscriptionId: string
  subscriptionStatus: SubscriptionState
  /** The organisation that has the subscription. */
  orgId: string | null
  /** The whole id of the buyer's account, which no buyer gets. */
  customerAwsAccountId: string
  offerType: OfferType
  /** The user who has begun to redeem it. */
  userId: string | null
  redeemedAt: string | null
  createdAt: string
  expiresAt: string
  isExpired: boolean
}

interface NewRegistration {
  id: string
  tokenHash: string
  productId: string
  customerAwsAccountId: string
  customerIdentifier: string | null
  licenseKey: string | null
  licenseArn: string | null
  subscriptionId: string
  offerType: OfferType
  hints: Record<string, string>
}

/** Adds a registration, in place of an expired one with the same token. Does nothing if there is a live one. */
export async function add(sql: Sql, { hints, ...registration }: NewRegistration, expiresAt: string): Promise<void> {
  await sql`delete from aws_registrations where token_hash = ${registration.tokenHash} and expires_at <= now()`
  await sql`
    insert into aws_registrations ${sql({ ...registration, hints: sql.json(hints), expiresAt } as never)}
    on conflict (token_hash) do nothing`
}

/** Finds a live registration by the hash of its token. */
export async function findByToken(sql: Sql, tokenHash: string): Promise<RegistrationRow | undefined> {
  const [found] = await sql<RegistrationRow[]>`
    select r.* from aws_registration_rows r
    where r.id = (select id from aws_registrations where token_hash = ${tokenHash} and expires_at > now())`
  return found
}

/** Lists the registrations of handles, expired ones too, newest first, each with the hash of its handle. */
export async function listByHandles(
  sql: Sql,
  handleHashes: string[],
): Promise<(RegistrationRow & { handleHash: string })[]> {
  if (handleHashes.length === 0) return []
  return sql<(RegistrationRow & { handleHash: string })[]>`
    select r.*, h.handle_hash from aws_registration_handles h join aws_registration_rows r on r.id = h.registration_id
    where h.handle_hash = any(${handleHashes}) order by r.created_at desc, r.id desc`
}

/** Locks a registration until the transaction ends; undefined if it was deleted. */
export async function lock(sql: Sql, id: string): Promise<RegistrationRow | undefined> {
  await sql`select from aws_registrations where id = ${id} for update`
  const [found] = await sql<RegistrationRow[]>`select * from aws_registration_rows where id = ${id}`
  return found
}

export async function countHandles(sql: Sql, id: string): Promise<number> {
  const [row] = await sql<{ handles: number }[]>`
    select count(*)::integer as handles from aws_registration_handles where registration_id = ${id}`
  return row?.handles ?? 0
}

export async function addHandle(sql: Sql, id: string, handleHash: string): Promise<void> {
  await sql`insert into aws_registration_handles (handle_hash, registration_id) values (${handleHash}, ${id})`
}

/** Reserves a locked registration for a user. */
export async function reserve(sql: Sql, id: string, userId: string): Promise<void> {
  await sql`update aws_registrations set user_id = ${userId} where id = ${id}`
}

/** Marks a locked registration as redeemed by a user. */
export async function markRedeemed(sql: Sql, id: string, userId: string): Promise<void> {
  await sql`
    update aws_registrations set user_id = ${userId}, redeemed_at = coalesce(redeemed_at, now()) where id = ${id}`
}

/** Deletes at most `limit` registrations that expired more than a day ago; returns their number. */
export async function sweepRegistrations(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from aws_registrations where id in (
      select id from aws_registrations where expires_at < now() - interval '1 day' order by expires_at limit ${limit})`
  return removed.count
}
