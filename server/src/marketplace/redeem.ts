import type { SubscriptionState } from '@passport/contract/aws-products'
import type { RedeemRequest, Redemption } from '@passport/contract/marketplace'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { create } from '../orgs/change.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { queueConfirmation } from './buyer-mails.ts'
import * as buyers from './buyer-store.ts'
import * as problems from './problems.ts'
import * as store from './registration-store.ts'
import { requireHolder, requireRegistration } from './registrations.ts'
import { lockAll as lockSubscriptions } from './subscription-store.ts'
import { assignOrg, checkWithAws } from './subscriptions.ts'

interface RedeemContext extends ChangeContext<Caller> {
  cookies: Pick<Cookies, 'get'>
}

/**
 * Gives an organisation the subscription of a registration. AWS is asked first, because nothing that the browser sent
 * proves what was bought. Repeating the call for the same organisation changes nothing and sends no further email.
 * Throws 400, 403, 404, 409, 410, 429, 502 and 503.
 */
export async function redeem(services: Services, request: RedeemRequest, context: RedeemContext): Promise<Redemption> {
  const { sql } = services
  const { caller, cookies } = context
  const registration = await requireRegistration(services, cookies, request.registrationId)
  requireHolder(registration, caller)
  if (request.orgId !== undefined) await requireBuyerOrg(sql, request.orgId, caller)
  if (!(await isRepetition(sql, registration, request, caller))) {
    rejectEnded(registration.subscriptionStatus)
    await checkWithAws(services, registration.subscriptionId)
  }
  return transaction(sql, async (sql) => {
    await lockSubscriptions(sql, [registration.subscriptionId])
    const locked = await store.lock(sql, registration.id)
    if (!locked) throw problems.registrationNotFound()
    requireHolder(locked, caller)
    await recheckCaller(sql, caller)
    const orgId = (await isRepetition(sql, locked, request, caller))
      ? (locked.orgId ?? '')
      : await assign(sql, services, locked, request, context)
    await store.markRedeemed(sql, locked.id, caller.id)
    return readRedemption(sql, services, locked.subscriptionId, orgId)
  })
}

/** Throws 404 unless the caller knows an organisation, and 403 unless they manage it. Administrators assign instead. */
async function requireBuyerOrg(sql: Sql, orgId: string, caller: Caller): Promise<void> {
  const org = await orgs.findWithRole(sql, orgId, caller.id)
  if (!org?.callerRole) throw orgNotFound()
  if (org.callerRole === 'member') throw problems.notOrgAdmin()
}

/**
 * Reports whether the requested organisation has the subscription already. A new one is recognised by its name and its
 * owner. Throws 409 `already-redeemed` if another organisation has it.
 */
async function isRepetition(
  sql: Sql,
  { orgId, redeemedAt }: store.RegistrationRow,
  request: RedeemRequest,
  caller: Caller,
): Promise<boolean> {
  if (orgId === null) return false
  if (orgId === request.orgId) return true
  const org = redeemedAt !== null && request.newOrg ? await orgs.findWithRole(sql, orgId, caller.id) : undefined
  if (org?.callerRole === 'owner' && org.name === request.newOrg?.name) return true
  throw problems.alreadyRedeemed()
}

function rejectEnded(status: SubscriptionState): void {
  if (status === 'ended' || status === 'failed') throw problems.licenseEnded()
}

/** Gives an organisation a subscription that has none. The registration and its subscription must be locked. */
async function assign(
  sql: Sql,
  services: Services,
  { subscriptionId, subscriptionStatus }: store.RegistrationRow,
  request: RedeemRequest,
  context: RedeemContext,
): Promise<string> {
  const orgId = request.orgId ?? (await createOrg(sql, request, context))
  if (request.orgId !== undefined) {
    await orgs.lock(sql, orgId)
    await requireBuyerOrg(sql, orgId, context.caller)
  }
  const { contactEmail, contactName } = request
  const assigned = await assignOrg(sql, { id: subscriptionId }, { orgId, contactEmail, actor: context.caller.id })
  rejectEnded(assigned.status)
  const subscription = await buyers.find(sql, subscriptionId)
  await audit.record(sql, {
    action: 'aws-subscription.redeemed',
    ...toActorFields(context),
    target: { kind: 'aws-subscription', id: subscriptionId },
    before: { org: null, status: subscriptionStatus },
    after: { org: subscription?.orgName ?? orgId, status: assigned.status },
  })
  if (subscription) await queueConfirmation(sql, services, { ...subscription, contactEmail }, contactName)
  return orgId
}

/** Creates an organisation, by the rules of all others, with the caller as its owner. */
async function createOrg(sql: Sql, { newOrg }: RedeemRequest, context: RedeemContext): Promise<string> {
  const { id } = await create(sql, { name: newOrg?.name ?? '', slug: newOrg?.slug }, context)
  const members = await orgs.addMembers(sql, id, [context.caller.id], { role: 'owner', addedBy: null })
  await audit.record(sql, {
    action: 'org.member-added',
    ...toActorFields(context),
    target: { kind: 'org', id },
    after: { members, role: 'owner' },
  })
  return id
}

async function readRedemption(
  sql: Sql,
  { config }: Services,
  subscriptionId: string,
  orgId: string,
): Promise<Redemption> {
  const subscription = await buyers.find(sql, subscriptionId)
  if (!subscription) throw orgNotFound()
  const { status, productId, productName, trial, dimensions, contactEmail } = subscription
  const followUp = config.mail
    ? `We will email ${contactEmail} when it is ready.`
    : 'This installation cannot send email: your subscriptions show when it is ready.'
  return {
    subscriptionId,
    status,
    orgId,
    product: { id: productId, name: productName },
    entitlements: dimensions.filter(({ value }) => value !== null),
    trial,
    message: status === 'pending' ? `AWS has not confirmed the subscription yet. ${followUp}` : null,
  }
}
