import type { SubscriptionState } from '@passport/contract/aws-products'
import type { OwnSubscription } from '@passport/contract/marketplace'
import type { Sql } from '../database/sql.ts'

/** A row of `buyer_subscriptions`. */
export interface BuyerSubscriptionRow extends Pick<OwnSubscription, 'dimensions' | 'supportEmail' | 'trial'> {
  id: string
  orgId: string
  orgName: string
  productId: string
  productName: string
  status: SubscriptionState
  /** The last digits of the buyer's AWS account. */
  lastFour: string
  trialEndsAt: string | null
  startsAt: string | null
  endsAt: string | null
  contactEmail: string | null
}

/** Lists the subscriptions of organisations, the newest first. */
export async function listOfOrgs(sql: Sql, orgIds: string[]): Promise<BuyerSubscriptionRow[]> {
  return sql<BuyerSubscriptionRow[]>`
    select * from buyer_subscriptions where org_id = any(${orgIds}) order by created_at desc, id desc`
}

export async function find(sql: Sql, id: string): Promise<BuyerSubscriptionRow | undefined> {
  const [found] = await sql<BuyerSubscriptionRow[]>`select * from buyer_subscriptions where id = ${id}`
  return found
}

/** Records the state in the last email to the buyer. */
export async function recordNotice(sql: Sql, subscriptionId: string, status: SubscriptionState): Promise<void> {
  await sql`
    insert into aws_buyer_notices (subscription_id, status) values (${subscriptionId}, ${status})
    on conflict (subscription_id) do update set status = excluded.status`
}

/** Locks and returns at most `limit` redeemed subscriptions that became active or ended since the last email. */
export async function lockChanged(sql: Sql, limit: number): Promise<BuyerSubscriptionRow[]> {
  return sql<BuyerSubscriptionRow[]>`
    select b.* from aws_buyer_notices n join buyer_subscriptions b on b.id = n.subscription_id
    where n.status <> b.status and b.status in ('active', 'ended') limit ${limit} for update of n skip locked`
}
