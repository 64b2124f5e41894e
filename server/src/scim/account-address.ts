import type { Sql } from '../database/sql.ts'
import { findAddressOwner } from '../orgs/address-owner.ts'
import type { AddressHolder } from '../users/store.ts'
import { judgeHolders, takeAddress } from '../users/take-address.ts'
import { actorOf, type ScimContext } from './context.ts'
import * as store from './user-store.ts'
import type { UserValues } from './user-values.ts'

/** The email address that an account gets from a resource. */
export interface AccountAddress {
  email: string | null
  /** The organisation has verified the domain, and so vouches for the address. */
  isOwn: boolean
  /** Why the account does not get the address of the resource. */
  refusal?: 'invalid' | 'other-organisation'
  /** Other accounts with an address of the organisation: those that keep it, and those that lose it. */
  keeping: AddressHolder[]
  losing: AddressHolder[]
}

const none = { isOwn: false, keeping: [], losing: [] }

/**
 * Chooses the email address of an account. One at a domain that another organisation has verified, and an invalid one, is
 * stored as an attribute only: the response is the same for both, and only the log says why. The current one of the account
 * stays. Call it after `lockEmails`.
 */
export async function chooseAddress(
  sql: Sql,
  orgId: string,
  { email, statedEmail }: Pick<UserValues, 'email' | 'statedEmail'>,
  self?: Pick<store.PersonRow, 'id' | 'email'>,
): Promise<AccountAddress> {
  if (email === null) return { ...none, email, ...(statedEmail !== null && { refusal: 'invalid' }) }
  const owner = await findAddressOwner(sql, email)
  const isOwn = owner === orgId
  if (isOwn) return { email, isOwn, ...(await judgeHolders(sql, { email, orgId, userId: self?.id })) }
  if (owner === undefined || email === self?.email) return { ...none, email }
  return { ...none, email: null, refusal: 'other-organisation' }
}

/** Returns by whom an address is verified: by the organisation, whose clients vouch for addresses at its domains, or not. */
export const toVerification = (orgId: string, { isOwn }: AccountAddress) => ({
  emailVerified: isOwn,
  emailVerifiedBy: isOwn ? orgId : null,
})

/** Notes for the log why an account does not get the address of the resource. */
export function noteRefusal({ notes }: ScimContext, { refusal }: AccountAddress): void {
  if (refusal === undefined) return
  const reason = refusal === 'invalid' ? 'it is not valid' : 'another organisation has verified its domain'
  notes.push(`The account has no email address. That of the request is only stored as an attribute: ${reason}.`)
}

/** The names of a user in a request. */
interface StatedNames {
  userName: string
  /** The address as the request has it; null if it is that of the last one. */
  statedEmail: string | null
  address: AccountAddress
}

/**
 * Returns what another user has of the names of a user, as a sentence; undefined if they are free. Only users of the
 * organisation count, with the addresses that its clients stated, and users who have proven an address at a domain of it:
 * whether any other user exists, or which domains are verified, is not for its clients to know.
 */
export async function findTaken(
  sql: Sql,
  orgId: string,
  { userName, statedEmail, address: { email, isOwn, keeping } }: StatedNames,
  self: store.PersonRow | undefined,
): Promise<string | undefined> {
  const userId = self?.id ?? ''
  const isNew = email !== null && email.toLowerCase() !== self?.email?.toLowerCase()
  const taken = await store.findOwnTaken(sql, orgId, { userName, email: statedEmail }, userId)
  if (taken.userName) return 'Another user has this userName.'
  if (taken.email || (isNew && keeping.length > 0)) return 'Another user has this email address.'
  // Without an address of the organisation, the name is what would lead to a second account of the same user.
  if (isOwn || (await findAddressOwner(sql, userName)) !== orgId) return undefined
  const holders = await judgeHolders(sql, { email: userName, orgId, userId })
  return holders.keeping.length > 0 ? 'Another user has this userName.' : undefined
}

/** Takes the address from the accounts that lose it to the organisation. */
export async function takeOwnAddress(sql: Sql, context: ScimContext, { losing }: AccountAddress): Promise<void> {
  if (losing.length === 0) return
  const { services, client, visit, notes } = context
  await takeAddress(sql, services, losing, { orgId: client.orgId, actor: actorOf(context), visit })
  notes.push('Another account had the email address without having verified it, and has none now.')
}
