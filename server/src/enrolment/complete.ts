import { linkLogin } from '../accounts/link-login.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Visit } from '../http/visit.ts'
import { grantInvitation } from '../invitations/grant.ts'
import { loadInviter } from '../invitations/inviter.ts'
import type { LockedInvitation } from '../invitations/store.ts'
import { hashPassword } from '../local-directory/password.ts'
import { startSignIn } from '../local-directory/start-sign-in.ts'
import * as directory from '../local-directory/store.ts'
import * as users from '../users/store.ts'
import { lockOpened } from './open.ts'
import * as store from './store.ts'

interface EnrolContext {
  cookies: Cookies
  visit: Visit
}

/**
 * Sets the password of the account whose link this browser has opened, and accepts its invitation. The email of the account
 * is not proven by it. Returns the URL that signs the browser in. Throws like `lockOpened`, and 503 `too-busy`.
 */
export async function enrol(
  { sql, config }: Pick<Services, 'sql' | 'config'>,
  password: string,
  { cookies, visit }: EnrolContext,
): Promise<string> {
  // A link that does not work costs no hash.
  await transaction(sql, (sql) => lockOpened(sql, cookies))
  const passwordHash = await hashPassword(password, config.passwordCost)
  return transaction(sql, async (sql) => {
    const { link, user, signInName, invitation } = await lockOpened(sql, cookies)
    const { emailVerified } = user
    const personId = await addPassword(sql, user, { signInName, emailVerified, passwordHash, visit })
    await store.markUsed(sql, link.id)
    await audit.record(sql, {
      action: 'user.enrolment-link-used',
      actorId: user.id,
      target: { kind: 'user', id: user.id },
      after: { enrolmentLink: link.id, createdBy: link.createdBy },
      visit,
    })
    if (invitation) await acceptInvitation(sql, invitation, user.id, visit)
    return startSignIn(sql, cookies, { signInName, displayName: user.displayName, passwordHash, personId })
  })
}

interface NewPassword {
  signInName: string
  /** Whether the email of the account is proven. */
  emailVerified: boolean
  passwordHash: string
  visit: Visit
}

/**
 * Adds a user to the built-in directory, and links them to the account, which is locked and has no login. Returns the id in
 * the directory.
 */
export async function addPassword(
  sql: Sql,
  { id: userId, username, displayName, email }: users.User,
  { signInName, emailVerified, passwordHash, visit }: NewPassword,
): Promise<string> {
  const subject = await directory.add(sql, {
    // An email that is not proven stays free as a name, for its owner.
    name: signInName === username || emailVerified ? signInName : null,
    displayName: displayName ?? signInName,
    email: email ?? '',
    emailVerified,
    passwordHash,
    isDemoUser: false,
  })
  const identity = { providerId: 'local', issuer: directory.identityIssuer, subject }
  await linkLogin(sql, userId, { ...identity, label: email ?? signInName })
  // Cached representations of the account have no login.
  await users.touch(sql, [userId])
  const actor = { actorId: userId, visit }
  await audit.recordAll(sql, [
    {
      ...actor,
      action: 'directory.signed-up',
      target: { kind: 'directory-person', id: subject },
      after: { email, displayName },
    },
    {
      ...actor,
      action: 'login.linked',
      target: { kind: 'user', id: userId },
      after: { idp: identity.providerId, issuer: identity.issuer, subject },
    },
  ])
  return subject
}

/** Accepts an invitation with the current rights of its inviter. The invitation and the user must be locked. */
export async function acceptInvitation(
  sql: Sql,
  invitation: LockedInvitation,
  userId: string,
  visit: Visit,
): Promise<void> {
  const granter = await loadInviter(sql, invitation.invitedBy)
  await grantInvitation(sql, invitation, { userId, granter, actorId: userId, action: 'invitation.accepted', visit })
}
