import type { GroupChange } from '@passport/contract/groups'
import { actorOf } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import { refuseRolesOf, refuseUnlessOwner } from './access.ts'
import { type By, changeGroup, holdPeople } from './change.ts'
import { type GroupRow, told } from './listing.ts'
import type { Part } from './people.ts'
import * as store from './store.ts'

const writing = {
  members: { add: store.addMembers, remove: store.removeMembers },
  owners: { add: store.addOwners, remove: store.removeOwners },
}

export interface Asked {
  part: Part
  action: 'add' | 'remove'
  /** Whom; naming somebody twice is naming them once. */
  people: string[]
}

/**
 * Adds or removes members or owners, all or none; those who are in already, or out, are `unchanged`. Throws 400
 * `unknown-profiles`, and 409 `last-owner` where no owner would be left.
 */
export function changePeople(sql: Sql, id: string, asked: Asked, by: By): Promise<GroupChange & { after: GroupRow }> {
  const { part, people } = asked
  const distinct = [...new Set(people)]
  return changeGroup(sql, id, by, {
    allow: (group) => {
      if (isLeaving(asked, group, by)) return
      refuseUnlessOwner(group, by.caller)
      refuseRolesOf(group, by.caller)
    },
    hold: (sql) => holdPeople(sql, { [part]: people }),
    concerns: () => Promise.resolve(distinct),
    run: async (sql, group) => {
      const changed = await write(sql, group, { ...asked, people: distinct }, by)
      const after = changed.length > 0 ? await told(sql, id, by.caller.id) : group
      const isChanged = new Set(changed)
      return {
        groupId: id,
        version: Number(after.version),
        changed: distinct.filter((person) => isChanged.has(person)),
        unchanged: distinct.filter((person) => !isChanged.has(person)),
        memberCount: after.memberCount,
        ownerCount: after.ownerCount,
        after,
      }
    },
  })
}

/** Every member may go, whatever the group carries: that gives nobody anything. */
function isLeaving({ part, action, people }: Asked, group: GroupRow, { caller }: By): boolean {
  return part === 'members' && action === 'remove' && group.isMember && people.every((id) => id === caller.id)
}

async function write(sql: Sql, group: GroupRow, { part, action, people }: Asked, by: By): Promise<string[]> {
  const changed = await writing[part][action](sql, group.id, people, by.caller.id)
  if (changed.length === 0) return changed
  const count = action === 'add' ? changed.length : -changed.length
  if (part === 'owners' && group.ownerCount + count === 0)
    throw new Problem(409, 'last-owner', 'A group keeps an owner. Make somebody else one first.')
  await store.count(sql, group.id, { [part]: count })
  const counted = part === 'members' ? 'memberCount' : 'ownerCount'
  await audit.record(sql, {
    action: `group.${part}-${action === 'add' ? 'added' : 'removed'}`,
    ...actorOf(by),
    target: { kind: 'group', id: group.id },
    before: { [counted]: group[counted], ...(action === 'remove' && { [part]: changed }) },
    after: { [counted]: group[counted] + count, ...(action === 'add' && { [part]: changed }) },
  })
  return changed
}
