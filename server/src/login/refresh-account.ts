import type { Given } from '../accounts/store.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import type { MailContext } from '../mail/send.ts'
import { findAddressOwner } from '../orgs/address-owner.ts'
import { notifyOfNames } from '../profile/notices.ts'
import * as users from '../users/store.ts'
import { judgeHolders, takeAddress } from '../users/take-address.ts'
import type { SignInAccount } from './store.ts'

/** Why an account does not get the address that its provider states. */
type Refusal = 'other-organisation' | 'other-account'

/** Which of the values of an account are those that its login gave it, so that the provider changes them. */
interface Owned {
  email: boolean
  /** Whether the address is verified: an administrator may have decided otherwise. */
  verification: boolean
  displayName: boolean
}

type Values = Pick<SignInAccount, 'email' | 'emailVerified' | 'displayName'>

const isSame = (a: string | null, b: string | null) => a?.toLowerCase() === b?.toLowerCase()

/** Returns what a login owns. An address that the account lost comes back only as another one. */
function findOwned(account: Values, given: Given, stated: Given): Owned {
  const isLost = account.email === null && given.email !== null
  return {
    email: isLost ? !isSame(stated.email, given.email) : isSame(account.email, given.email),
    verification: account.emailVerified === given.emailVerified,
    displayName: account.displayName === given.displayName,
  }
}

/**
 * Returns what an account has after its provider stated other values. A verification ends with the statement: without an
 * address in it, or with a refused one, the account keeps the former address unverified.
 */
export function refresh(
  account: Values,
  given: Given,
  stated: Given,
  refusal?: Refusal,
): { values: Values; given: Given } {
  const owned = findOwned(account, given, stated)
  const displayName = owned.displayName && stated.displayName !== null ? stated.displayName : account.displayName
  const name = owned.displayName ? displayName : given.displayName
  if (!owned.email) return { values: { ...account, displayName }, given: { ...given, displayName: name } }
  const isNew = !isSame(stated.email, account.email)
  const isTaken = isNew && stated.email !== null && refusal === undefined
  const email = isTaken ? stated.email : account.email
  const isStated = isTaken || !isNew
  const statedVerified = isStated && stated.emailVerified && email !== null
  const emailVerified = isTaken || owned.verification ? statedVerified : account.emailVerified
  return {
    values: { email, emailVerified, displayName },
    given: {
      email,
      emailVerified: isTaken || owned.verification ? emailVerified : given.emailVerified,
      displayName: name,
    },
  }
}

const isSameValues = (a: Values, b: Values) =>
  isSame(a.email, b.email) && a.emailVerified === b.emailVerified && a.displayName === b.displayName

/** A sign-in that may change the account. */
interface Refresh {
  upstream: Upstream
  /** What the provider states now. */
  stated: Given
  mailContext: MailContext
  visit: Visit
  /** Reads the account again, under a lock of its user. */
  reread: (sql: Sql) => Promise<SignInAccount | undefined>
}

/** The account after a refresh, and why it does not have the stated address. */
interface Refreshed {
  account: SignInAccount
  refusal?: Refusal | undefined
}

/**
 * Changes the name and the address of an account to what the provider of its login states now. Only the login that gave
 * them does so, and only as long as nobody else has changed them; an account that SCIM governs stays as SCIM says. A change
 * is audited, and a new address is notified, also to the former one. Without a change it takes no statement.
 */
export async function refreshAccount(sql: Sql, known: SignInAccount, context: Refresh): Promise<Refreshed> {
  if (!needsRefresh(known, context)) return { account: known }
  return transaction(sql, async (sql) => {
    const [row] = await users.lockRows(sql, [known.userId])
    const account = await context.reread(sql)
    if (!row || !account?.given || !needsRefresh(account, context)) return { account: account ?? known }
    const refusal = await findRefusal(sql, account, account.given, context)
    const next = refresh(account, account.given, context.stated, refusal)
    await accounts.setGiven(sql, account.loginId, next.given)
    if (!isSameValues(next.values, account)) await save(sql, row, next.values, context, refusal)
    return { account: { ...account, ...next.values, given: next.given }, refusal }
  })
}

function needsRefresh(account: SignInAccount, { upstream, stated }: Refresh): boolean {
  // The built-in directory states what an administrator or the user entered once.
  if (account.given === null || account.isProvisioned || upstream.kind === 'local') return false
  return !isSameValues(refresh(account, account.given, stated).values, account)
}

/**
 * Returns why an account does not get a new address: nothing proves it at a domain that an organisation has verified, or it
 * is verified, also of another account. An unverified one is not compared: a user who states addresses at a provider would
 * learn who has an account. Takes it from accounts that lose it to the organisation of the tenant.
 */
async function findRefusal(
  sql: Sql,
  account: SignInAccount,
  given: Given,
  { upstream, stated, mailContext, visit }: Refresh,
): Promise<Refusal | undefined> {
  const { email } = stated
  if (email === null || isSame(email, account.email) || !findOwned(account, given, stated).email) return undefined
  await users.lockEmails(sql)
  const owner = await findAddressOwner(sql, email)
  if (!stated.emailVerified) return owner === undefined ? undefined : 'other-organisation'
  if (owner === undefined || owner !== upstream.tenant?.orgId) {
    const holders = await users.listHolders(sql, email, account.userId)
    return holders.some(({ emailVerified }) => emailVerified) ? 'other-account' : undefined
  }
  const { keeping, losing } = await judgeHolders(sql, { email, orgId: owner, userId: account.userId })
  if (keeping.length > 0) return 'other-account'
  const actor = { actorId: null, reason: 'email-of-organisation', visit }
  await takeAddress(sql, mailContext, losing, { orgId: owner, actor, visit })
  return undefined
}

async function save(
  sql: Sql,
  row: users.UserRow,
  values: Values,
  { upstream, stated, mailContext, visit }: Refresh,
  refusal: Refusal | undefined,
) {
  const { id, username } = row
  const isVerifiedNow = values.emailVerified && !(row.emailVerified && isSame(row.email, values.email))
  const kept = values.emailVerified ? row.emailVerifiedBy : null
  const emailVerifiedBy = isVerifiedNow ? (upstream.tenant?.orgId ?? null) : kept
  await users.save(sql, id, { username, ...values, emailVerifiedBy })
  const pickChanged = (from: Values) => ({
    ...(row.displayName !== values.displayName && { displayname: from.displayName }),
    ...(!isSame(row.email, values.email) && { email: from.email }),
    ...(row.emailVerified !== values.emailVerified && { emailVerified: from.emailVerified }),
  })
  await audit.record(sql, {
    action: 'user.changed',
    actorId: id,
    target: { kind: 'user', id },
    before: pickChanged(row),
    after: { ...pickChanged(values), idp: upstream.id },
    reason: 'identity-provider',
    visit,
  })
  await notifyOfNames(sql, mailContext, {
    id,
    before: row,
    after: { ...values, username },
    isByAdministrator: false,
    ...(refusal === 'other-account' && { refusedEmail: stated.email }),
    visit,
  })
}
