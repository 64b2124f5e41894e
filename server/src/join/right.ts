import type { LinkKind } from '@passport/contract/join'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { enterToRun } from '../orgs/access.ts'
import { refuseToGive } from '../roles/change.ts'

interface Target {
  kind: LinkKind
  targetId: string
}

/**
 * Lets pass who runs an organisation or a group, and administrators. Throws 404 where they do not know it, and 403 where
 * they do and it is not theirs.
 */
export async function refuseToRunTarget(sql: Sql, caller: Caller, { kind, targetId }: Target): Promise<void> {
  if (kind === 'group') await standingInGroup(sql, caller, targetId)
  else await enterToRun(sql, caller, targetId)
}

/** Like `refuseToRunTarget`; throws 403 also where whoever joins would get a role that is not the caller's to give. */
export async function refuseToInvite(sql: Sql, caller: Caller, target: Target): Promise<void> {
  if (target.kind === 'org') return refuseToRunTarget(sql, caller, target)
  const { roles } = await standingInGroup(sql, caller, target.targetId)
  refuseToGive(
    caller,
    roles.map((role) => ({ role })),
  )
}

async function standingInGroup(sql: Sql, caller: Caller, groupId: string) {
  const group = await groups.standingOf(sql, groupId, caller.id)
  const isAdministrator = caller.roles.has('Passport.Admin')
  if (!group || !(group.isOwned || group.isKnown || isAdministrator))
    throw new Problem(404, 'group-not-found', 'There is no such group.')
  if (!group.isOwned && !isAdministrator) throw new Problem(403, 'group-not-yours-to-run', 'Its owners may do that.')
  return group
}
