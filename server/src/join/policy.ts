import type { LinkKind } from '@passport/contract/join'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { requireManager } from '../orgs/access.ts'
import { requireCanGrant } from '../roles/change.ts'

interface Target {
  kind: LinkKind
  targetId: string
}

/**
 * Requires an owner or admin of the target, or an administrator. Throws 404 if the caller may not see it, and 403 if
 * they may but do not manage it.
 */
export async function requireTargetManager(sql: Sql, caller: Caller, { kind, targetId }: Target): Promise<void> {
  if (kind === 'group') await requireManagedGroup(sql, caller, targetId)
  else await requireManager(sql, caller, targetId)
}

/** Like `requireTargetManager`; also throws 403 if joining would grant a role that the caller may not grant. */
export async function requireInviter(sql: Sql, caller: Caller, target: Target): Promise<void> {
  if (target.kind === 'org') return requireTargetManager(sql, caller, target)
  const { roles } = await requireManagedGroup(sql, caller, target.targetId)
  requireCanGrant(
    caller,
    roles.map((role) => ({ role })),
  )
}

async function requireManagedGroup(sql: Sql, caller: Caller, groupId: string) {
  const group = await groups.findLinkedGroup(sql, groupId, caller.id)
  const isAdmin = isAdministrator(caller)
  if (!group || !(group.isOwned || group.isKnown || isAdmin))
    throw new Problem(404, 'group-not-found', 'Group not found.')
  if (!group.isOwned && !isAdmin)
    throw new Problem(403, 'group-not-yours-to-run', 'Only owners of the group can do this.')
  return group
}
