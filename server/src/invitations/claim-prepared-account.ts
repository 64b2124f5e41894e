import { isSameEmail } from '@passport/contract/email'
import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/**
 * Fills in and returns the account prepared for a first sign-in that follows an invitation with its verified email; undefined
 * otherwise. The grants of the invitation follow only on acceptance.
 */
export async function claimPreparedAccount(
  sql: Sql,
  person: users.NewUser,
  returnTo: string,
): Promise<string | undefined> {
  const token = extractToken(returnTo)
  if (!token || !person.emailVerified || person.email === null) return undefined
  const invitation = await store.lockByToken(sql, token)
  if (!invitation?.userId || invitation.isAccepted || invitation.isRevoked || invitation.isExpired) return undefined
  if (!isSameEmail(invitation.email, person.email)) return undefined
  const prepared = await users.lockPrepared(sql, invitation.userId)
  if (!prepared || prepared.disabledAt !== null) return undefined
  await users.completePrepared(sql, prepared.id, person)
  return prepared.id
}

/** Extracts the token of a return address such as `/app/join/<token>`. */
function extractToken(returnTo: string): string | undefined {
  return /^\/app\/join\/([\w-]{22,200})\/?(?:[?#]|$)/.exec(returnTo)?.[1]
}
