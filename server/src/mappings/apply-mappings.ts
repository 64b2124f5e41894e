import { type Sql, transaction } from '../database/sql.ts'
import * as store from '../entra/claims-store.ts'
import { changeMembership } from '../groups/membership.ts'
import { isPassportRole } from '../http/caller.ts'
import { readPreconditions } from '../http/conditional.ts'
import { addMembers, removeMembers } from '../roles/membership.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'

/**
 * Mappings act for the administrator who saved them: no user is the actor, and roles are checked when they are saved. None
 * of Passport's own roles is ever given.
 */
const mapping = {
  caller: { id: null, roles: new Set(['Passport.Admin']), orgs: [], mayGive: (role: string) => !isPassportRole(role) },
  reason: 'mapping',
  preconditions: readPreconditions('PUT', {}),
}

/**
 * Gives the users of an organisation, or one of them, what its mappings say, and takes what they had by a mapping only.
 * Manual memberships and roles stay. Runs one statement if nothing changes.
 */
export async function applyMappings(sql: Sql, orgId: string, userId: string | null = null): Promise<void> {
  const expected = await store.listDifferences(sql, orgId, userId)
  if (expected.length === 0) return
  await transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    await users.lockExisting(sql, [...new Set(expected.map((difference) => difference.userId))])
    // Under the locks: another sign-in or an administrator may have been first.
    const differences = await store.listDifferences(sql, orgId, userId)
    const targets = Map.groupBy(differences, ({ kind, target, isGain }) => `${isGain} ${kind} ${target}`)
    for (const changes of targets.values()) await applyToTarget(sql, orgId, changes)
  })
}

/**
 * Takes what restored users, and the members of restored groups, had by mappings that no longer give it. What mappings give
 * them now counts from their next sign-in. Call it in the change of roles that restores them.
 */
export async function takeLost(sql: Sql, { userIds = [], groupIds = [] }: Partial<Restored>): Promise<void> {
  const losses = await store.listLosses(sql, { userIds, groupIds })
  const targets = Map.groupBy(losses, ({ orgId, kind, target }) => `${orgId} ${kind} ${target}`)
  for (const changes of targets.values()) await applyToTarget(sql, changes[0]?.orgId ?? '', changes)
}

interface Restored {
  userIds: string[]
  groupIds: string[]
}

/** Applies the same gain, or loss, of some users. */
async function applyToTarget(sql: Sql, orgId: string, changes: store.Difference[]) {
  const [first] = changes
  if (!first) return
  const granted = { ...first, userIds: changes.map(({ userId }) => userId) }
  if (first.isGain) {
    await change(sql, 'add', granted)
    return store.addGrants(sql, orgId, granted)
  }
  const losing = new Set(await store.removeGrants(sql, orgId, granted))
  const userIds = changes.flatMap(({ userId, isHeld }) => (isHeld && losing.has(userId) ? userId : []))
  if (userIds.length > 0) await change(sql, 'remove', { ...granted, userIds })
}

async function change(sql: Sql, action: 'add' | 'remove', { kind, target, userIds }: store.GrantedTarget) {
  if (kind === 'group') await changeMembership(sql, target, { list: 'members', action, userIds }, mapping)
  else await (action === 'add' ? addMembers : removeMembers)(sql, target, userIds, mapping)
}
