import type { Action } from '@passport/contract/audit'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { applyAllSubscriptionGrants } from '../entitlements/grants.ts'
import type { Services } from '../feature.ts'
import { Problem } from '../http/problem.ts'
import { describeAgreement, getAgreementTerms, getEntitlements } from './aws.ts'
import * as events from './event-store.ts'
import * as problems from './problems.ts'
import { recordQuantities } from './record-quantities.ts'
import {
  type Answer,
  addAnswer,
  deriveState,
  listAskingKinds,
  type Observation,
  type SubscriptionState,
} from './state.ts'
import type { SubscriptionRow } from './subscription-store.ts'
import * as store from './subscription-store.ts'
import { listWantedGrants } from './wanted-grants.ts'

export type { SubscriptionRow } from './subscription-store.ts'

interface License {
  product: { id: string }
  /** The trailing `l-…` of the ARN; null for the buyer of a legacy product, whom `customerIdentifier` identifies. */
  licenseKey: string | null
  licenseArn: string | null
  accountId: string
  customerIdentifier?: string | null
  agreementId?: string | null
  source: SubscriptionRow['source']
  isTrialOffer?: boolean
  note?: string
}

/**
 * Finds the subscription of a licence, or creates it, and applies the events that arrived before it. Locks it until the
 * transaction ends. The product of an existing one stays.
 */
export async function findOrCreateSubscription(sql: Sql, license: License): Promise<SubscriptionRow> {
  await events.lockMatching(sql)
  const id = await store.addOrFind(sql, {
    productId: license.product.id,
    licenseKey: license.licenseKey,
    licenseArn: license.licenseArn,
    customerAwsAccountId: license.accountId,
    customerIdentifier: license.customerIdentifier ?? null,
    agreementId: license.agreementId ?? null,
    source: license.source,
    isTrialOffer: license.isTrialOffer ?? false,
    note: license.note ?? '',
  })
  const [row] = await store.lockAll(sql, [id])
  if (!row) throw new Error('A subscription that was just locked is missing')
  if (await unparkEventsOf(sql, [row])) {
    await matchParked(sql)
    await events.wake(sql)
  }
  return only(await refresh(sql, [id]))
}

/** Matches the events that `unparkEventsOf` made due, in this transaction. */
async function matchParked(sql: Sql): Promise<void> {
  const due = await events.lockReceived(sql, maxParked)
  await events.match(
    sql,
    due.map(({ id }) => id),
  )
}

/** More events than arrive about one licence before its buyer. */
const maxParked = 500

/** Makes the events due that were parked until these subscriptions existed; returns whether there are any. */
export const unparkEventsOf = (sql: Sql, rows: SubscriptionRow[]): Promise<boolean> =>
  events.unpark(sql, {
    licenseKeys: rows.flatMap(({ licenseKey }) => licenseKey ?? []),
    agreementIds: rows.flatMap(({ agreementId }) => agreementId ?? []),
    accountIds: rows.flatMap(({ customerAwsAccountId, customerIdentifier }) =>
      customerIdentifier === null ? [customerAwsAccountId] : [customerAwsAccountId, customerIdentifier],
    ),
  })

/**
 * Gives a subscription to an organisation, with its grants, in the caller's transaction. The grants of the organisation
 * that had it before end now.
 */
export async function assignOrg(
  sql: Sql,
  { id }: Pick<SubscriptionRow, 'id'>,
  { orgId, contactEmail, actor }: { orgId: string; contactEmail?: string; actor: string | null },
): Promise<SubscriptionRow> {
  return only(await refresh(sql, [id], { changes: { orgId, ...(contactEmail && { contactEmail }) }, actor }))
}

interface RefreshOptions {
  changes?: Partial<store.DerivedFields>
  actor?: string | null
  /** Whether the next attempt of a failed check is due at once. */
  hasNewEvents?: boolean
}

/**
 * Derives the state of subscriptions from their events and the answers of AWS, and makes their grants follow, in the
 * caller's transaction. Returns the new rows.
 */
export async function refresh(
  sql: Sql,
  ids: string[],
  { changes = {}, actor = null, hasNewEvents = false }: RefreshOptions = {},
): Promise<SubscriptionRow[]> {
  const rows = await store.lockAll(sql, ids)
  const byId = Map.groupBy(await events.listOf(sql, ids), ({ subscriptionId }) => subscriptionId)
  const now = new Date()
  const results = rows.map((before) => {
    const row = { ...before, ...changes }
    const state = derive(row, byId.get(row.id) ?? [], now)
    const offerId = byId.get(row.id)?.findLast((event) => event.offerId !== null)?.offerId ?? row.offerId
    const isCheckDue = row.checkAt === null || (hasNewEvents && row.checkAttempts > 0)
    const checkAt = state.needsCheck && isCheckDue ? now.toISOString() : row.checkAt
    return { before, row: { ...row, ...toFields(row, state), checkAt, offerId } }
  })
  await store.updateAll(
    sql,
    results.map(({ row }) => pickDerived(row)).filter((row, index) => isChanged(row, rows[index])),
  )
  await applyAllSubscriptionGrants(
    sql,
    results.map(({ row }) => ({
      subscriptionId: row.id,
      orgId: row.orgId,
      wanted: listWantedGrants(row, row.dimensions, row.snapshot),
      at: now,
    })),
    actor,
  )
  await recordChanges(sql, results, actor)
  return results.map(({ row }) => row)
}

const derive = (row: SubscriptionRow, licenseEvents: events.StoredEvent[], now: Date): SubscriptionState =>
  deriveState(
    {
      pricingModel: row.pricingModel,
      events: licenseEvents,
      observation: toObservation(row),
      isTrialOffer: row.isTrialOffer,
      notSubscribedAt: row.notSubscribedAt,
    },
    now.toISOString(),
  )

const toObservation = (row: SubscriptionRow): Observation | null =>
  row.lastCheckedAt === null
    ? null
    : {
        checkedAt: row.lastCheckedAt,
        entitlements: row.snapshot,
        entitledSince: row.entitledSince,
        agreement: row.agreementStatus === null ? null : { status: row.agreementStatus, endsAt: row.agreementEndsAt },
        freeTrial: row.freeTrial,
        hasTerms: row.hasTerms,
      }

const toFields = (row: SubscriptionRow, { needsCheck: _, ...state }: SubscriptionState) => ({
  ...state,
  agreementId: state.agreementId ?? row.agreementId,
})

/** The derived fields in the order of the statement that writes them. */
const pickDerived = (row: SubscriptionRow): store.DerivedFields => ({
  id: row.id,
  orgId: row.orgId,
  contactEmail: row.contactEmail,
  agreementId: row.agreementId,
  offerId: row.offerId,
  status: row.status,
  trial: row.trial,
  trialEndsAt: row.trialEndsAt,
  startsAt: row.startsAt,
  endsAt: row.endsAt,
  finalMeteringUntil: row.finalMeteringUntil,
  lastEventAt: row.lastEventAt,
  lastCheckedAt: row.lastCheckedAt,
  entitledSince: row.entitledSince,
  agreementStatus: row.agreementStatus,
  agreementEndsAt: row.agreementEndsAt,
  hasTerms: row.hasTerms,
  freeTrial: row.freeTrial,
  checkAt: row.checkAt,
  checkAttempts: row.checkAttempts,
  checkError: row.checkError,
  changesAt: row.changesAt,
})

const isChanged = (row: store.DerivedFields, before: SubscriptionRow | undefined) =>
  before === undefined || JSON.stringify(row) !== JSON.stringify(pickDerived(before))

/** Records the changes of state. What they gave or took away is recorded with the grants. */
async function recordChanges(
  sql: Sql,
  results: { before: SubscriptionRow; row: SubscriptionRow }[],
  actor: string | null,
): Promise<void> {
  const changed = results.filter(({ before, row }) => before.status !== row.status)
  if (changed.length === 0) return
  await audit.recordAll(
    sql,
    changed.map(({ before, row }) => ({
      action: 'aws-subscription.status-changed' satisfies Action,
      actorId: actor,
      target: { kind: 'aws-subscription' as const, id: row.id },
      before: { status: before.status },
      after: { status: row.status },
    })),
  )
}

function only(rows: SubscriptionRow[]): SubscriptionRow {
  const [row] = rows
  if (!row) throw problems.subscriptionNotFound()
  return row
}

/** The first delay after a failed check, and the longest. */
const firstDelayMs = 30_000
const maxDelayMs = 60 * 60 * 1000

/**
 * Asks AWS for the entitlements and the agreement of a subscription, and makes state and grants follow. Throws the
 * problem of a failed call, after it has recorded it and the time of the next attempt; what AWS did answer counts.
 */
export async function checkWithAws(services: Services, subscriptionId: string): Promise<SubscriptionRow> {
  const { sql } = services
  const before = await store.find(sql, subscriptionId)
  if (!before) throw problems.subscriptionNotFound()
  const checkedAt = await store.readClock(sql)
  const [entitlements, agreement] = await Promise.allSettled([
    readEntitlements(services, before),
    readAgreement(services, before),
  ])
  const failure = [entitlements, agreement].find((result) => result.status === 'rejected')
  const answer: Answer | undefined =
    entitlements.status === 'fulfilled'
      ? { checkedAt, entitlements: entitlements.value, ...(agreement.status === 'fulfilled' && agreement.value) }
      : undefined
  const row = await transaction(sql, (sql) =>
    recordAnswer(sql, before, { answer, checkedAt, failure: failure?.reason as unknown }),
  )
  if (failure) throw failure.reason
  return row
}

async function recordAnswer(
  sql: Sql,
  { id, pricingModel }: SubscriptionRow,
  { answer, checkedAt, failure }: { answer: Answer | undefined; checkedAt: string; failure: unknown },
): Promise<SubscriptionRow> {
  const [locked] = await store.lockAll(sql, [id])
  if (!locked) throw problems.subscriptionNotFound()
  const error = failure === undefined ? null : formatFailure(failure)
  await events.recordCheck(sql, id, {
    error,
    before: locked.lastCheckedAt,
    checkedAt,
    kinds: listAskingKinds(pricingModel),
  })
  const isNewest = locked.lastCheckedAt === null || locked.lastCheckedAt < checkedAt
  const observed = answer && isNewest ? addAnswer(toObservation(locked), answer) : undefined
  if (observed) await store.replaceSnapshot(sql, id, observed.entitlements, observed.checkedAt)
  if (answer && observed && pricingModel === 'contract-with-consumption')
    await recordQuantities(sql, locked, answer.entitlements, checkedAt)
  const attempts = error === null ? 0 : locked.checkAttempts + 1
  const checked = only(
    await refresh(sql, [id], {
      changes: {
        ...(observed && toObservedFields(observed)),
        checkAttempts: attempts,
        checkError: error,
        checkAt: error === null ? null : delayed(attempts),
      },
    }),
  )
  // AWS confirms some purchases only after a while.
  const isAwaited = checked.status === 'pending' && (checked.startsAt !== null || checked.orgId !== null)
  if (error !== null || !isAwaited || locked.checkAttempts >= maxAwaiting) return checked
  const awaiting = { attempts: locked.checkAttempts + 1, checkAt: delayed(locked.checkAttempts + 1) }
  await store.postponeCheck(sql, id, awaiting)
  return { ...checked, checkAttempts: awaiting.attempts, checkAt: awaiting.checkAt }
}

/** The attempts to confirm a purchase, in about four hours; the nightly comparison continues. */
const maxAwaiting = 10

const toObservedFields = ({ checkedAt, agreement, ...observation }: Observation) => ({
  lastCheckedAt: checkedAt,
  entitledSince: observation.entitledSince,
  agreementStatus: agreement?.status ?? null,
  agreementEndsAt: agreement?.endsAt ?? null,
  hasTerms: observation.hasTerms,
  freeTrial: observation.freeTrial,
})

const delayed = (attempts: number) =>
  new Date(Date.now() + Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs)).toISOString()

const formatFailure = (failure: unknown) =>
  failure instanceof Problem ? `${failure.code}: ${failure.message}` : 'The check failed. Find details in the log.'

/** Pay-as-you-go has no entitlements. */
export async function readEntitlements(services: Pick<Services, 'config' | 'log'>, row: SubscriptionRow) {
  if (row.pricingModel === 'subscription') return []
  const buyer = row.licenseArn === null ? { accountId: row.customerAwsAccountId } : { licenseArn: row.licenseArn }
  const entitlements = await getEntitlements(services, row, buyer)
  return entitlements.map(({ expiresAt, ...entitlement }) => ({
    ...entitlement,
    expiresAt: expiresAt?.toISOString() ?? null,
  }))
}

/** Reads the agreement, and its terms where they can have a trial that is not known to be over. */
async function readAgreement(services: Services, { agreementId }: SubscriptionRow): Promise<Partial<Answer>> {
  if (agreementId === null) return {}
  const [{ status, endsAt }, { freeTrial }] = await Promise.all([
    describeAgreement(services, agreementId),
    getAgreementTerms(services, agreementId),
  ])
  return {
    agreement: { status, endsAt: endsAt?.toISOString() ?? null },
    freeTrial: freeTrial && {
      endsAt: freeTrial.endsAt?.toISOString() ?? null,
      durationDays: freeTrial.durationDays,
    },
  }
}
