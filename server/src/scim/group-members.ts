import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as claims from '../entra/claims-store.ts'
import * as lists from '../groups/list-store.ts'
import * as groups from '../groups/store.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import { changeRoles } from '../roles/change.ts'
import * as users from '../users/store.ts'
import { actorOf, type ScimContext, toCaller } from './context.ts'
import * as store from './group-store.ts'
import { toObjectId } from './user-values.ts'

interface MemberChange {
  add: string[]
  remove: string[]
}

/** Changes the members of a locked group. Users whom an administrator added by hand stay when a client removes them. */
export async function changeMembers(
  sql: Sql,
  context: ScimContext,
  { id, externalId }: { id: string; externalId: string | null },
  { add, remove }: MemberChange,
): Promise<void> {
  const group = await lists.find(sql, id, null)
  const write = (sql: Sql) => writeMembers(sql, context, id, { add, remove })
  const { added, removed } =
    group && group.roles.length > 0
      ? await changeRoles(sql, { caller: toCaller(context, { isMembership: true }) }, [...add, ...remove], write)
      : await write(sql)
  if (added.length + removed.length > 0)
    await recordChange(sql, context, { id, before: group?.memberCount ?? 0, added, removed })
  if (remove.length > 0) await loseMappings(sql, context, externalId, remove)
}

async function writeMembers(sql: Sql, context: ScimContext, id: string, { add, remove }: MemberChange) {
  const added = add.length > 0 ? await addMembers(sql, context, id, add) : []
  const leaving = remove.length > 0 ? await store.removeMembers(sql, id, remove) : []
  const removed = leaving.length > 0 ? await groups.removeMembers(sql, id, leaving) : []
  if (leaving.length > removed.length) await users.forgetFormerGroup(sql, leaving, id)
  if (added.length + removed.length > 0) await groups.adjustCounts(sql, id, { members: added.length - removed.length })
  return { added, removed }
}

async function addMembers(sql: Sql, context: ScimContext, id: string, userIds: string[]): Promise<string[]> {
  const added = await groups.addMembers(sql, id, userIds, actorOf(context).actorId ?? null)
  const isAdded = new Set(added)
  await store.addMembers(
    sql,
    id,
    userIds,
    userIds.filter((userId) => !isAdded.has(userId)),
  )
  return added
}

function recordChange(
  sql: Sql,
  context: ScimContext,
  { id, before, added, removed }: { id: string; before: number; added: string[]; removed: string[] },
): Promise<void> {
  const event = { ...actorOf(context), target: { kind: 'group', id } as const }
  const between = before + added.length
  return audit.recordAll(sql, [
    ...(added.length > 0
      ? [
          {
            ...event,
            action: 'group.members-added' as const,
            before: { memberCount: before },
            after: { memberCount: between, members: added },
          },
        ]
      : []),
    ...(removed.length > 0
      ? [
          {
            ...event,
            action: 'group.members-removed' as const,
            before: { memberCount: between, members: removed },
            after: { memberCount: between - removed.length },
          },
        ]
      : []),
  ])
}

/**
 * Takes what the mappings of a group of the tenant give to users who left it, before their next sign-in. What they gain
 * counts from their next sign-in.
 */
export async function loseMappings(
  sql: Sql,
  { client }: ScimContext,
  externalId: string | null,
  userIds: string[],
): Promise<void> {
  const objectId = externalId === null ? null : toObjectId(externalId)
  if (objectId === null) return
  const losing = await claims.removeGroup(sql, client.orgId, objectId, userIds)
  if (losing.length === 0) return
  await applyMappings(sql, client.orgId, losing.length === 1 ? (losing[0] ?? null) : null)
}

/** Removes a user from the provisioned groups of the organisation. */
export async function removeFromGroups(sql: Sql, context: ScimContext, userId: string): Promise<void> {
  const memberships = await store.listGroupsOf(sql, context.client.orgId, userId)
  await groups.lock(
    sql,
    memberships.map(({ id }) => id),
  )
  for (const group of memberships) await changeMembers(sql, context, group, { add: [], remove: [userId] })
}
