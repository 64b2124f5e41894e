import { isSameEmail } from '@passport/contract/email'
import type { Services } from '../feature.ts'
import { findOpenInvitation } from '../invitations/claim-prepared-account.ts'

/** What lets a user without an account sign up. */
export interface Admission {
  /** What the account is for, to complete “Create your account to …”. */
  purpose: string
  /** Reports whether a user with this email, once verified, may have an account. */
  admits: (email: string) => boolean
}

/** Finds what lets a user without an account sign up: the open invitation to which they return. */
export async function findAdmission(
  { sql, config }: Pick<Services, 'sql' | 'config'>,
  returnTo: string,
): Promise<Admission | undefined> {
  const invitation = await findOpenInvitation(sql, returnTo)
  if (!invitation) return undefined
  return {
    purpose: `join ${invitation.orgName ?? config.brandName}`,
    admits: (email) => isSameEmail(email, invitation.email),
  }
}
