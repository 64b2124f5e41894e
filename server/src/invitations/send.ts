import { invitationDays } from '@passport/contract/invitation-days'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { type Post, sendMail } from '../mail/send.ts'
import { withdraw } from '../mail/store.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles, refuseToGive } from '../roles/change.ts'
import { refuseUnknownRoles } from '../roles/known.ts'
import { addUsers, problemOf } from '../users/create.ts'
import { remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import { randomToken } from '../vault.ts'
import * as store from './store.ts'

interface By {
  caller: Caller
  visit: Visit
}

interface Asked {
  email: string
  displayname?: string | null | undefined
  roles: string[]
  orgId?: string | null | undefined
  orgRole: store.OrgRole
}

/** An invitation that went out; `link` is what its mail says. */
interface Sent {
  id: string
  link: string
}

/**
 * Invites someone: makes an account for them, unless there is one with that e-mail, and mails them the link. What
 * it promises is given when they accept. Throws 409 `invitation-waiting` where one to that address is neither
 * accepted nor revoked.
 */
export function invite(sql: Sql, post: Post, asked: Asked, { caller, visit }: By): Promise<Sent> {
  return transaction(sql, async (sql) => {
    const { email, displayname: displayName = null, orgId = null, orgRole } = asked
    const names = [...new Set(asked.roles)]
    await refuseUnknownRoles(sql, names)
    refuseToGive(
      caller,
      names.map((role) => ({ role })),
    )
    const org = orgId === null ? null : await findOrg(sql, orgId)
    const account = await accountFor(sql, { email, displayName }, { actorId: caller.id, visit })
    const promise = { email, displayName, ...account, roles: names, orgId, orgRole, invitedBy: caller.id }
    const { link, ...sending } = await mailLink(sql, post, { ...promise, orgName: org?.name ?? null }, caller)
    const id = await store.add(sql, promise, { ...sending, days: invitationDays })
    if (!id) throw alreadyWaiting()
    await audit.record(sql, {
      action: 'invitation.sent',
      actorId: caller.id,
      target: { kind: 'invitation', id },
      after: { email, displayName, roles: names, org: orgId, orgRole: orgId && orgRole, user: account.userId },
      visit,
    })
    return { id, link }
  })
}

/** The account that waits for someone: one that was made before, or a new one; none where they have one of their own. */
async function accountFor(sql: Sql, invited: { email: string; displayName: string | null }, by: audit.Actor) {
  await users.lockEmails(sql)
  const found = await users.findByEmail(sql, invited.email)
  if (found) return { userId: found.isPrepared ? found.id : null, isOwnAccount: false }
  const nobodyYet = { username: null, emailVerified: false, isDisabled: false, roles: [] }
  const [added] = await addUsers(sql, [{ ...nobodyYet, ...invited }], by)
  if (!added?.id) throw problemOf(added?.fault ?? { column: 'email', code: 'email-taken' })
  return { userId: added.id, isOwnAccount: true }
}

/** Sends it again in the caller's name, with a new link; the old one is good for nothing any more. */
export function resend(
  sql: Sql,
  post: Post,
  id: string,
  { caller, visit, preconditions }: By & { preconditions: Preconditions },
): Promise<Sent> {
  return transaction(sql, async (sql) => {
    const invitation = await lockOpen(sql, id, preconditions)
    refuseToGive(
      caller,
      invitation.roles.map((role) => ({ role })),
    )
    await withdraw(sql, invitation.mailId)
    const org = invitation.orgId === null ? null : await orgs.nameOf(sql, invitation.orgId)
    const { link, ...sending } = await mailLink(sql, post, { ...invitation, orgName: org?.name ?? null }, caller)
    await store.sendAgain(sql, id, caller.id, { ...sending, days: invitationDays })
    const target = { kind: 'invitation', id } as const
    const after = { email: invitation.email, inviter: caller.id }
    const before = { email: invitation.email, inviter: invitation.invitedBy }
    await audit.record(sql, { action: 'invitation.resent', actorId: caller.id, target, before, after, visit })
    return { id, link }
  })
}

/** Takes it back: the link is good for nothing, and the account that was made for it goes, unless someone came in by it. */
export function revoke(
  sql: Sql,
  id: string,
  { caller, visit, preconditions }: By & { preconditions: Preconditions },
): Promise<void> {
  return transaction(sql, async (sql) => {
    const { email, mailId, userId, isOwnAccount } = await lockOpen(sql, id, preconditions)
    await withdraw(sql, mailId)
    await store.noteRevoked(sql, id)
    if (userId && isOwnAccount) await removePrepared(sql, userId, { caller, visit })
    const target = { kind: 'invitation', id } as const
    await audit.record(sql, { action: 'invitation.revoked', actorId: caller.id, target, before: { email }, visit })
  })
}

/** Deletes an account that nobody has come in by, as any person is deleted: others may have made it part of something. */
function removePrepared(sql: Sql, id: string, { caller, visit }: By): Promise<void> {
  return changeRoles(sql, { caller }, [id], async (sql) => {
    if (!(await users.lockPrepared(sql, id))) return
    await remove(sql, await users.lockRows(sql, [id]), { actorId: caller.id, visit, reason: 'invitation-revoked' })
  })
}

/** Throws 404, 412, or 409 where the invitation is over. */
export async function lockOpen(sql: Sql, id: string, preconditions?: Preconditions): Promise<store.Locked> {
  const invitation = await store.lock(sql, id)
  if (!invitation) throw new Problem(404, 'invitation-not-found', 'There is no such invitation.')
  preconditions?.check({ etag: String(invitation.version) })
  if (invitation.isAccepted) throw new Problem(409, 'invitation-accepted', 'It has been accepted.')
  if (invitation.isRevoked) throw new Problem(409, 'invitation-revoked', 'It has been revoked. Invite them anew.')
  return invitation
}

interface Addressed {
  email: string
  displayName: string | null
  orgName: string | null
}

/** Mails a new link; only the mail, and a hash in the database, know its token. */
async function mailLink(sql: Sql, post: Post, { email, displayName, orgName }: Addressed, caller: Caller) {
  const token = randomToken()
  const link = `${post.config.publicUrl}/app/join/${token}`
  const inviter = caller.name ?? caller.username ?? caller.email ?? 'An administrator'
  const place = orgName ?? post.config.brandName
  const mailId = await sendMail(sql, post, {
    to: { name: displayName, address: email },
    subject: `${inviter} invites you to ${place}`,
    paragraphs: [
      displayName ? `Hello ${displayName},` : 'Hello,',
      orgName
        ? `${inviter} invites you to ${orgName} at ${post.config.brandName}.`
        : `${inviter} invites you to ${post.config.brandName}.`,
    ],
    action: { label: 'Accept the invitation', url: link },
    smallPrint: `The invitation is for ${email}, for one person, and good for ${invitationDays} days. If you did not expect it, you need not do anything.`,
  })
  return { token, mailId, link }
}

function alreadyWaiting() {
  const message = 'There is an invitation to that address already. Send it again, or revoke it.'
  return new Problem(409, 'invitation-waiting', message, {
    errors: [{ field: 'email', code: 'invitation-waiting', message }],
  })
}

async function findOrg(sql: Sql, orgId: string) {
  const org = await orgs.nameOf(sql, orgId)
  if (org) return org
  const errors = [{ field: 'orgId', code: 'not-found', message: 'There is no such organisation.' }]
  throw new Problem(400, 'unknown-org', 'There is no such organisation.', { errors })
}
