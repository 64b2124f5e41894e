import type { EntraMapping } from '@passport/contract/org-entra'
import type { Sql } from '../database/sql.ts'
import * as groupLists from '../groups/list-store.ts'

type GroupMapping = EntraMapping & { groupId: string }

/**
 * Returns the mappings whose targets are groups of the organisation, without roles: the only ones that somebody who is no
 * administrator may change.
 */
export async function filterOwnMappings(sql: Sql, orgId: string, mappings: EntraMapping[]): Promise<GroupMapping[]> {
  const toGroups = mappings.filter((mapping): mapping is GroupMapping => mapping.groupId !== undefined)
  const groups = await groupLists.listWithRoles(sql, [...new Set(toGroups.map(({ groupId }) => groupId))])
  const own = new Set(groups.filter((group) => isOwnGroup(group, orgId)).map(({ id }) => id))
  return toGroups.filter(({ groupId }) => own.has(groupId))
}

const isOwnGroup = (group: { orgId: string | null; roles: string[] }, orgId: string): boolean =>
  group.orgId === orgId && group.roles.length === 0
