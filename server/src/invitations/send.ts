import { invitationDays } from '@passport/contract/invitation-days'
import type { OrgRole } from '@passport/contract/orgs'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { tooManyRequests, unknownOrg } from '../http/problems.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
import { countRecent, withdraw } from '../mail/store.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles, requireCanGrant, requireMayHandOver } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { rejectUnknownRoles } from '../roles/unknown-roles.ts'
import { addUsers, toProblem } from '../users/create.ts'
import { remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import { generateToken } from '../vault.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface ChangeContext {
  caller: Caller
  visit: Visit
}

interface InvitationInput {
  email: string
  displayname?: string | null | undefined
  roles: string[]
  orgId?: string | null | undefined
  orgRole: OrgRole
}

/** A sent invitation; `link` is the one in its email. */
interface SentInvitation {
  id: string
  link: string
}

/**
 * Creates an invitation and emails its link; prepares an account, unless a user has that address, verified. The grants follow on
 * acceptance. Throws 400, 403, and 409 `invitation-waiting` if an invitation to that address is neither accepted nor
 * revoked.
 */
export function invite(
  sql: Sql,
  mailContext: MailContext,
  input: InvitationInput,
  { caller, visit }: ChangeContext,
): Promise<SentInvitation> {
  return transaction(sql, async (sql) => {
    const { email, displayname: displayName = null, orgId = null, orgRole } = input
    const names = [...new Set(input.roles)]
    await rejectUnknownRoles(sql, names)
    requireCanGrant(
      caller,
      names.map((role) => ({ role })),
    )
    const org = orgId === null ? null : await findOrg(sql, orgId)
    const account = await findOrAddAccount(sql, { email, displayName }, { actorId: caller.id, visit })
    if (account.userId !== null) await requireMayHandOver(sql, caller, account.userId)
    const invitation = { email, displayName, ...account, roles: names, orgId, orgRole, invitedBy: caller.id }
    const { link, ...sending } = await mailLink(sql, mailContext, { ...invitation, orgName: org?.name ?? null }, caller)
    const id = await store.add(sql, invitation, { ...sending, days: invitationDays })
    if (!id) throw problems.waiting()
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

/** Finds or adds the prepared account; `userId` is null if a user who has signed in before has that email, verified. */
async function findOrAddAccount(
  sql: Sql,
  invited: { email: string; displayName: string | null },
  actor: audit.ActorFields,
) {
  await users.lockEmails(sql)
  const user = await users.findInvited(sql, invited.email)
  if (user) return { userId: user.isPrepared ? user.id : null, isOwnAccount: false }
  // Accounts that only say that they have the address do not keep the user out.
  const emptyUser = { username: null, emailVerified: false, isEmailShared: true, isDisabled: false, roles: [] }
  const [added] = await addUsers(sql, [{ ...emptyUser, ...invited }], actor)
  if (!added?.id) throw toProblem(added?.errors?.[0] ?? { column: 'email', code: 'email-taken' })
  return { userId: added.id, isOwnAccount: true }
}

/**
 * Resends an open invitation in the caller's name, with a new link; the old link becomes invalid. Throws 404 and 409, and 401
 * for one with roles unless the caller authenticated recently.
 */
export function resend(
  sql: Sql,
  mailContext: MailContext,
  id: string,
  { caller, visit, preconditions }: ChangeContext & { preconditions: Preconditions },
): Promise<SentInvitation> {
  return transaction(sql, async (sql) => {
    const invitation = await lockOpen(sql, id, preconditions)
    requireCanGrant(
      caller,
      invitation.roles.map((role) => ({ role })),
    )
    if (invitation.roles.length > 0) requireRecentAuthentication(caller)
    if (invitation.userId !== null) await requireMayHandOver(sql, caller, invitation.userId)
    await withdraw(sql, invitation.mailId)
    const org = invitation.orgId === null ? null : await orgs.findName(sql, invitation.orgId)
    const { link, ...sending } = await mailLink(sql, mailContext, { ...invitation, orgName: org?.name ?? null }, caller)
    await store.renewLink(sql, id, caller.id, { ...sending, days: invitationDays })
    const target = { kind: 'invitation', id } as const
    const after = { email: invitation.email, inviter: caller.id }
    const before = { email: invitation.email, inviter: invitation.invitedBy }
    await audit.record(sql, { action: 'invitation.resent', actorId: caller.id, target, before, after, visit })
    return { id, link }
  })
}

/** Revokes an open invitation: invalidates its link, and deletes its prepared account unless that has been used. */
export function revoke(
  sql: Sql,
  id: string,
  { caller, visit, preconditions }: ChangeContext & { preconditions: Preconditions },
): Promise<void> {
  return transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    const { email, mailId, userId, isOwnAccount } = await lockOpen(sql, id, preconditions)
    await withdraw(sql, mailId)
    await store.markRevoked(sql, id)
    if (userId && isOwnAccount) await removePrepared(sql, userId, { caller, visit })
    const target = { kind: 'invitation', id } as const
    await audit.record(sql, { action: 'invitation.revoked', actorId: caller.id, target, before: { email }, visit })
  })
}

/** Soft-deletes a prepared account unless it has been used. It can be restored with roles that it got since. */
function removePrepared(sql: Sql, id: string, { caller, visit }: ChangeContext): Promise<void> {
  return changeRoles(sql, { caller }, [id], async (sql) => {
    if (!(await users.lockPrepared(sql, id))) return
    await remove(sql, await users.lockRows(sql, [id]), { actorId: caller.id, visit, reason: 'invitation-revoked' })
  })
}

/** Locks an invitation. Throws 404, 412, and 409 if it is accepted or revoked. */
export async function lockOpen(sql: Sql, id: string, preconditions?: Preconditions): Promise<store.LockedInvitation> {
  const invitation = await store.lock(sql, id)
  if (!invitation) throw problems.invitationNotFound()
  preconditions?.check({ etag: String(invitation.version) })
  if (invitation.isAccepted) throw problems.accepted()
  if (invitation.isRevoked) throw problems.revoked()
  return invitation
}

interface Recipient {
  email: string
  displayName: string | null
  orgName: string | null
}

/** The invitations that one address gets within a day, from all inviters. */
const maxPerDay = 10

/**
 * Emails a new link. Its token is stored only in the email, and as a hash with the invitation. Throws 429 for an address that
 * got many today.
 */
async function mailLink(
  sql: Sql,
  mailContext: MailContext,
  { email, displayName, orgName }: Recipient,
  caller: Caller,
) {
  if ((await countRecent(sql, 'invitation', email)) >= maxPerDay)
    throw tooManyRequests(60 * 60, { detail: `${email} got ${maxPerDay} invitations in the last 24 hours.` })
  const token = generateToken()
  const path = `/app/join/${token}`
  const inviter = caller.name ?? caller.username ?? caller.email ?? 'An administrator'
  const mailId = await sendMail(sql, mailContext, { name: displayName, address: email }, 'invitation', {
    inviter,
    orgName,
    email,
    path,
    days: invitationDays,
  })
  return { token, mailId, link: `${mailContext.config.publicUrl}${path}` }
}

async function findOrg(sql: Sql, orgId: string) {
  const org = await orgs.findName(sql, orgId)
  if (org) return org
  throw unknownOrg()
}
