import { enrolmentHours } from '@passport/contract/enrolment-hours'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { isAdministrator } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Visit } from '../http/visit.ts'
import { loadInviter } from '../invitations/inviter.ts'
import * as invitations from '../invitations/store.ts'
import { canGrant } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import * as problems from './problems.ts'
import { findSignInName } from './sign-in-name.ts'
import * as store from './store.ts'

/** The path of the pages, and that of the cookie of the browser that opened a link. */
export const enrolPath = '/idp/enrol'
const cookie = { name: 'passport-enrolment', path: enrolPath }

/** A link that this browser may use, with its account. */
export interface OpenEnrolment {
  link: store.LinkRow
  user: users.User
  /** What the user enters to sign in. */
  signInName: string
  invitation: invitations.LockedInvitation | undefined
}

/**
 * Gives a link to the first browser that opens it, as a cookie; that browser may open it again. Throws 404
 * `enrolment-link-unknown`, and 410 for a link that another browser has, or that no longer works.
 */
export async function openLink(
  sql: Sql,
  token: string,
  { cookies, visit }: { cookies: Cookies; visit: Visit },
): Promise<void> {
  const secret = generateToken()
  const isFirst = await transaction(sql, async (sql) => {
    const found = await store.findByToken(sql, hashToken(token))
    if (!found) throw problems.linkUnknown()
    const { link } = await lockUsable(sql, found)
    if (link.status === 'opened') {
      if (findBrowserHash(cookies) !== link.browserHash) throw problems.openedElsewhere()
      return false
    }
    await store.open(sql, link.id, hashToken(secret))
    await audit.record(sql, {
      action: 'user.enrolment-link-opened',
      actorId: null,
      target: { kind: 'user', id: link.userId },
      after: { enrolmentLink: link.id },
      visit,
    })
    return true
  })
  // The token leads to the invitation for those who sign in instead.
  if (isFirst)
    cookies.set(cookie.name, `${secret}.${token}`, { path: cookie.path, maxAgeSeconds: enrolmentHours * 60 * 60 })
}

/** Locks the link of this browser with its account. Call it in a transaction. Throws 401 without a link, and 410. */
export async function lockOpened(sql: Sql, cookies: Cookies): Promise<OpenEnrolment> {
  const hash = findBrowserHash(cookies)
  const found = hash === undefined ? undefined : await store.findByBrowser(sql, hash)
  if (!found) throw problems.linkRequired()
  return lockUsable(sql, found)
}

/** Returns the token of the link that this browser has opened. */
export const findToken = (cookies: Cookies): string | undefined => cookies.get(cookie.name)?.split('.')[1]

export const forgetLink = (cookies: Cookies): void => cookies.clear(cookie.name, { path: cookie.path })

function findBrowserHash(cookies: Cookies): string | undefined {
  const secret = cookies.get(cookie.name)?.split('.')[0]
  return secret === undefined ? undefined : hashToken(secret)
}

/**
 * Locks a link and its account. Throws 410 with the reason why it can no longer be used. Like a join link, it works by the
 * rights that its creator has now: while they may not give what the account has, it opens nothing.
 */
async function lockUsable(sql: Sql, { id, userId, invitationId, createdBy }: store.LinkRow): Promise<OpenEnrolment> {
  await roles.lockChanges(sql)
  const invitation = invitationId === null ? undefined : await invitations.lock(sql, invitationId)
  const user = await users.lockPrepared(sql, userId)
  const link = await store.lock(sql, id)
  if (!link) throw problems.linkUnknown()
  if (link.status === 'used') throw problems.used()
  if (link.status === 'expired') throw problems.expired()
  if (link.status === 'revoked' || !user || user.disabledAt !== null) throw problems.revoked()
  if (invitation && (invitation.isAccepted || invitation.isRevoked)) throw problems.revoked()
  const creator = await loadInviter(sql, createdBy)
  const powers = await roles.listPowers(sql, [userId])
  if (!isAdministrator(creator) || powers.some(({ role }) => !canGrant(creator, role))) throw problems.revoked()
  const signInName = await findSignInName(sql, user)
  if (signInName === undefined) throw problems.nameRequired()
  return { link, user, signInName, invitation }
}
