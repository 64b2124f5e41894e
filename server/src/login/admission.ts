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
  services: Pick<Services, 'sql' | 'http' | 'config' | 'branding'>,
  browser: Browser,
  returnTo: string,
): Promise<Admission | undefined> {
  const invitation = await findOpenInvitation(services.sql, returnTo)
  const purchases = await listPurchases(services, browser)
  if (invitation)
    return {
      purpose: `join ${invitation.orgName ?? services.branding.current().name}`,
      admits: (email) => purchases.length > 0 || isSameEmail(email, invitation.email),
    }
  const requested = URL.parse(returnTo, services.config.publicUrl)?.searchParams.get('registration')
  const purchase = purchases.find(({ id }) => id === requested) ?? purchases[0]
  if (!purchase) return undefined
  return {
    purpose: `set up ${purchase.productName} for the AWS account ending in ${purchase.lastFour}`,
    admits: () => true,
  }
}

/** Reports whether this browser came from AWS Marketplace with a purchase that no user has begun to set up. */
export const hasPurchase = async (services: Pick<Services, 'sql' | 'http'>, browser: Browser): Promise<boolean> =>
  (await listPurchases(services, browser)).length > 0

const listPurchases = async (services: Pick<Services, 'sql' | 'http'>, browser: Browser) =>
  (await findLiveRegistrations(services, browser)).filter(({ userId }) => userId === null)
