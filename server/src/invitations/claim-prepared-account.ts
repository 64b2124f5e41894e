import { isSameEmail } from '@passport/contract/email'
import type { InvitationStatus } from '@passport/contract/invitations'
import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/**
 * Completes the account that an invitation prepared, if a first sign-in through its link has the invited email, verified.
 * Returns the id of the account; undefined otherwise. The grants of the invitation follow on acceptance.
 */
export async function claimPreparedAccount(
  sql: Sql,
  user: users.NewUser,
  returnTo: string,
): Promise<string | undefined> {
  const token = extractToken(returnTo)
  if (!token || !user.emailVerified || user.email === null) return undefined
  const invitation = await store.lockByToken(sql, token)
  if (!invitation?.userId || invitation.isAccepted || invitation.isRevoked || invitation.isExpired) return undefined
  if (!isSameEmail(invitation.email, user.email)) return undefined
  const prepared = await users.lockPrepared(sql, invitation.userId)
  if (!prepared || prepared.disabledAt !== null) return undefined
  // Another address since: the account, with its roles, is that of its owner.
  if (prepared.email === null || !isSameEmail(prepared.email, user.email)) return undefined
  await users.completePrepared(sql, prepared.id, user)
  return prepared.id
}

/** An open invitation in a return URL: its address, and the name of its organisation, if any. */
interface OpenInvitation {
  email: string
  orgName: string | null
}

/** Finds the open invitation that a return URL leads to; undefined without one. */
export async function findOpenInvitation(sql: Sql, returnTo: string): Promise<OpenInvitation | undefined> {
  const token = extractToken(returnTo)
  const invitation = token === undefined ? undefined : await store.findByToken(sql, token)
  if (!invitation || !openStatuses.includes(invitation.status)) return undefined
  return { email: invitation.email, orgName: invitation.org?.name ?? null }
}

const openStatuses: InvitationStatus[] = ['sent', 'opened', 'awaiting-confirmation']

/** Extracts the token of a return URL such as `/app/join/<token>`. */
export function extractToken(returnTo: string): string | undefined {
  return /^\/app\/join\/([\w-]{22,200})\/?(?:[?#]|$)/.exec(returnTo)?.[1]
}
