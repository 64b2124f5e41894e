import { domainOfEmail } from '@passport/contract/domain-name'
import { isSameEmail } from '@passport/contract/email'
import type { LinkKind } from '@passport/contract/join'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { notSignedIn } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import * as invitations from '../invitations/join.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import { requireOpen, requireUnused } from './open.ts'
import { type Inviter, requireInviter } from './policy.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface JoinContext {
  caller: Caller
  visit: Visit
}

interface AcceptResult {
  target: { kind: LinkKind | 'invitation'; id: string; name: string }
  role: string
  joined: boolean
  awaitsConfirmation?: true
}

/** Accepts the join link or the email invitation of a token. */
export async function accept(sql: Sql, token: string, context: JoinContext, brandName: string): Promise<AcceptResult> {
  const link = await store.findByToken(sql, hashToken(token))
  const invitation = link ? undefined : await invitations.findInvitation(sql, token)
  if (invitation) return acceptInvitation(sql, token, invitation, context, brandName)
  requireOpen(link)
  return acceptLink(sql, link.id, context)
}

/** Accepts an email invitation; a caller with another email waits for the confirmation of an administrator. */
async function acceptInvitation(
  sql: Sql,
  token: string,
  { id, title }: invitations.JoinableInvitation,
  { caller, visit }: JoinContext,
  brandName: string,
): Promise<AcceptResult> {
  const { status, org } = await invitations.accept(sql, token, caller, visit)
  if (org) return { target: { kind: 'org', id: org.id, name: org.name }, role: org.role, joined: true }
  const target = { kind: 'invitation', id, name: title ?? brandName } as const
  if (status === 'accepted') return { target, role: 'member', joined: true }
  return { target, role: 'member', joined: false, awaitsConfirmation: true }
}

/**
 * Accepts a join link; changes nothing for an existing member. Throws 404, 409 `join-used`, 410 if the link is expired or
 * revoked, and 403 if it is for another email or domain, or its creator may no longer add members.
 */
function acceptLink(sql: Sql, id: string, { caller, visit }: JoinContext): Promise<AcceptResult> {
  return transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    const { mayGiveRoles } = await store.lock(sql, id)
    const link = await store.find(sql, id)
    requireOpen(link)
    const { kind, targetId } = link
    const target = { kind, id: targetId, name: link.targetName }
    const user = await users.lock(sql, caller.id)
    if (!user) throw notSignedIn()
    const currentRole = await findRole(sql, link, caller.id)
    if (currentRole) {
      if (kind === 'org') await acceptMembership(sql, link, { caller, visit })
      return { target, role: currentRole, joined: false }
    }
    requireUnused(link)
    requireAllowedEmail(link, user)
    if (!(await joinTarget(sql, { ...link, mayGiveRoles }, caller.id)))
      return { target, role: (await findRole(sql, link, caller.id)) ?? link.role, joined: false }
    await store.recordUse(sql, id)
    await audit.record(sql, {
      action: 'join-link.accepted',
      actorId: caller.id,
      target: { kind, id: targetId },
      after: { joinLink: id, member: caller.id, role: link.role },
      visit,
    })
    return { target, role: link.role, joined: true }
  })
}

/** Records that a member agrees to the membership, if an owner added them without asking. */
async function acceptMembership(sql: Sql, { id, targetId }: store.LinkRow, { caller, visit }: JoinContext) {
  const accepted = await orgs.acceptMemberships(sql, targetId, [caller.id])
  if (accepted.length === 0) return
  await audit.record(sql, {
    action: 'join-link.accepted',
    actorId: caller.id,
    target: { kind: 'org', id: targetId },
    after: { joinLink: id, member: caller.id, accepted: true },
    visit,
  })
}

async function findRole(sql: Sql, { kind, targetId }: store.LinkRow, userId: string): Promise<string | undefined> {
  if (kind === 'org') return (await orgs.listMemberRoles(sql, targetId, [userId]))[0]?.role
  return (await groups.findLinkedGroup(sql, targetId, userId))?.isMember ? 'member' : undefined
}

/** Throws 403 if the link is for another email or domain; an unverified email does not count. */
function requireAllowedEmail({ email, domains }: store.LinkRow, user: users.User) {
  const verified = (user.emailVerified && user.email) || ''
  if (email !== null && !isSameEmail(verified, email)) throw problems.wrongEmail()
  if (domains.length > 0 && !domains.includes(domainOfEmail(verified) ?? '')) throw problems.wrongDomain(domains)
}

type UsableLink = store.LinkRow & { mayGiveRoles: boolean }

/** Adds the user with the current rights of the link's creator; returns false if they were added concurrently. */
async function joinTarget(sql: Sql, link: UsableLink, userId: string): Promise<boolean> {
  const { kind, targetId, role, createdBy } = link
  try {
    const creator = await findCreator(sql, link)
    if (kind === 'org') await orgs.lock(sql, targetId)
    await requireInviter(sql, creator, link)
    if (kind === 'org') return (await orgs.addMembers(sql, targetId, [userId], { role, addedBy: createdBy })).length > 0
    const join = (sql: Sql) => groups.addJoiningMember(sql, targetId, userId, createdBy)
    return await changeRoles(sql, { caller: creator }, [userId], join)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw problems.inviterUnauthorized()
  }
}

/** Returns the creator with their current rights, but without the right to give roles if the link may not give any. */
async function findCreator(sql: Sql, { createdBy, mayGiveRoles }: UsableLink): Promise<Inviter> {
  const creator = await users.find(sql, createdBy)
  if (!creator || creator.disabledAt) throw problems.inviterUnauthorized()
  const { id, username, displayName, email } = creator
  const names = await roles.listNames(sql, id)
  return {
    id,
    username,
    name: displayName,
    email,
    roles: new Set(names),
    orgs: [],
    idp: '',
    authTime: '',
    pictureHash: null,
    isAbsent: true,
    ...(!mayGiveRoles && { mayGive: () => false }),
  }
}
