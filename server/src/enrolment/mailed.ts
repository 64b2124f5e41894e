import { foldEmail, isSameEmail } from '@passport/contract/email'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Visit } from '../http/visit.ts'
import { extractToken } from '../invitations/claim-prepared-account.ts'
import { requireOpen } from '../invitations/join.ts'
import * as invitations from '../invitations/store.ts'
import { hashPassword } from '../local-directory/password.ts'
import { hasAccount } from '../local-directory/sign-up.ts'
import { startSignIn } from '../local-directory/start-sign-in.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { acceptInvitation, addPassword } from './complete.ts'
import { isDirectoryOn } from './create.ts'
import { formatInvitedUrl } from './pages.ts'

type Context = Pick<Services, 'sql' | 'config' | 'upstreams'>

/** An open invitation by email to a user without an account. */
interface MailedInvitation {
  invitation: { id: string; email: string }
  /** The prepared account. */
  user: users.User
}

/**
 * Finds the open invitation of a token that only an email had, if its user has no account to sign in to and can set a password
 * here: the link proves the address. Undefined otherwise.
 */
export async function findMailedInvitation(
  { sql, upstreams }: Pick<Context, 'sql' | 'upstreams'>,
  token: string,
): Promise<MailedInvitation | undefined> {
  const invitation = isDirectoryOn({ upstreams }) ? await invitations.findMailed(sql, token) : undefined
  const user = invitation && (await users.findPrepared(sql, invitation.userId))
  return user && (await canSetPassword(sql, invitation, user)) ? { invitation, user } : undefined
}

/** Returns the URL of the form of the invitation by email that a return URL leads to; undefined without one. */
export async function findInvitedUrl(
  context: Pick<Context, 'sql' | 'upstreams'>,
  returnTo: string,
): Promise<string | undefined> {
  const token = extractToken(returnTo)
  return token !== undefined && (await findMailedInvitation(context, token)) ? formatInvitedUrl(token) : undefined
}

async function canSetPassword(sql: Sql, { email }: { email: string }, user: users.User): Promise<boolean> {
  // Another address since: the account, with its roles, is that of its owner.
  if (user.disabledAt !== null || user.email === null || !isSameEmail(user.email, email)) return false
  return !(await hasAccount(sql, foldEmail(email)))
}

/**
 * Sets the password of an invited user, whose address the link proves, and accepts the invitation. Returns the URL that signs
 * the browser in; undefined for a user who has to sign in instead. Throws 404, 409 and 410 like the acceptance, and 503
 * `too-busy`.
 */
export async function enrolInvited(
  { sql, config }: Context,
  { token, password }: { token: string; password: string },
  { cookies, visit }: { cookies: Cookies; visit: Visit },
): Promise<string | undefined> {
  const passwordHash = await hashPassword(password, config.passwordCost)
  return transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    const invitation = await invitations.lockByToken(sql, token)
    requireOpen(invitation)
    await users.lockEmails(sql)
    const prepared = invitation.userId === null ? undefined : await users.lockPrepared(sql, invitation.userId)
    if (!invitation.isMailed || !prepared || !(await canSetPassword(sql, invitation, prepared))) return undefined
    const names = { username: null, displayName: invitation.displayName, emailVerifiedBy: null }
    await users.completePrepared(sql, prepared.id, names)
    const user = { ...prepared, displayName: prepared.displayName ?? invitation.displayName }
    const signInName = foldEmail(invitation.email)
    const personId = await addPassword(sql, user, { signInName, emailVerified: true, passwordHash, visit })
    await acceptInvitation(sql, invitation, user.id, visit)
    return startSignIn(sql, cookies, { signInName, displayName: user.displayName, passwordHash, personId })
  })
}
