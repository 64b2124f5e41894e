import { isSameEmail } from '@passport/contract/email'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Caller } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import * as orgs from '../orgs/store.ts'
import { canGrant, changeRoles } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { toGrantedEvent } from '../users/create.ts'
import * as users from '../users/store.ts'
import { canAddMember } from './inviter.ts'
import * as store from './store.ts'

interface Grant {
  /** The recipient. */
  userId: string
  /** The user whose rights apply: grants that they may no longer make are omitted. */
  granter: Caller
  actorId: string
  /** The audit event: the user accepted, or an administrator confirmed. */
  action: 'invitation.accepted' | 'invitation.confirmed'
  visit: Visit
  preview?: boolean | undefined
}

export interface GrantResult {
  roles: string[]
  leftOut: string[]
}

/**
 * Grants the roles and the membership of an invitation. Moves those of the prepared account to the user, and deletes that
 * account. Grants that the granter may no longer make are omitted and listed in `leftOut`. The invitation, changes of
 * roles and the user must be locked.
 */
export async function grantInvitation(
  sql: Sql,
  invitation: store.LockedInvitation,
  { userId, granter, actorId, action, visit, preview }: Grant,
): Promise<GrantResult> {
  // A later role of the same name is another one.
  const existing = await roles.lockExisting(sql, invitation.roles, { createdUntil: invitation.sentAt })
  const grantable = invitation.roles.filter((role) => existing.has(role) && canGrant(granter, role))
  const { orgId, orgRole } = invitation
  const joinedOrgId =
    orgId !== null && canAddMember(granter, orgId, orgRole) && (await orgs.lock(sql, orgId)) ? orgId : null
  const leftOut = [
    ...invitation.roles.filter((role) => !grantable.includes(role)),
    ...(orgId !== null && joinedOrgId === null ? ['org'] : []),
  ]
  const prepared = await lockPrepared(sql, invitation, userId)
  // The user with the invited address is the one to whom the roles of the prepared account were granted.
  const isInvited = action === 'invitation.accepted'
  const transferred = prepared && isInvited ? await roles.listPowers(sql, [prepared.id]) : []
  const transferredRoles = transferred.map(({ role }) => role)
  const affected = prepared ? [userId, prepared.id] : [userId]
  await changeRoles(sql, { caller: granter, preview, transferredRoles }, affected, async (sql) => {
    const grants = grantable.map((role) => ({ userId, role, grantedBy: granter.id }))
    const actor = { actorId, visit, reason: `invitation ${invitation.id}` }
    await audit.recordAll(
      sql,
      (await roles.grantAll(sql, grants)).map((grant) => toGrantedEvent(grant, actor)),
    )
    if (
      joinedOrgId &&
      (await orgs.addMembers(sql, joinedOrgId, [userId], { role: orgRole, addedBy: granter.id })).length > 0
    )
      await audit.record(sql, {
        ...actor,
        action: 'org.member-added',
        target: { kind: 'org', id: joinedOrgId },
        after: { members: [userId], role: orgRole },
      })
    if (joinedOrgId) await orgs.acceptMemberships(sql, joinedOrgId, [userId])
    if (prepared) await mergePrepared(sql, prepared, userId, { actorId, visit })
  })
  await store.markAccepted(sql, invitation.id, userId, leftOut)
  await audit.record(sql, {
    action,
    actorId,
    target: { kind: 'invitation', id: invitation.id },
    after: { user: userId, roles: grantable, org: joinedOrgId, orgRole: joinedOrgId && orgRole, leftOut },
    visit,
  })
  return { roles: grantable, leftOut }
}

/**
 * Locks the prepared account if the user has another account, and it is enabled and has no login and still the invited
 * address; undefined otherwise. A disabled one keeps its roles, which an administrator stopped.
 */
async function lockPrepared(
  sql: Sql,
  { userId: preparedId, email }: store.LockedInvitation,
  userId: string,
): Promise<users.User | undefined> {
  if (preparedId === null || preparedId === userId) return undefined
  const prepared = await users.lockPrepared(sql, preparedId)
  if (!prepared?.email || prepared.disabledAt !== null || !isSameEmail(prepared.email, email)) return undefined
  return (await accounts.listLogins(sql, preparedId)).length === 0 ? prepared : undefined
}

/** Moves the roles and memberships of the prepared account to a user, and deletes the account. */
async function mergePrepared(
  sql: Sql,
  { id: preparedId, email }: users.User,
  userId: string,
  { actorId, visit }: { actorId: string; visit: Visit },
) {
  const moved = await roles.transferRoles(sql, preparedId, userId)
  const memberships = await orgs.removeFromOrgs(sql, preparedId)
  const groupsLeft = await groups.removeFromGroups(sql, preparedId)
  await orgs.restoreToOrgs(sql, userId, memberships)
  await groups.restoreToGroups(sql, userId, groupsLeft)
  await users.remove(sql, preparedId)
  await audit.record(sql, {
    action: 'user.deleted',
    actorId,
    target: { kind: 'user', id: preparedId },
    before: {
      email,
      roles: moved,
      orgs: memberships.map(({ orgId }) => orgId),
      groups: [...new Set([...groupsLeft.member, ...groupsLeft.owner].map(({ groupId }) => groupId))],
    },
    after: { handedOverTo: userId },
    reason: 'invitation-accepted',
    visit,
  })
}
