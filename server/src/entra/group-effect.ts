import type { RoleEffect } from '@passport/contract/role-effect'
import type { Sql } from '../database/sql.ts'
import { listMembersAmong } from '../groups/member-store.ts'
import * as groups from '../groups/store.ts'
import * as users from '../users/store.ts'

type Membership = Awaited<ReturnType<typeof listMembersAmong>>[number]
type GroupEffect = NonNullable<RoleEffect['groups']>

const sampleSize = 10

/** Runs a change of mappings; returns which of the users become members of the groups by it, and which no longer are. */
export async function runWithGroupEffect(
  sql: Sql,
  { groupIds, userIds }: { groupIds: string[]; userIds: string[] },
  run: () => Promise<void>,
): Promise<GroupEffect> {
  const before = await listMembersAmong(sql, groupIds, userIds)
  await run()
  const after = await listMembersAmong(sql, groupIds, userIds)
  const [gained, lost] = [subtract(after, before), subtract(before, after)]
  const changed = [...gained, ...lost]
  const named = [
    ...(await groups.listNames(sql, [...new Set(changed.map(({ groupId }) => groupId))])),
    ...(await users.listNames(sql, [...new Set(changed.map(({ userId }) => userId))])),
  ]
  const names = new Map(named.map(({ id, name }) => [id, name]))
  const describe = (memberships: Membership[]) =>
    [...Map.groupBy(memberships, ({ groupId }) => groupId)].map(([groupId, members]) => ({
      groupId,
      name: names.get(groupId) ?? groupId,
      people: members.length,
      sample: members.slice(0, sampleSize).map(({ userId }) => ({ id: userId, name: names.get(userId) ?? userId })),
    }))
  return { gains: describe(gained), loses: describe(lost) }
}

function subtract(memberships: Membership[], removed: Membership[]): Membership[] {
  const toKey = ({ groupId, userId }: Membership) => `${groupId} ${userId}`
  const keys = new Set(removed.map(toKey))
  return memberships.filter((membership) => !keys.has(toKey(membership)))
}
