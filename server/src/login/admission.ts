import { isSameEmail } from '@passport/contract/email'
import type { Services } from '../feature.ts'
import type { PageRequest } from '../http/page.ts'
import { findOpenInvitation } from '../invitations/claim-prepared-account.ts'
import { findLiveRegistrations } from '../marketplace/registrations.ts'

/** What lets a user without an account sign up. */
export interface Admission {
  /** What the account is for, to complete “Create your account to …”. */
  purpose: string
  /** Reports whether a user with this email, once verified, may have an account. */
  admits: (email: string) => boolean
}

type Browser = Pick<PageRequest, 'cookies'>

/**
 * Finds what lets a user without an account sign up: the open invitation to which they return, for its address, or a
 * purchase in AWS Marketplace with which their browser came, for any address.
 */
export async function findAdmission(
  services: Pick<Services, 'sql' | 'http' | 'config'>,
  browser: Browser,
  returnTo: string,
): Promise<Admission | undefined> {
  const invitation = await findOpenInvitation(services.sql, returnTo)
  const purchase = await findPurchase(services, browser)
  if (invitation)
    return {
      purpose: `join ${invitation.orgName ?? services.config.brandName}`,
      admits: (email) => purchase !== undefined || isSameEmail(email, invitation.email),
    }
  if (!purchase) return undefined
  return {
    purpose: `set up ${purchase.productName} for the AWS account ending in ${purchase.lastFour}`,
    admits: () => true,
  }
}

/** Finds the newest purchase with which this browser came from AWS Marketplace, and that no user has begun to set up. */
export const findPurchase = async (services: Pick<Services, 'sql' | 'http'>, browser: Browser) =>
  (await findLiveRegistrations(services, browser)).find(({ userId }) => userId === null)
