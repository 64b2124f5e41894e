import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import { allOf, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** Selects the fields of `AwsSubscription`. */
const columns = (sql: Sql) => sql`
  id, product, org, status, source, customer_aws_account_id, customer_identifier, license_arn, agreement_id, offer_id,
  trial, trial_ends_at, starts_at, ends_at, final_metering_until, entitlements, contact_email, note, last_event_at,
  last_checked_at, created_at, updated_at, version`

interface SubscriptionFilter {
  /** A part of the account, the license, the agreement, the names, the contact or the note; empty for all. */
  word: string
  productId: string | undefined
  orgId: string | undefined
  status: AwsSubscription['status'] | undefined
}

interface SubscriptionRange extends ListRange, SubscriptionFilter {
  sort: 'created' | 'updated'
  isDescending: boolean
}

const matches = (sql: Sql, { word, productId, orgId, status }: SubscriptionFilter) =>
  allOf(
    sql,
    word === '' ? undefined : sql`position(plain_text(${word}) in search_text) > 0`,
    productId === undefined ? undefined : sql`product_id = ${productId}`,
    orgId === undefined ? undefined : sql`org_id = ${orgId}`,
    status === undefined ? undefined : sql`status = ${status}`,
  )

export async function list(
  sql: Sql,
  { sort, isDescending, after, offset, limit, ...filter }: SubscriptionRange,
): Promise<AwsSubscription[]> {
  const order = { key: sort === 'created' ? 'created_at' : 'updated_at', isDescending }
  return sql<AwsSubscription[]>`
    select ${columns(sql)} from aws_subscription_rows
    ${pageWhere(sql, order, { after, offset, limit }, matches(sql, filter))}`
}

export async function count(sql: Sql, filter: SubscriptionFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from aws_subscription_rows where ${matches(sql, filter)}`
  return row?.count ?? 0
}

export async function find(sql: Sql, id: string): Promise<AwsSubscription | undefined> {
  const [row] = await sql<AwsSubscription[]>`select ${columns(sql)} from aws_subscription_rows where id = ${id}`
  return row
}

export async function findByLicense(sql: Sql, licenseKey: string): Promise<AwsSubscription | undefined> {
  const [row] = await sql<AwsSubscription[]>`
    select ${columns(sql)} from aws_subscription_rows where license_key = ${licenseKey}`
  return row
}

/** Lists the subscriptions of a product that have access. */
export async function listIdsWithAccess(sql: Sql, productId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from aws_subscription_rows where product_id = ${productId} and status in ('active', 'ending')`
  return rows.map(({ id }) => id)
}
