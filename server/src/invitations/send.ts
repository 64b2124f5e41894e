import { enrolmentHours } from '@passport/contract/enrolment-hours'
import { invitationDays } from '@passport/contract/invitation-days'
import type { OrgRole } from '@passport/contract/orgs'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as enrolment from '../enrolment/store.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { tooManyRequests, unknownOrg } from '../http/problems.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import { mailNotConfigured } from '../mail/problems.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
import { countRecent, withdraw } from '../mail/store.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles, requireCanGrant, requireMayHandOver } from '../roles/change.ts'
import { recheckCreator } from '../roles/recheck-caller.ts'
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

interface InvitationInput extends DeliveryInput {
  email: string
  displayname?: string | null | undefined
  roles: string[]
  orgId?: string | null | undefined
  orgRole: OrgRole
}

/** How the link reaches its recipient: by email if there is a mail server, by default. */
interface DeliveryInput {
  delivery?: 'email' | 'link' | undefined
}

/** A sent invitation; `link` is there for the inviter to hand over, unless it was emailed. */
interface SentInvitation {
  id: string
  link?: string
}

/** A prepared account to which a link is handed over, and the invitation that its use accepts. */
interface EnrolmentInput {
  userId: string
  invitationId: string
  token: string
}

/** The enrolment links of prepared accounts, which the caller provides: their use depends on invitations. */
export interface EnrolmentLinks {
  canEnrol: (sql: Sql, userId: string) => Promise<boolean>
  /** Adds the link of an account in a transaction that has locked changes of roles; returns its URL. */
  add: (sql: Sql, input: EnrolmentInput, context: ChangeContext) => Promise<string>
}

type SendContext = MailContext & { links: EnrolmentLinks }

/**
 * Creates an invitation and emails its link, or returns it; prepares an account, unless a user has that address, verified. The
 * grants follow on acceptance. Throws 400, 401 for one that gives a role or an ownership, and for a link that is handed over,
 * unless the caller authenticated recently, 403, and 409 `invitation-waiting` if an invitation to that address is neither
 * accepted nor revoked.
 */
export function invite(
  sql: Sql,
  services: SendContext,
  input: InvitationInput,
  { caller, visit }: ChangeContext,
): Promise<SentInvitation> {
  return transaction(sql, async (sql) => {
    const { email, displayname: displayName = null, orgId = null, orgRole, delivery } = input
    if (!isMailed(services, delivery)) await roles.lockChanges(sql)
    await recheckCreator(sql, caller)
    const names = [...new Set(input.roles)]
    await rejectUnknownRoles(sql, names)
    requireCanGrant(
      caller,
      names.map((role) => ({ role })),
    )
    const org = orgId === null ? null : await findOrg(sql, orgId)
    const account = await findOrAddAccount(sql, { email, displayName }, { actorId: caller.id, visit })
    if (givesPower({ roles: names, orgId, orgRole })) requireRecentAuthentication(caller)
    if (account.userId !== null) await requireMayHandOver(sql, caller, account.userId)
    const invitation = { email, displayName, ...account, roles: names, orgId, orgRole, invitedBy: caller.id }
    const recipient = { ...invitation, orgName: org?.name ?? null }
    const sending = await prepareLink(sql, services, recipient, { caller, delivery })
    const id = await store.add(sql, invitation, sending)
    if (!id) throw problems.waiting()
    const link = await handOver(sql, services, { ...sending, userId: account.userId, id }, { caller, visit })
    await audit.record(sql, {
      action: 'invitation.sent',
      actorId: caller.id,
      target: { kind: 'invitation', id },
      after: { email, displayName, roles: names, org: orgId, orgRole: orgId && orgRole, user: account.userId },
      ...(!sending.isMailed && { reason: 'handed-over' }),
      visit,
    })
    return { id, ...link }
  })
}

/** Reports whether an invitation gives a role, or the ownership of an organisation. */
const givesPower = ({ roles, orgId, orgRole }: Pick<store.LockedInvitation, 'roles' | 'orgId' | 'orgRole'>): boolean =>
  roles.length > 0 || (orgId !== null && orgRole === 'owner')

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
 * for one that gives a role or an ownership unless the caller authenticated recently.
 */
export function resend(
  sql: Sql,
  services: SendContext,
  { id, delivery }: { id: string } & DeliveryInput,
  { caller, visit, preconditions }: ChangeContext & { preconditions: Preconditions },
): Promise<SentInvitation> {
  return transaction(sql, async (sql) => {
    if (!isMailed(services, delivery)) await roles.lockChanges(sql)
    const invitation = await lockOpen(sql, id, preconditions)
    await recheckCreator(sql, caller)
    requireCanGrant(
      caller,
      invitation.roles.map((role) => ({ role })),
    )
    if (givesPower(invitation)) requireRecentAuthentication(caller)
    if (invitation.userId !== null) await requireMayHandOver(sql, caller, invitation.userId)
    await withdraw(sql, invitation.mailId)
    const org = invitation.orgId === null ? null : await orgs.findName(sql, invitation.orgId)
    const recipient = { ...invitation, orgName: org?.name ?? null }
    const sending = await prepareLink(sql, services, recipient, { caller, delivery })
    await store.renewLink(sql, id, caller.id, sending)
    await enrolment.revokeOfInvitation(sql, id)
    const link = await handOver(sql, services, { ...sending, userId: invitation.userId, id }, { caller, visit })
    const target = { kind: 'invitation', id } as const
    const after = { email: invitation.email, inviter: caller.id }
    const before = { email: invitation.email, inviter: invitation.invitedBy }
    await audit.record(sql, { action: 'invitation.resent', actorId: caller.id, target, before, after, visit })
    return { id, ...link }
  })
}

/** Revokes an open invitation: invalidates its links, and deletes its prepared account unless that has been used. */
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
    await enrolment.revokeOfInvitation(sql, id)
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
  userId: string | null
  email: string
  displayName: string | null
  orgName: string | null
}

/** The invitations that one address gets within a day, from all inviters. */
const maxPerDay = 10

type NewLink = store.Sending & { isEnrolment: boolean }

/** Reports whether a link is emailed. Throws 409 `mail-not-configured` for an email without a mail server. */
function isMailed({ config }: SendContext, delivery: DeliveryInput['delivery']): boolean {
  if (delivery === 'email' && !config.mail) throw mailNotConfigured()
  return config.mail !== undefined && delivery !== 'link'
}

/**
 * Generates a link and emails it, or leaves it to `handOver`. Its token is stored only in the email, and as hashes. Throws 429
 * for an address that got many emails today.
 */
async function prepareLink(
  sql: Sql,
  services: SendContext,
  { userId, email, displayName, orgName }: Recipient,
  { caller, delivery }: { caller: Caller } & DeliveryInput,
): Promise<NewLink> {
  const token = generateToken()
  if (!isMailed(services, delivery)) {
    // An application has no sign-in that could be recent.
    const isEnrolment = userId !== null && !caller.client && (await services.links.canEnrol(sql, userId))
    return { token, mailId: '', isMailed: false, hours: isEnrolment ? enrolmentHours : invitationHours, isEnrolment }
  }
  if ((await countRecent(sql, 'invitation', email)) >= maxPerDay)
    throw tooManyRequests(60 * 60, { detail: `${email} got ${maxPerDay} invitations in the last 24 hours.` })
  const inviter = caller.name ?? caller.username ?? caller.email ?? 'An administrator'
  const data = { inviter, orgName, email, path: toJoinPath(token), days: invitationDays }
  const mailId = await sendMail(sql, services, { name: displayName, address: email }, 'invitation', data)
  return { token, mailId, isMailed: true, hours: invitationHours, isEnrolment: false }
}

const invitationHours = invitationDays * 24

const toJoinPath = (token: string) => `/app/join/${token}`

/**
 * Returns the link that the inviter hands over: an enrolment link of the prepared account, or else one by which a user
 * signs in to accept. Nothing for one that was emailed. Throws like `EnrolmentLinks.add`.
 */
async function handOver(
  sql: Sql,
  services: SendContext,
  { id, userId, token, isMailed, isEnrolment }: NewLink & { id: string; userId: string | null },
  context: ChangeContext,
): Promise<{ link?: string }> {
  if (isMailed) return {}
  if (!isEnrolment || userId === null) return { link: `${services.config.publicUrl}${toJoinPath(token)}` }
  return { link: await services.links.add(sql, { userId, invitationId: id, token }, context) }
}

async function findOrg(sql: Sql, orgId: string) {
  const org = await orgs.findName(sql, orgId)
  if (org) return org
  throw unknownOrg()
}
