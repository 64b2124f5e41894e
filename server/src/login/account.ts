import { linkLogin } from '../accounts/link-login.ts'
import { notifyOfLogin } from '../accounts/notices.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { joinOrg } from '../entra/join-org.ts'
import type { Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { claimPreparedAccount } from '../invitations/claim-prepared-account.ts'
import type { MailContext } from '../mail/send.ts'
import { findAddressOwner } from '../orgs/address-owner.ts'
import { isTaken } from '../profile/change.ts'
import { listTies } from '../scim/decide.ts'
import { toPerson } from '../scim/person.ts'
import * as provisioned from '../scim/user-store.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { readDisplayName, readEmail, readSubject, readText, readUsername } from '../users/read-person.ts'
import * as users from '../users/store.ts'
import { judgeHolders, takeAddress } from '../users/take-address.ts'
import type { AttemptClaim } from './claim.ts'
import { SignInFailure } from './failure.ts'
import { refreshAccount } from './refresh-account.ts'
import { findAccount, type SignInAccount } from './store.ts'

/** The claims of an identity provider about a user (OpenID Connect Core, section 5.1). */
export interface Claims {
  iss: string
  sub: string
  name?: unknown
  preferred_username?: unknown
  email?: unknown
  email_verified?: unknown
}

/** What a first sign-in depends on, besides the identity. */
interface FirstSignIn {
  mailContext: MailContext
  returnTo: string
  /** The browser came with a purchase that nobody else has begun to set up. */
  hasPurchase: () => Promise<boolean>
  visit: Visit
  trace: Trace
  /** The token of the browser in which users have signed in. */
  browserToken: string
  /** The account of the identity, if it was read already. */
  known?: SignInAccount | undefined
}

/**
 * Finds or creates the account for a sign-in: the account that the login is linked to, the prepared account if the user
 * follows their invitation, or a new account if the provider has open sign-up or the user comes with a purchase. Never
 * returns an account that only has the same email. Throws `SignInFailure`.
 */
export async function findOrCreateAccount(
  sql: Sql,
  upstream: Upstream,
  claims: Claims,
  context: FirstSignIn,
): Promise<SignInAccount> {
  const { trace, browserToken } = context
  trace.begin('account-found')
  requireSubject(claims)
  const identity = { issuer: upstream.identityIssuer, subject: claims.sub, browserToken }
  const known = context.known ?? (await findAccount(sql, identity))
  if (!known) {
    const isEmailInvalid = (claims.email ?? null) !== null && readEmail(claims.email) === null
    trace
      .pass('account-found', { login: 'first sign-in', email: isEmailInvalid ? 'not valid' : undefined })
      .begin('account-admitted')
    const { userId, isAddressRefused } = await createOrClaimAccount(sql, upstream, claims, context)
    trace.about({ userId })
    if (isAddressRefused) trace.pass('account-admitted', { email: refusals['other-organisation'] })
  }
  const account = known ?? (await findAccount(sql, identity))
  // Unlinked since.
  if (!account) throw new SignInFailure('account-disabled', `${claims.iss} ${claims.sub}`)
  trace.about({ userId: account.userId })
  if (!account.isEnabled) throw new SignInFailure('account-disabled', account.userId)
  if (!known) {
    trace.pass('account-admitted', { account: 'created or claimed' })
    return account
  }
  const refreshed = await refreshAccount(sql, known, {
    upstream,
    stated: readStated(upstream, claims),
    mailContext: context.mailContext,
    visit: context.visit,
    reread: (sql) => findAccount(sql, identity),
  })
  trace.pass('account-found', { login: 'known', email: refreshed.refusal && refusals[refreshed.refusal] })
  return refreshed.account
}

const refusals = {
  'other-organisation': 'an organisation has verified its domain',
  'other-account': 'another account has it',
} as const

/**
 * Links an identity to the account of a signed-in user, who is notified. Throws `SignInFailure` if the identity is already
 * linked, and like `findProvisioned` and `AttemptClaim`.
 */
export async function linkIdentity(
  services: MailContext & { sql: Sql },
  upstream: Upstream,
  claims: Claims,
  { userId, claim, visit }: { userId: string; claim: AttemptClaim; visit: Visit },
): Promise<{ userId: string; loginId: string }> {
  requireSubject(claims)
  return claim.transaction(services.sql, async (sql) => {
    await findProvisioned(sql, upstream, claims)
    if (upstream.tenant) await joinOrg(sql, upstream.tenant.orgId, userId)
    const loginId = await linkLogin(sql, userId, toIdentity(upstream, claims))
    if (!loginId) throw new SignInFailure('external-account-in-use', `${claims.iss} ${claims.sub}`)
    await recordLinked(sql, upstream, claims, userId, visit)
    const user = await users.find(sql, userId)
    const change = { providerName: upstream.name, label: labelOf(claims), visit }
    if (user) await notifyOfLogin(sql, services, user, { kind: 'login-linked', ...change })
    return { userId, loginId }
  })
}

/** Throws `SignInFailure` for a subject that no provider may send. */
function requireSubject({ iss, sub }: Claims): void {
  if (readSubject(sub) === undefined) throw new SignInFailure('answer-invalid', `a subject of ${iss} is not valid`)
}

/**
 * Creates or claims the account for a first sign-in, and returns the id of its user. Of two concurrent responses for the same new user, one creates or
 * claims the account and the other finds it.
 */
async function createOrClaimAccount(
  sql: Sql,
  upstream: Upstream,
  claims: Claims,
  { returnTo, hasPurchase, visit, mailContext }: FirstSignIn,
): Promise<{ userId: string; isAddressRefused: boolean }> {
  const isAdmitted = upstream.signUp === 'open' || (await hasPurchase())
  const conflict = new Error('Another request created the account first')
  try {
    return await transaction(sql, async (sql) => {
      const { newUser, addressOwner } = await toNewUser(sql, upstream, claims)
      const provisionedId = await findProvisionedAccount(sql, upstream, claims)
      const existing = provisionedId ?? (await claimPreparedAccount(sql, newUser, returnTo))
      const isAddressRefused = existing === undefined && addressOwner !== undefined && newUser.email === null
      if (existing === undefined && isAdmitted && addressOwner !== undefined && addressOwner === upstream.tenant?.orgId)
        await takeTenantAddress(sql, mailContext, newUser, addressOwner, visit)
      const userId = existing ?? (await signUp(sql, upstream, claims, { newUser, isAdmitted, isAddressRefused, visit }))
      if (upstream.tenant) await joinOrg(sql, upstream.tenant.orgId, userId)
      const given = provisionedId === undefined ? toGiven(newUser) : null
      const loginId = await linkLogin(sql, userId, toIdentity(upstream, claims), given)
      if (!loginId) throw conflict
      await recordLinked(sql, upstream, claims, userId, visit)
      return { userId, isAddressRefused }
    })
  } catch (error) {
    // The same user may have claimed the prepared account in another tab.
    const lostRace = error === conflict || error instanceof SignInFailure
    const winner = lostRace ? await accounts.findLogin(sql, upstream.identityIssuer, claims.sub) : undefined
    if (!winner) throw error
    return { userId: winner.userId, isAddressRefused: false }
  }
}

/**
 * Finds the account that SCIM provisioned for a user of a tenant, before their first sign-in or after their login was
 * unlinked. Throws like `findProvisioned`, and `SignInFailure` if the account has other logins, organisations or roles now: the
 * tenant must not decide who uses them.
 */
async function findProvisionedAccount(sql: Sql, upstream: Upstream, claims: Claims): Promise<string | undefined> {
  const found = await findProvisioned(sql, upstream, claims)
  if (found && listTies(toPerson(found)).length > 0) throw new SignInFailure('login-unlinked', found.id)
  return found?.id
}

/**
 * Finds the user whom SCIM provisioned with an identity at a tenant. Throws `SignInFailure` if SCIM ended the membership, or the
 * account is deleted: the identity must lead neither to a new account nor back to the organisation.
 */
async function findProvisioned(
  sql: Sql,
  { tenant }: Upstream,
  { sub }: Claims,
): Promise<provisioned.PersonRow | undefined> {
  const id = tenant && (await provisioned.findProvisioned(sql, tenant.orgId, sub))
  if (!tenant || id === undefined) return undefined
  await users.lockExisting(sql, [id])
  const found = await provisioned.findPerson(sql, tenant.orgId, id)
  if (!found || found.endedAt !== null || found.releasedAt !== null || found.deletedAt !== null)
    throw new SignInFailure('account-disabled', id)
  return found
}

async function signUp(
  sql: Sql,
  upstream: Upstream,
  claims: Claims,
  {
    newUser,
    isAdmitted,
    isAddressRefused,
    visit,
  }: { newUser: users.NewUser; isAdmitted: boolean; isAddressRefused: boolean; visit: Visit },
) {
  if (!isAdmitted) throw new SignInFailure('not-invited', `${claims.iss} ${claims.sub}`)
  const userId = await users.create(sql, newUser)
  await audit.record(sql, {
    action: 'user.created',
    target: { kind: 'user', id: userId },
    after: { idp: upstream.id },
    ...(isAddressRefused && { reason: 'email-of-organisation' }),
    visit,
  })
  return userId
}

/** Gives the address of a user of a tenant to the new account: accounts of others that have not proven it lose it. */
async function takeTenantAddress(
  sql: Sql,
  mailContext: MailContext,
  { email }: users.NewUser,
  orgId: string,
  visit: Visit,
) {
  if (email === null) return
  await users.lockEmails(sql)
  const { losing } = await judgeHolders(sql, { email, orgId })
  const actor = { actorId: null, reason: 'email-of-organisation', visit }
  await takeAddress(sql, mailContext, losing, { orgId, actor, visit })
}

/** Returns what a provider states of what an account has from it. */
function readStated({ trustEmail }: Upstream, { name, email: stated, email_verified }: Claims): accounts.Given {
  const email = readEmail(stated)
  const emailVerified = trustEmail && email_verified === true && email !== null
  return { email, emailVerified, displayName: readDisplayName(name) }
}

const toGiven = ({ email, emailVerified, displayName }: users.NewUser): accounts.Given => ({
  email,
  emailVerified,
  displayName,
})

/**
 * Maps claims to a new user. Omits a username that is invalid, or that another user has or released recently: the user
 * can choose another later. Omits an email that nothing proves at a domain that an organisation has verified, the
 * `addressOwner`.
 */
async function toNewUser(
  sql: Sql,
  upstream: Upstream,
  claims: Claims,
): Promise<{ newUser: users.NewUser; addressOwner: string | undefined }> {
  const username = readUsername(claims.preferred_username)
  const { email: address, emailVerified, displayName } = readStated(upstream, claims)
  const addressOwner = address === null ? undefined : await findAddressOwner(sql, address)
  const newUser = {
    username: username !== null && (await isTaken(sql, username)) ? null : username,
    displayName,
    email: addressOwner === undefined || emailVerified ? address : null,
    emailVerified,
    // A tenant proves no address: its organisation vouches for those at its domains.
    emailVerifiedBy: emailVerified ? (upstream.tenant?.orgId ?? null) : null,
  }
  return { newUser, addressOwner }
}

const recordLinked = (sql: Sql, { id, identityIssuer }: Upstream, { sub }: Claims, userId: string, visit: Visit) =>
  audit.record(sql, {
    action: 'login.linked',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { idp: id, issuer: identityIssuer, subject: sub },
    visit,
  })

const toIdentity = ({ id, identityIssuer }: Upstream, claims: Claims) => ({
  providerId: id,
  issuer: identityIssuer,
  subject: claims.sub,
  label: labelOf(claims),
})

/** Returns the name of a login at its provider, which distinguishes the logins of one user. */
export const labelOf = ({ email, preferred_username, name, sub }: Claims): string =>
  readEmail(email) ?? readText(preferred_username) ?? readText(name) ?? sub
