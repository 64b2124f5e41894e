import type { AwsRegistration } from '@passport/contract/marketplace'
import type { Services } from '../feature.ts'
import type { Cookies } from '../http/cookies.ts'
import { hashToken } from '../vault.ts'
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

export const toRegistration = (row: store.RegistrationRow): AwsRegistration => ({
  registrationId: row.id,
  status: row.redeemedAt !== null ? 'redeemed' : row.userId !== null ? 'validated' : 'resolved',
  product: { id: row.productId, name: row.productName, productCode: row.productCode },
  offerType: row.offerType,
  customerAwsAccountId: maskAccountId(row.customerAwsAccountId),
  expiresAt: row.expiresAt,
})

/** Returns the last four digits of an account id after asterisks, as buyers see it. */
const maskAccountId = (accountId: string): string => `********${accountId.slice(-4)}`
