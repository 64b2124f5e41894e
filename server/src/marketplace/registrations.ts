import type { AwsBuyerValidation, AwsRegistration } from '@passport/contract/marketplace'
import { transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { notSignedIn } from '../http/problems.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import * as problems from './problems.ts'
import { keepHandles, readHandles } from './registration-cookie.ts'
import * as store from './registration-store.ts'

type RegistrationServices = Pick<Services, 'sql' | 'http'>
type SentCookies = Pick<Cookies, 'get'>

/** A purchase in this browser that nobody has redeemed yet. */
export interface LiveRegistration {
  id: string
  productName: string
  /** The last four digits of the buyer's AWS account. */
  lastFour: string
  expiresAt: string
  /** The user who has begun to redeem it. */
  userId: string | null
}

/** Returns the registrations that this browser can redeem, newest first. Each counts as an invitation to sign up. */
export async function findLiveRegistrations(
  { sql, http }: RegistrationServices,
  { cookies }: { cookies: SentCookies },
): Promise<LiveRegistration[]> {
  const found = await store.listByHandles(sql, readHandles(cookies, http).map(hashToken))
  return found
    .filter(({ isExpired, redeemedAt }) => !isExpired && redeemedAt === null)
    .map(({ id, productName, customerAwsAccountId, expiresAt, userId }) => ({
      id,
      productName,
      lastFour: customerAwsAccountId.slice(-4),
      expiresAt,
      userId,
    }))
}

/** Lists the registrations of a browser that have not expired, newest first, and protects them against later landings. */
export async function listRegistrations(
  { sql, http }: RegistrationServices,
  cookies: Cookies,
): Promise<AwsRegistration[]> {
  const handles = readHandles(cookies, http)
  const live = (await store.listByHandles(sql, handles.map(hashToken))).filter(({ isExpired }) => !isExpired)
  const handleOf = new Map(handles.map((handle) => [hashToken(handle), handle]))
  const liveHandles = live.flatMap(({ handleHash }) => handleOf.get(handleHash) ?? [])
  keepHandles(cookies, http, liveHandles)
  return live.map(toRegistration)
}

/**
 * Returns a registration of this browser, by default the newest. Throws 404 without its handle, so that an id alone is
 * worth nothing, and 410 once it has expired.
 */
export async function requireRegistration(
  { sql, http }: RegistrationServices,
  cookies: SentCookies,
  id: string | undefined,
): Promise<store.RegistrationRow> {
  const found = await store.listByHandles(sql, readHandles(cookies, http).map(hashToken))
  const registration = id === undefined ? found[0] : found.find((candidate) => candidate.id === id)
  if (!registration) throw problems.registrationNotFound()
  if (registration.isExpired) throw problems.registrationExpired()
  return registration
}

/** Throws 409 if another user has begun to redeem a registration. */
export function requireHolder({ userId }: Pick<store.RegistrationRow, 'userId'>, caller: Caller): void {
  if (userId !== null && userId !== caller.id) throw problems.registrationTaken()
}

/** Reserves a registration for the caller, and returns what redeeming it requires. Throws 404, 409 and 410. */
export async function validateBuyer(
  services: RegistrationServices,
  id: string | undefined,
  { caller, cookies }: { caller: Caller; cookies: SentCookies },
): Promise<AwsBuyerValidation> {
  const { sql } = services
  const { id: registrationId } = await requireRegistration(services, cookies, id)
  const registration = await transaction(sql, async (sql) => {
    const locked = await store.lock(sql, registrationId)
    if (!locked) throw problems.registrationNotFound()
    requireHolder(locked, caller)
    if (locked.userId === null) await store.reserve(sql, registrationId, caller.id)
    return locked
  })
  const user = await users.find(sql, caller.id)
  if (!user) throw notSignedIn()
  const { productId, productName, pricingModel, offerType, subscriptionId, subscriptionStatus, orgId } = registration
  const organisations = caller.orgs.map(toBuyerOrg)
  const inUse = orgId !== null
  const orgOfCaller = caller.orgs.find((org) => org.id === orgId)
  return {
    registrationId,
    valid: !inUse,
    ...(inUse && { reasons: ['already-redeemed' as const] }),
    status: registration.redeemedAt === null ? 'validated' : 'redeemed',
    user: { sub: user.id, displayname: user.displayName, email: user.email, emailVerified: user.emailVerified },
    product: { id: productId, name: productName, pricingModel },
    offerType,
    customerAwsAccountId: maskAccountId(registration.customerAwsAccountId),
    organisations,
    existingSubscription: inUse
      ? {
          id: subscriptionId,
          status: subscriptionStatus,
          org: orgOfCaller ? { id: orgOfCaller.id, name: orgOfCaller.name } : null,
        }
      : null,
    requires:
      organisations.filter(({ eligible }) => eligible).length > 1 ? ['contactEmail', 'orgId'] : ['contactEmail'],
  }
}

function toBuyerOrg({ id, name, role }: Caller['orgs'][number]): AwsBuyerValidation['organisations'][number] {
  const eligible = role === 'owner' || role === 'admin'
  return { id, name, role: role as 'owner', eligible, ...(!eligible && { reason: 'not-admin' as const }) }
}

export const toRegistration = (row: store.RegistrationRow): AwsRegistration => ({
  registrationId: row.id,
  status: row.redeemedAt !== null ? 'redeemed' : row.userId !== null ? 'validated' : 'resolved',
  product: { id: row.productId, name: row.productName, productCode: row.productCode },
  offerType: row.offerType,
  customerAwsAccountId: maskAccountId(row.customerAwsAccountId),
  expiresAt: row.expiresAt,
})

/** Returns the last four digits of an account id after asterisks, as buyers see it. */
export const maskAccountId = (accountId: string): string => `********${accountId.slice(-4)}`
