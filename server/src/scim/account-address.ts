import { isSameEmail } from '@passport/contract/email'
import type { Sql } from '../database/sql.ts'
import { findAddressOwner } from '../orgs/address-owner.ts'
import type { AddressHolder, NewUser } from '../users/store.ts'
import { judgeHolders, takeAddress } from '../users/take-address.ts'
import { actorOf, type ScimContext } from './context.ts'
import { decide } from './decide.ts'
import { toPerson } from './person.ts'
import * as store from './user-store.ts'
import type { UserValues } from './user-values.ts'

/** The email address that an account gets from a resource. */
export interface AccountAddress {
  email: string | null
  /** The organisation has verified the domain, and so vouches for the address. */
  isOwn: boolean
  /** Why the account does not get the address of the resource. */
  refusal?: 'invalid' | 'other-organisation' | 'taken'
  /** Other accounts that lose the address to this one. */
  losing: AddressHolder[]
}

const none = { isOwn: false, losing: [] }

/**
 * Chooses the email address of an account, which is that of one account. One at a domain that another organisation has
 * verified, one that another account of the organisation has or has proven, and an invalid one, is a contact: it is stored as
 * an attribute only. The response is the same for all, and only the log says why. The current one of the account stays. An
 * account that clients have deactivated does not keep its address. Call it after `lockEmails`.
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
  const isCurrent = self?.email != null && isSameEmail(email, self.email)
  if (isCurrent && !isOwn) return { ...none, email }
  if (owner !== undefined && !isOwn) return { ...none, email: null, refusal: 'other-organisation' }
  const { keeping, losing } = await findHolders(sql, orgId, email, { isOwn, userId: self?.id ?? '' })
  if (keeping.length > 0 && !isCurrent) return { ...none, email: null, refusal: 'taken' }
  return { email, isOwn, losing }
}

/** Returns the other accounts that keep an address, and those that lose it. */
async function findHolders(
  sql: Sql,
  orgId: string,
  email: string,
  { isOwn, userId }: { isOwn: boolean; userId: string },
): Promise<{ keeping: { id: string }[]; losing: AddressHolder[] }> {
  const holders = isOwn ? await judgeHolders(sql, { email, orgId, userId }) : undefined
  if (holders && holders.keeping.length + holders.losing.length === 0) return holders
  const governed = await listGoverned(sql, orgId, email, userId)
  if (governed.length === 0) return holders ?? { keeping: [], losing: [] }
  const { keeping, losing } = holders ?? (await judgeHolders(sql, { email, orgId, userId }))
  const active = governed.filter(({ isActive }) => isActive)
  const inactive = new Set(governed.flatMap(({ id, isActive }) => (isActive ? [] : id)))
  return {
    keeping: [...active, ...(isOwn ? keeping.filter(({ id }) => !inactive.has(id)) : [])],
    losing: [...(isOwn ? losing : []), ...[...keeping, ...losing].filter(({ id }) => inactive.has(id))],
  }
}

/**
 * Lists the accounts of users of the organisation that hold an address. One that clients have deactivated counts only while
 * they govern the account: with other logins, organisations or roles, its address is not theirs to give away.
 */
async function listGoverned(sql: Sql, orgId: string, email: string, except: string) {
  const governed = await store.listGovernedHolders(sql, orgId, email, except)
  const inactive = governed.flatMap(({ id, isActive }) => (isActive ? [] : id))
  if (inactive.length === 0) return governed
  const people = await store.listPeople(sql, orgId, inactive)
  const changeable = new Set(
    people.filter((person) => decide('change', toPerson(person)) === 'change-account').map(({ id }) => id),
  )
  return governed.filter(({ id, isActive }) => isActive || changeable.has(id))
}

type Verification = Pick<NewUser, 'emailVerified' | 'emailVerifiedBy'>

/**
 * Returns by whom an address is verified: by the organisation, whose clients vouch for addresses at its domains, or not. With
 * the account as it was `before`, an address that stays is verified as before: a proof of the user or an administrator counts
 * more than a vouch, and a change of the name ends neither.
 */
export function toVerification(
  orgId: string,
  { email, isOwn }: AccountAddress,
  before?: Verification & { email: string | null },
): Verification {
  const isSame = email !== null && before?.email != null && isSameEmail(email, before.email)
  if (isSame && (!isOwn || (before.emailVerified && before.emailVerifiedBy === null))) {
    const { emailVerified, emailVerifiedBy } = before
    return { emailVerified, emailVerifiedBy }
  }
  return { emailVerified: isOwn, emailVerifiedBy: isOwn ? orgId : null }
}

/** Notes for the log why an account does not get the address of the resource. */
export function noteRefusal({ notes }: ScimContext, { refusal }: AccountAddress): void {
  if (refusal === undefined) return
  notes.push(
    `The account has no email address. That of the request is only stored as an attribute: ${reasons[refusal]}.`,
  )
}

const reasons = {
  invalid: 'it is not valid',
  'other-organisation': 'another organisation has verified its domain',
  taken: 'it is that of another account',
}

/** Takes the address from the accounts that lose it to the organisation. */
export async function takeOwnAddress(sql: Sql, context: ScimContext, { losing }: AccountAddress): Promise<void> {
  if (losing.length === 0) return
  const { services, client, visit, notes } = context
  await takeAddress(sql, services, losing, { orgId: client.orgId, actor: actorOf(context), visit })
  notes.push('Another account had the email address without having verified it, or deactivated, and has none now.')
}
