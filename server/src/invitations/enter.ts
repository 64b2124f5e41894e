import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'
import { isSameAddress } from './join.ts'
import * as store from './store.ts'

/**
 * The account that was made beforehand for someone who signs in for the first time, on the way to their invitation
 * and with its e-mail, verified: it is theirs now. Undefined for anyone else. What the invitation promises is given
 * only when they accept it.
 */
export async function enterPrepared(sql: Sql, person: users.NewUser, returnTo: string): Promise<string | undefined> {
  const token = tokenIn(returnTo)
  if (!token || !person.emailVerified || person.email === null) return undefined
  const invitation = await store.lockByToken(sql, token)
  if (!invitation?.userId || invitation.isAccepted || invitation.isRevoked || invitation.isExpired) return undefined
  if (!isSameAddress(invitation.email, person.email)) return undefined
  const prepared = await users.lockPrepared(sql, invitation.userId)
  if (!prepared || prepared.disabledAt !== null) return undefined
  await users.fillIn(sql, prepared.id, person)
  return prepared.id
}

/** The token of a way back such as `/app/join/<token>`. */
function tokenIn(returnTo: string): string | undefined {
  return /^\/app\/join\/([\w-]{22,200})\/?(?:[?#]|$)/.exec(returnTo)?.[1]
}
