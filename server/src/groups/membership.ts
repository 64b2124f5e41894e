import type { GroupChange } from '@passport/contract/groups'
import { toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { lastOwner } from '../http/problems.ts'
import { requireCanGrantRoles, requireOwner } from './access.ts'
import { changeGroup, type GroupChangeContext, lockPeople } from './change.ts'
import { type GroupRow, reload } from './listing.ts'
import type { Part } from './people.ts'
import * as store from './store.ts'

const writers = {
  members: { add: store.addMembers, remove: store.removeMembers },
  owners: { add: store.addOwners, remove: store.removeOwners },
}

export interface PeopleChange {
  part: Part
  action: 'add' | 'remove'
  /** Duplicates are ignored. */
  people: string[]
}

/**
 * Adds or removes members or owners, all or none; users without a change are `unchanged`. Throws 400
 * `unknown-profiles`, and 409 `last-owner` if no owner would be left.
 */
export function changePeople(
  sql: Sql,
  id: string,
  change: PeopleChange,
  context: GroupChangeContext,
): Promise<GroupChange & { after: GroupRow }> {
  const { part, people } = change
  const distinct = [...new Set(people)]
  return changeGroup(sql, id, context, {
    authorize: (group) => {
      if (isLeaving(change, group, context)) return
      requireOwner(group, context.caller)
      requireCanGrantRoles(group, context.caller)
    },
    lockReferences: (sql) => lockPeople(sql, { [part]: people }),
    affectedUsers: () => Promise.resolve(distinct),
    run: async (sql, group) => {
      const changed = await write(sql, group, { ...change, people: distinct }, context)
      const after = changed.length > 0 ? await reload(sql, id, context.caller.id) : group
      const changedIds = new Set(changed)
      return {
        groupId: id,
        version: Number(after.version),
        changed: distinct.filter((person) => changedIds.has(person)),
        unchanged: distinct.filter((person) => !changedIds.has(person)),
        memberCount: after.memberCount,
        ownerCount: after.ownerCount,
        after,
      }
    },
  })
}

/** Every member may leave, whatever roles the group has: leaving grants nothing. */
function isLeaving({ part, action, people }: PeopleChange, group: GroupRow, { caller }: GroupChangeContext): boolean {
  return part === 'members' && action === 'remove' && group.isMember && people.every((id) => id === caller.id)
}

async function write(
  sql: Sql,
  group: GroupRow,
  { part, action, people }: PeopleChange,
  context: GroupChangeContext,
): Promise<string[]> {
  const changed = await writers[part][action](sql, group.id, people, context.caller.id)
  if (changed.length === 0) return changed
  const count = action === 'add' ? changed.length : -changed.length
  if (part === 'owners' && group.ownerCount + count === 0) throw lastOwner('A group')
  await store.count(sql, group.id, { [part]: count })
  const countField = part === 'members' ? 'memberCount' : 'ownerCount'
  await audit.record(sql, {
    action: `group.${part}-${action === 'add' ? 'added' : 'removed'}`,
    ...toActorFields(context),
    target: { kind: 'group', id: group.id },
    before: { [countField]: group[countField], ...(action === 'remove' && { [part]: changed }) },
    after: { [countField]: group[countField] + count, ...(action === 'add' && { [part]: changed }) },
  })
  return changed
}
