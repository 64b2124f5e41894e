import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Caller } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles, mayGive } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { mayBringInto } from './inviter.ts'
import * as store from './store.ts'

interface Gift {
  /** Who gets it. */
  userId: string
  /** In whose right it is given: what they may not give now is left out. */
  giver: Caller
  actorId: string
  /** As what it is recorded: taken by the person, or confirmed by an administrator. */
  action: 'invitation.accepted' | 'invitation.confirmed'
  visit: Visit
  preview?: boolean | undefined
}

export interface Given {
  roles: string[]
  leftOut: string[]
}

/**
 * Gives a person what an invitation promises, and what the account has that was made for them beforehand, which goes.
 * What the giver may not give any more is left out, and recorded. The invitation is locked.
 */
export async function give(
  sql: Sql,
  invitation: store.Locked,
  { userId, giver, actorId, action, visit, preview }: Gift,
): Promise<Given> {
  const there = await roles.known(sql, invitation.roles)
  const given = invitation.roles.filter((role) => there.has(role) && mayGive(giver, role))
  const { orgId, orgRole } = invitation
  const comesInto = orgId !== null && mayBringInto(giver, orgId) && (await orgs.lock(sql, orgId)) ? orgId : null
  const leftOut = [
    ...invitation.roles.filter((role) => !given.includes(role)),
    ...(orgId !== null && comesInto === null ? ['org'] : []),
  ]
  await changeRoles(sql, { caller: giver, preview }, [userId], async (sql) => {
    for (const role of given) await roles.grant(sql, role, userId, giver.id)
    if (comesInto) await orgs.addMembers(sql, comesInto, [userId], { role: orgRole, by: giver.id })
  })
  // What others gave the account beforehand was theirs to give then, and is not asked for again.
  await mergePrepared(sql, invitation.userId, userId, { actorId, visit })
  await store.noteAccepted(sql, invitation.id, userId, leftOut)
  await audit.record(sql, {
    action,
    actorId,
    target: { kind: 'invitation', id: invitation.id },
    after: { user: userId, roles: given, org: comesInto, orgRole: comesInto && orgRole, leftOut },
    visit,
  })
  return { roles: given, leftOut }
}

/** Hands over what the account has that was made beforehand, and removes it, where another account was used. */
async function mergePrepared(
  sql: Sql,
  preparedId: string | null,
  userId: string,
  { actorId, visit }: { actorId: string; visit: Visit },
) {
  if (preparedId === null || preparedId === userId) return
  const prepared = await users.lockPrepared(sql, preparedId)
  // Somebody has come in by it since: then it is theirs.
  if (!prepared || (await accounts.listLogins(sql, preparedId)).length > 0) return
  await roles.lockChanges(sql)
  const moved = await roles.handOver(sql, preparedId, userId)
  const memberships = await orgs.takeOut(sql, preparedId)
  const groupsLeft = await groups.takeOut(sql, preparedId)
  await orgs.putBack(sql, userId, memberships)
  await groups.putBack(sql, userId, groupsLeft)
  await users.remove(sql, preparedId)
  await audit.record(sql, {
    action: 'user.deleted',
    actorId,
    target: { kind: 'user', id: preparedId },
    before: {
      email: prepared.email,
      roles: moved,
      orgs: memberships.map(({ orgId }) => orgId),
      groups: [...new Set([...groupsLeft.member, ...groupsLeft.owner].map(({ groupId }) => groupId))],
    },
    after: { handedOverTo: userId },
    reason: 'invitation-accepted',
    visit,
  })
}
