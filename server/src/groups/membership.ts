import type { GroupChange } from '@passport/contract/groups'
import { toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Actor } from '../http/caller.ts'
import { lastOwner } from '../http/problems.ts'
import { requireCanGrantRoles, requireOwner } from './access.ts'
import { changeGroup, type GroupChangeContext, lockUsers } from './change.ts'
import { type GroupRow, reload } from './list-store.ts'
import type { GroupList } from './member-store.ts'
import * as store from './store.ts'

const writers = {
  members: { add: store.addMembers, remove: store.removeMembers },
  owners: { add: store.addOwners, remove: store.removeOwners },
}

export interface MembershipChange {
  list: GroupList
  action: 'add' | 'remove'
  /** Duplicates are ignored. */
  userIds: string[]
}

/**
 * Adds or removes members or owners, all or none. Users for whom nothing changes are listed in `unchanged`. Throws 400
 * `unknown-profiles`, 403, and 409 `last-owner` if no owner would be left.
 */
export function changeMembership(
  sql: Sql,
  id: string,
  change: MembershipChange,
  context: GroupChangeContext<Actor>,
): Promise<GroupChange & { after: GroupRow }> {
  const { list, userIds } = change
  const distinct = [...new Set(userIds)]
  return changeGroup(sql, id, context, {
    authorize: (group) => {
      if (isLeaving(change, group, context)) return
      requireOwner(group, context.caller)
      requireCanGrantRoles(group, context.caller)
    },
    lockReferences: (sql) => lockUsers(sql, { [list]: userIds }),
    findAffectedUsers: () => Promise.resolve(distinct),
    run: async (sql, group) => {
      const changed = await write(sql, group, { ...change, userIds: distinct }, context)
      const after = changed.length > 0 ? await reload(sql, id, context.caller.id) : group
      const changedIds = new Set(changed)
      return {
        groupId: id,
        version: Number(after.version),
        changed: distinct.filter((userId) => changedIds.has(userId)),
        unchanged: distinct.filter((userId) => !changedIds.has(userId)),
        memberCount: after.memberCount,
        ownerCount: after.ownerCount,
        after,
      }
    },
  })
}

/** Reports whether a member leaves the group, which any member may do: it grants no role. */
function isLeaving(
  { list, action, userIds }: MembershipChange,
  group: GroupRow,
  { caller }: GroupChangeContext<Actor>,
): boolean {
  return list === 'members' && action === 'remove' && group.isMember && userIds.every((id) => id === caller.id)
}

async function write(
  sql: Sql,
  group: GroupRow,
  { list, action, userIds }: MembershipChange,
  context: GroupChangeContext<Actor>,
): Promise<string[]> {
  const changed = await writers[list][action](sql, group.id, userIds, context.caller.id)
  if (changed.length === 0) return changed
  const difference = action === 'add' ? changed.length : -changed.length
  if (list === 'owners' && group.ownerCount + difference === 0) throw lastOwner('A group')
  await store.adjustCounts(sql, group.id, { [list]: difference })
  const countField = list === 'members' ? 'memberCount' : 'ownerCount'
  await audit.record(sql, {
    action: `group.${list}-${action === 'add' ? 'added' : 'removed'}`,
    ...toActorFields(context),
    target: { kind: 'group', id: group.id },
    before: { [countField]: group[countField], ...(action === 'remove' && { [list]: changed }) },
    after: { [countField]: group[countField] + difference, ...(action === 'add' && { [list]: changed }) },
  })
  return changed
}
