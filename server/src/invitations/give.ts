import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Caller } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles, mayGive } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { grantedEvent } from '../users/create.ts'
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
 * What the giver may not give any more is left out, and recorded. The invitation, changes of roles and the person are
 * locked.
 */
export async function give(
  sql: Sql,
  invitation: store.Locked,
  { userId, giver, actorId, action, visit, preview }: Gift,
): Promise<Given> {
  const there = await roles.known(sql, invitation.roles)
  const given = invitation.roles.filter((role) => there.has(role) && mayGive(giver, role))
  const { orgId, orgRole } = invitation
  const comesInto =
    orgId !== null && mayBringInto(giver, orgId, orgRole) && (await orgs.lock(sql, orgId)) ? orgId : null
  const leftOut = [
    ...invitation.roles.filter((role) => !given.includes(role)),
    ...(orgId !== null && comesInto === null ? ['org'] : []),
  ]
  const prepared = await lockPrepared(sql, invitation.userId, userId)
  // What others gave the account beforehand was theirs to give then, and is not asked for again.
  const passedOn = prepared ? await roles.namesOf(sql, prepared.id) : []
  const concerned = prepared ? [userId, prepared.id] : [userId]
  await changeRoles(sql, { caller: giver, preview, passedOn }, concerned, async (sql) => {
    const wanted = given.map((role) => ({ userId, role, grantedBy: giver.id }))
    const by = { actorId, visit, reason: `invitation ${invitation.id}` }
    await audit.recordAll(
      sql,
      (await roles.grantAll(sql, wanted)).map((one) => grantedEvent(one, by)),
    )
    if (comesInto && (await orgs.addMembers(sql, comesInto, [userId], { role: orgRole, by: giver.id })).length > 0)
      await audit.record(sql, {
        ...by,
        action: 'org.member-added',
        target: { kind: 'org', id: comesInto },
        after: { members: [userId], role: orgRole },
      })
    if (prepared) await merge(sql, prepared, userId, { actorId, visit })
  })
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

/** The account that was made beforehand, where another one was used and nobody has come in by it since. */
async function lockPrepared(sql: Sql, preparedId: string | null, userId: string): Promise<users.User | undefined> {
  if (preparedId === null || preparedId === userId) return undefined
  const prepared = await users.lockPrepared(sql, preparedId)
  return prepared && (await accounts.listLogins(sql, preparedId)).length === 0 ? prepared : undefined
}

/** Hands over what the account has that was made beforehand, and removes it. */
async function merge(
  sql: Sql,
  { id: preparedId, email }: users.User,
  userId: string,
  { actorId, visit }: { actorId: string; visit: Visit },
) {
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
