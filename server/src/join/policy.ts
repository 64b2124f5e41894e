import type { LinkKind } from '@passport/contract/join'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { type Actor, type Caller, isAdministrator } from '../http/caller.ts'
import { groupNotFound } from '../http/problems.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import { requireManager } from '../orgs/access.ts'
import { requireCanGrant } from '../roles/change.ts'
import * as problems from './problems.ts'

/** The caller who creates a link, or its absent creator. */
export type Inviter = Caller & Pick<Actor, 'mayGive'>

interface Target {
  kind: LinkKind
  targetId: string
}

/**
 * Requires an owner or admin of the target, or an administrator. Throws 404 if the caller may not see the target, and 403
 * if the caller is a plain member.
 */
export async function requireTargetManager(sql: Sql, caller: Caller, { kind, targetId }: Target): Promise<void> {
  if (kind === 'group') await requireManagedGroup(sql, caller, targetId)
  else await requireManager(sql, caller, targetId)
}

/**
 * Like `requireTargetManager`; also throws 403 if joining would grant a role that the caller may not grant, and 401 unless a
 * caller with a session authenticated recently enough to grant it.
 */
export async function requireInviter(sql: Sql, caller: Inviter, target: Target): Promise<void> {
  if (target.kind === 'org') return requireTargetManager(sql, caller, target)
  const { roles } = await requireManagedGroup(sql, caller, target.targetId)
  requireCanGrant(
    caller,
    roles.map((role) => ({ role })),
  )
  if (roles.length > 0) requireRecentAuthentication(caller)
}

async function requireManagedGroup(sql: Sql, caller: Caller, groupId: string) {
  const group = await groups.findLinkedGroup(sql, groupId, caller.id)
  const isAdmin = isAdministrator(caller)
  if (!group || !(group.isOwner || group.isMember || isAdmin)) throw groupNotFound()
  if (!group.isOwner && !isAdmin) throw problems.notManager()
  return group
}
