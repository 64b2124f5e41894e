import type { DimensionKind } from '@passport/contract/aws-products'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { EntitlementValue, Observation, PricingModel, SubscriptionStatus } from './state.ts'

/** A dimension that gives an entitlement. */
export interface MappedDimension {
  key: string
  kind: DimensionKind
  entitlementId: string
  entitlementKind: 'flag' | 'quantity'
}

/** A subscription with its product, its dimensions, and the latest answers of AWS. */
export interface SubscriptionRow {
  id: string
  productId: string
  productCode: string
  pricingModel: PricingModel
  dimensions: MappedDimension[]
  licenseKey: string | null
  licenseArn: string | null
  customerAwsAccountId: string
  customerIdentifier: string | null
  agreementId: string | null
  offerId: string | null
  orgId: string | null
  status: SubscriptionStatus
  source: 'landing' | 'event' | 'manual'
  trial: boolean
  trialEndsAt: string | null
  isTrialOffer: boolean
  startsAt: string | null
  endsAt: string | null
  finalMeteringUntil: string | null
  lastEventAt: string | null
  contactEmail: string | null
  note: string
  lastCheckedAt: string | null
  entitledSince: string | null
  agreementStatus: string | null
  agreementEndsAt: string | null
  hasTerms: boolean
  freeTrial: Observation['freeTrial']
  snapshot: EntitlementValue[]
  notSubscribedAt: string | null
  checkAt: string | null
  checkAttempts: number
  checkError: string | null
  changesAt: string | null
  createdAt: string
  updatedAt: string
  version: number
}

export async function find(sql: Sql, id: string): Promise<SubscriptionRow | undefined> {
  const [row] = await sql<SubscriptionRow[]>`select * from aws_subscription_facts where id = ${id}`
  return row
}

/** Locks subscriptions until the transaction ends, always in the same order, and returns them with their facts. */
export async function lockAll(sql: Sql, ids: string[]): Promise<SubscriptionRow[]> {
  await sql`select from aws_subscriptions where id = any(${ids}) order by id for update`
  return sql<SubscriptionRow[]>`select * from aws_subscription_facts where id = any(${ids})`
}

export interface NewSubscription
  extends Pick<
    SubscriptionRow,
    'productId' | 'licenseKey' | 'licenseArn' | 'customerAwsAccountId' | 'customerIdentifier' | 'agreementId' | 'source'
  > {
  isTrialOffer: boolean
  note: string
}

/** Adds a subscription unless its licence, or the customer of a legacy product, has one. Returns the id of either. */
export async function addOrFind(sql: Sql, fields: NewSubscription): Promise<string> {
  const { productId, licenseKey, licenseArn, isTrialOffer } = fields
  await sql`insert into aws_subscriptions ${sql({ id: uuid(), ...fields } as never)} on conflict do nothing`
  const [row] = await sql<{ id: string }[]>`
    update aws_subscriptions set
      license_arn = coalesce(${licenseArn}, license_arn),
      is_trial_offer = is_trial_offer or ${isTrialOffer},
      customer_identifier = coalesce(customer_identifier, ${fields.customerIdentifier}),
      agreement_id = coalesce(agreement_id, ${fields.agreementId})
    where case when ${licenseKey}::text is null
      then product_id = ${productId} and license_key is null and customer_identifier = ${fields.customerIdentifier}
      else license_key = ${licenseKey} end
    returning id`
  if (!row) throw new Error('The subscription has neither a licence nor a customer identifier')
  return row.id
}

/** Adds the subscriptions of licences that events name, if the products are known and the licences are new. */
export async function addAll(
  sql: Sql,
  licenses: { licenseKey: string; licenseArn: string; accountId: string; product: string }[],
): Promise<void> {
  const rows = licenses.map((license) => ({ id: uuid(), ...license }))
  await sql`
    insert into aws_subscriptions (id, product_id, license_key, license_arn, customer_aws_account_id, source)
    select l.id, p.id, l."licenseKey", l."licenseArn", l."accountId", 'event'
    from jsonb_to_recordset(${sql.json(rows)})
      as l (id text, "licenseKey" text, "licenseArn" text, "accountId" text, product text)
    join aws_product_codes p on l.product in (p.product_code, p.product_id)
    order by l."licenseKey"
    on conflict do nothing`
}

/** The fields that follow from events and answers of AWS. */
export type DerivedFields = Pick<
  SubscriptionRow,
  | 'id'
  | 'orgId'
  | 'contactEmail'
  | 'agreementId'
  | 'offerId'
  | 'status'
  | 'trial'
  | 'trialEndsAt'
  | 'startsAt'
  | 'endsAt'
  | 'finalMeteringUntil'
  | 'lastEventAt'
  | 'lastCheckedAt'
  | 'entitledSince'
  | 'agreementStatus'
  | 'agreementEndsAt'
  | 'hasTerms'
  | 'freeTrial'
  | 'checkAt'
  | 'checkAttempts'
  | 'checkError'
  | 'changesAt'
>

/** Writes the derived fields of locked subscriptions. */
export async function updateAll(sql: Sql, rows: DerivedFields[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update aws_subscriptions s set
      org_id = r."orgId", contact_email = r."contactEmail", agreement_id = r."agreementId", offer_id = r."offerId",
      status = r.status, trial = r.trial, trial_ends_at = r."trialEndsAt", starts_at = r."startsAt", ends_at = r."endsAt",
      final_metering_until = r."finalMeteringUntil", last_event_at = r."lastEventAt",
      last_checked_at = r."lastCheckedAt", entitled_since = r."entitledSince", agreement_status = r."agreementStatus",
      agreement_ends_at = r."agreementEndsAt", has_terms = r."hasTerms", free_trial = r."freeTrial",
      check_at = r."checkAt", check_attempts = r."checkAttempts", check_error = r."checkError",
      changes_at = r."changesAt", updated_at = now(), version = s.version + 1
    from jsonb_to_recordset(${sql.json(rows as never)}) as r (id text, "orgId" text, "contactEmail" text,
      "agreementId" text, "offerId" text, status text, trial boolean, "trialEndsAt" timestamptz, "startsAt" timestamptz,
      "endsAt" timestamptz, "finalMeteringUntil" timestamptz, "lastEventAt" timestamptz, "lastCheckedAt" timestamptz,
      "entitledSince" timestamptz, "agreementStatus" text, "agreementEndsAt" timestamptz, "hasTerms" boolean,
      "freeTrial" jsonb, "checkAt" timestamptz, "checkAttempts" integer, "checkError" text, "changesAt" timestamptz)
    where s.id = r.id`
}

/** Replaces the entitlements of a subscription. */
export async function replaceSnapshot(
  sql: Sql,
  subscriptionId: string,
  entitlements: EntitlementValue[],
  fetchedAt: string,
): Promise<void> {
  await sql`delete from aws_entitlement_snapshots where subscription_id = ${subscriptionId}`
  await sql`
    insert into aws_entitlement_snapshots (subscription_id, dimension, value, expires_at, fetched_at)
    select ${subscriptionId}, e.dimension, coalesce(e.value, 'null'), e."expiresAt", ${fetchedAt}
    from jsonb_to_recordset(${sql.json(entitlements as never)}) as e (dimension text, value jsonb, "expiresAt" timestamptz)`
}

/** The time after which another process repeats the check of a crashed one. */
const leaseMinutes = 2

/** Leases at most `limit` due checks, and returns their subscriptions. */
export async function leaseChecks(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update aws_subscriptions set check_at = now() + make_interval(mins => ${leaseMinutes})
    where id in (
      select id from aws_subscriptions where check_at <= now() order by check_at limit ${limit} for update skip locked)
    returning id`
  return rows.map(({ id }) => id)
}

/** Lists the subscriptions whose state changes by now without an event. */
export async function listDueChanges(sql: Sql, now: string, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from aws_subscriptions where changes_at <= ${now} order by changes_at limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The days after its end in which a subscription is still compared with AWS: the last event may have been lost. */
const comparedDays = 3

/** Makes checks due of all subscriptions that AWS may have changed without an event. */
export async function requestChecks(sql: Sql): Promise<void> {
  await sql`
    update aws_subscriptions set check_at = now()
    where check_at is null
      and (status in ('active', 'ending') or (status in ('pending', 'failed') and org_id is not null)
        or (status = 'ended' and ends_at > now() - make_interval(days => ${comparedDays})))`
}

/** Makes the checks of subscriptions due. */
export async function requestChecksOf(sql: Sql, ids: string[]): Promise<void> {
  await sql`update aws_subscriptions set check_at = now(), check_attempts = 0 where id = any(${ids})`
}

/** Delays the next check of a subscription. */
export async function postponeCheck(
  sql: Sql,
  id: string,
  { attempts, checkAt }: { attempts: number; checkAt: string },
): Promise<void> {
  await sql`update aws_subscriptions set check_at = ${checkAt}, check_attempts = ${attempts} where id = ${id}`
}

/** Returns the time of the database, which is also that of received events. */
export async function readClock(sql: Sql): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select clock_timestamp() as now`
  return row?.now ?? new Date().toISOString()
}

/** Lists the subscriptions to compare with AWS, those first that were not checked for longest. */
export async function listCompared(sql: Sql, limit: number): Promise<SubscriptionRow[]> {
  return sql<SubscriptionRow[]>`
    select * from aws_subscription_facts where status in ('active', 'ending')
    order by last_checked_at nulls first, id limit ${limit}`
}

/** Writes the fields that administrators edit. */
export async function writeFields(
  sql: Sql,
  id: string,
  fields: Pick<SubscriptionRow, 'agreementId' | 'contactEmail' | 'note'>,
): Promise<void> {
  await sql`
    update aws_subscriptions set ${sql(fields)}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Returns which of these products have subscriptions. */
export async function listSubscribedProducts(sql: Sql, productIds: string[]): Promise<Set<string>> {
  const rows = await sql<{ productId: string }[]>`
    select distinct product_id from aws_subscriptions where product_id = any(${productIds})`
  return new Set(rows.map(({ productId }) => productId))
}
