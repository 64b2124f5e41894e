import { domainOfEmail } from '@passport/contract/domain-name'
import type { LinkKind } from '@passport/contract/join'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as invitations from '../invitations/join.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import { refuseEnded, refuseUsed } from './open.ts'
import { refuseToInvite } from './right.ts'
import * as store from './store.ts'

interface By {
  caller: Caller
  visit: Visit
}

interface Accepted {
  target: { kind: LinkKind | 'invitation'; id: string; name: string }
  role: string
  joined: boolean
  awaitsConfirmation?: true
}

/** Lets someone in by whatever the token is of. */
export async function accept(sql: Sql, token: string, by: By, brandName: string): Promise<Accepted> {
  const link = await store.findByToken(sql, hashToken(token))
  const invitation = link ? undefined : await invitations.findInvitation(sql, token)
  if (invitation) return acceptInvitation(sql, token, invitation, by, brandName)
  refuseEnded(link)
  return acceptLink(sql, link.id, by)
}

/** Takes an invitation that came by e-mail: whoever has another address waits for an administrator. */
async function acceptInvitation(
  sql: Sql,
  token: string,
  { id, title }: invitations.JoinableInvitation,
  { caller, visit }: By,
  brandName: string,
): Promise<Accepted> {
  const { status, org } = await invitations.accept(sql, token, caller, visit)
  if (org) return { target: { kind: 'org', id: org.id, name: org.name }, role: org.role, joined: true }
  const target = { kind: 'invitation', id, name: title ?? brandName } as const
  if (status === 'accepted') return { target, role: 'member', joined: true }
  return { target, role: 'member', joined: false, awaitsConfirmation: true }
}

/**
 * Lets someone in by a link, once. Throws 409 `join-used`, 410 where it ended, 403 where it is for another address or
 * domain, and where its maker may not let anyone in any more. Who is in already uses nothing up.
 */
function acceptLink(sql: Sql, id: string, { caller, visit }: By): Promise<Accepted> {
  return transaction(sql, async (sql) => {
    await store.lock(sql, id)
    const link = await store.find(sql, id)
    refuseEnded(link)
    const { kind, targetId } = link
    const target = { kind, id: targetId, name: link.targetName }
    const person = await users.lock(sql, caller.id)
    if (!person) throw new Problem(401, 'not-signed-in', 'Sign in first.')
    const standing = await roleIn(sql, link, caller.id)
    if (standing) return { target, role: standing, joined: false }
    refuseUsed(link)
    refuseOthers(link, person)
    if (!(await letIn(sql, link, caller.id)))
      return { target, role: (await roleIn(sql, link, caller.id)) ?? link.role, joined: false }
    await store.use(sql, id)
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

async function roleIn(sql: Sql, { kind, targetId }: store.LinkRow, userId: string): Promise<string | undefined> {
  if (kind === 'org') return (await orgs.rolesIn(sql, targetId, [userId]))[0]?.role
  return (await groups.standingOf(sql, targetId, userId))?.isKnown ? 'member' : undefined
}

/** Only an e-mail address that is verified says who somebody is. */
function refuseOthers({ email, domains }: store.LinkRow, person: users.User) {
  const verified = person.emailVerified ? person.email?.toLowerCase() : undefined
  if (email !== null && verified !== email)
    throw new Problem(403, 'wrong-email', 'This link is for someone with another e-mail address.')
  if (domains.length > 0 && !domains.includes(domainOfEmail(verified ?? '') ?? ''))
    throw new Problem(403, 'wrong-domain', `This link is for people with an address of ${domains.join(' or ')}.`)
}

/** In the right of whoever made the link, as they have it now; false where somebody else let them in meanwhile. */
async function letIn(sql: Sql, link: store.LinkRow, userId: string): Promise<boolean> {
  const { kind, targetId, role, createdBy } = link
  try {
    const maker = await makerOf(sql, link)
    if (kind === 'org') await orgs.lock(sql, targetId)
    await refuseToInvite(sql, maker, link)
    if (kind === 'org') return (await orgs.addMembers(sql, targetId, [userId], { role, by: createdBy })).length > 0
    const join = (sql: Sql) => groups.addJoined(sql, targetId, userId, createdBy)
    return await changeRoles(sql, { caller: maker }, [userId], join)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(403, 'inviter-may-not', 'Whoever made this link may not let people in any more. Ask for another.')
  }
}

async function makerOf(sql: Sql, { createdBy }: store.LinkRow): Promise<Caller> {
  const maker = await users.find(sql, createdBy)
  if (!maker || maker.disabledAt) throw new Problem(403, 'inviter-gone', 'Who made the link is gone.')
  const { id, username, displayName, email } = maker
  const names = await roles.namesOf(sql, id)
  return { id, username, name: displayName, email, roles: new Set(names), orgs: [], idp: '', authTime: '' }
}
