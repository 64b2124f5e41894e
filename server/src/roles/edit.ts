import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as entraClaims from '../entra/claims-store.ts'
import * as entra from '../entra/store.ts'
import * as groups from '../groups/store.ts'
import type { Preconditions } from '../http/conditional.ts'
import { roleNotFound } from '../http/problems.ts'
import * as orgs from '../orgs/store.ts'
import { purgeRelationships } from '../permissions/write.ts'
import * as bulkChanges from '../users/bulk-store.ts'
import { changeRoles } from './change.ts'
import * as problems from './problems.ts'
import { recheckCaller } from './recheck-caller.ts'
import * as store from './store.ts'

/** A role with more holders cannot be deleted. */
const maxHolders = 10_000

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

/** Creates a role without members. Throws 409 `role-name-taken`. */
export function create(sql: Sql, role: { name: string; description: string }, context: ChangeContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const isAdded = await store.add(sql, role)
    if (!isAdded) throw problems.nameTaken()
    const target = { kind: 'role', id: role.name } as const
    await audit.record(sql, { action: 'role.created', ...toActorFields(context), target, after: { ...role } })
  })
}

/** Changes the description of a role. Throws 404 and 412. */
export function changeDescription(
  sql: Sql,
  name: string,
  description: string,
  context: VersionedContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    const role = await lock(sql, name, context.preconditions)
    await recheckCaller(sql, context.caller)
    if (role.description === description) return
    await store.setDescription(sql, name, description)
    await audit.record(sql, {
      action: 'role.changed',
      ...toActorFields(context),
      target: { kind: 'role', id: name },
      before: { description: role.description },
      after: { description },
    })
  })
}

/**
 * Deletes a role; all holders lose it, whether direct or through a group, and no mapping or undo gives a later role of its name. Throws
 * 404, 412, and 409 for a built-in role or too many holders.
 */
export function remove(sql: Sql, name: string, context: VersionedContext & RoleChangeQuery): Promise<void> {
  const findHolders = async (sql: Sql) => {
    const role = await lock(sql, name, context.preconditions)
    if (role.builtIn) throw problems.builtIn()
    const holders = await store.listHolders(sql, name, maxHolders + 1)
    if (holders.length <= maxHolders) return holders
    throw problems.inUse(maxHolders)
  }
  return changeRoles(sql, context, findHolders, async (sql) => {
    const role = await lock(sql, name, context.preconditions)
    const holders = await store.listHolders(sql, name, maxHolders)
    // A later role of the same name is another one. The organisations are locked first, in the order of their ids.
    const mappingOrgs = await entra.listMappingTo(sql, name)
    for (const orgId of mappingOrgs) await orgs.touch(sql, orgId)
    await entra.removeMappingsTo(sql, name)
    await entraClaims.forgetRole(sql, name)
    const groupsWithRole = await groups.dropRole(sql, name)
    await store.revokeFrom(sql, name, holders)
    await bulkChanges.forgetRemovals(sql, name)
    await store.remove(sql, name)
    const purged = await purgeRelationships(sql, 'role', [name])
    await audit.record(sql, {
      action: 'role.deleted',
      ...toActorFields(context),
      target: { kind: 'role', id: name },
      before: {
        description: role.description,
        members: holders.length,
        groups: groupsWithRole,
        mappings: mappingOrgs,
        ...purged,
      },
    })
  })
}

async function lock(sql: Sql, name: string, preconditions: Preconditions): Promise<store.LockedRole> {
  const role = await store.lock(sql, name)
  if (!role) throw roleNotFound()
  preconditions.check({ etag: String(role.version) })
  return role
}
