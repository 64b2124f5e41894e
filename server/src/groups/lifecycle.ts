import { toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { isMapped } from '../entra/store.ts'
import { type Actor, isAdministrator } from '../http/caller.ts'
import { unknownOrg } from '../http/problems.ts'
import * as orgs from '../orgs/store.ts'
import { requireCanGrant } from '../roles/change.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { filterBuiltIn } from '../roles/store.ts'
import { rejectUnknownRoles } from '../roles/unknown-roles.ts'
import { isManaged } from '../scim/group-store.ts'
import { requireCanGrantRoles, requireDeletedGroup, requireOwner } from './access.ts'
import { changeGroup, type GroupChangeContext, lockUsers } from './change.ts'
import { type GroupRow, reload } from './list-store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

export interface NewGroup {
  name: string
  description: string
  orgId: string | null
  members: string[]
  owners: string[]
}

/**
 * Creates a group with the caller among its owners; the command line is no user, so its groups may have no owner. Throws
 * 403, 400 `unknown-org` or `unknown-profiles`, and 409 `group-name-taken`.
 */
export function createGroup(
  sql: Sql,
  input: NewGroup,
  context: Omit<GroupChangeContext<Actor>, 'preconditions'>,
): Promise<GroupRow> {
  const { name, description, orgId } = input
  const { caller } = context
  requireOrgAdmin(orgId, caller)
  return transaction(sql, async (sql) => {
    const creators = caller.id === null ? [] : [caller.id]
    const [members, owners] = [[...new Set(input.members)], [...new Set([...creators, ...input.owners])]]
    await lockOrg(sql, orgId)
    await recheckCaller(sql, caller)
    await lockUsers(sql, { members: input.members, owners: input.owners })
    const id = await store.create(sql, { name, description, orgId, members, owners, addedBy: caller.id })
    if (id === undefined) throw problems.nameTaken()
    await audit.record(sql, {
      action: 'group.created',
      ...toActorFields(context),
      target: { kind: 'group', id },
      after: { name, description, orgId, members, owners },
    })
    return reload(sql, id, caller.id)
  })
}

/** Throws 403 unless the caller manages the organisation; callers outside it cannot find out whether it exists. */
function requireOrgAdmin(orgId: string | null, caller: Actor) {
  if (orgId === null || isAdministrator(caller)) return
  const org = caller.orgs.find(({ id }) => id === orgId)
  if (org?.role === 'owner' || org?.role === 'admin') return
  throw problems.notOrgAdmin()
}

async function lockOrg(sql: Sql, orgId: string | null) {
  if (orgId === null || (await orgs.lockExisting(sql, orgId))) return
  throw unknownOrg()
}

/**
 * Changes the name and description of a group. Administrators grant roles by the name of the group, so a change requires
 * the right to grant its roles. Throws 403, 404, 412 and 409 `group-name-taken`.
 */
export function updateGroup(
  sql: Sql,
  id: string,
  texts: { name: string; description: string },
  context: GroupChangeContext<Actor>,
) {
  return changeGroup(sql, id, context, {
    authorize: (group) => {
      requireOwner(group, context.caller)
      requireCanGrantRoles(group, context.caller)
    },
    run: async (sql, group) => {
      const before = { name: group.name, description: group.description }
      if (texts.name === before.name && texts.description === before.description) return group
      await mapNameConflict(store.change(sql, id, texts))
      await record(sql, 'group.changed', id, { before, after: { ...texts } }, context)
      return reload(sql, id, context.caller.id)
    },
  })
}

/** Soft-deletes a group; its members lose the roles that it grants. Throws 403, 404 and 412. */
export function deleteGroup(sql: Sql, id: string, context: GroupChangeContext<Actor>): Promise<void> {
  return changeGroup(sql, id, context, {
    authorize: (group) => {
      requireOwner(group, context.caller)
      requireCanGrantRoles(group, context.caller)
    },
    findAffectedUsers: (sql) => store.listMemberIds(sql, id),
    run: async (sql, group) => {
      await store.remove(sql, id)
      await record(sql, 'group.deleted', id, { before: toAuditValues(group) }, context)
    },
  })
}

/** Takes the members of a restored group whom mappings no longer give it. */
type TakeLost = (sql: Sql, restored: { groupIds: string[] }) => Promise<void>

/**
 * Restores a deleted group, with `name` if given, without the members whom mappings no longer give it. Throws 403, 404,
 * 412 and 409 `group-name-taken` or `org-deleted`.
 */
export function restoreGroup(
  sql: Sql,
  id: string,
  name: string | undefined,
  context: GroupChangeContext<Actor>,
  takeLost: TakeLost,
): Promise<GroupRow> {
  return changeGroup(sql, id, context, {
    find: requireDeletedGroup,
    authorize: (group) => requireCanGrantRoles(group, context.caller),
    findAffectedUsers: (sql) => store.listUserIds(sql, id),
    run: async (sql, group) => {
      if (group.orgId !== null && !(await orgs.lockExisting(sql, group.orgId))) throw problems.orgDeleted()
      await mapNameConflict(store.restore(sql, id, name ?? group.name))
      await takeLost(sql, { groupIds: [id] })
      const after = await reload(sql, id, context.caller.id)
      await record(sql, 'group.restored', id, { after: toAuditValues(after) }, context)
      return after
    },
  })
}

/**
 * Sets the roles of a group. Throws 400 `unknown-roles`, 409 `group-managed-externally` for a built-in role of a group
 * that is the target of a mapping, and the errors of a change of roles.
 */
export function changeGroupRoles(
  sql: Sql,
  id: string,
  requested: string[],
  context: GroupChangeContext<Actor>,
): Promise<GroupRow> {
  const names = [...new Set(requested)].sort()
  return changeGroup(sql, id, context, {
    authorize: () => {},
    lockReferences: (sql) => rejectUnknownRoles(sql, requested),
    findAffectedUsers: (sql) => store.listUserIds(sql, id),
    alwaysChangesRoles: true,
    run: async (sql, group) => {
      const differing = [...group.roles, ...names].filter((role, _, all) => all.indexOf(role) === all.lastIndexOf(role))
      if (differing.length === 0) return group
      requireCanGrant(
        context.caller,
        differing.map((role) => ({ role })),
      )
      const added = names.filter((role) => !group.roles.includes(role))
      if ((await filterBuiltIn(sql, added)).length > 0 && (await isManagedExternally(sql, id)))
        throw problems.managedExternally()
      await store.setRoles(sql, id, names, context.caller.id)
      await record(sql, 'group.roles-changed', id, { before: { roles: group.roles }, after: { roles: names } }, context)
      return reload(sql, id, context.caller.id)
    },
  })
}

/** Reports whether a tenant decides who is in a group: by a mapping, or by the SCIM clients of an organisation. */
const isManagedExternally = async (sql: Sql, id: string) => (await isManaged(sql, id)) || isMapped(sql, { groupId: id })

async function mapNameConflict(written: Promise<void>) {
  await written.catch((error) => {
    throw store.isNameTaken(error) ? problems.nameTaken() : error
  })
}

const toAuditValues = ({ name, description, orgId, roles, memberCount, ownerCount }: GroupRow) => ({
  name,
  description,
  orgId,
  roles,
  memberCount,
  ownerCount,
})

type AuditValues = Pick<audit.AuditEvent, 'before' | 'after'>

function record(
  sql: Sql,
  action: audit.AuditEvent['action'],
  id: string,
  change: AuditValues,
  context: GroupChangeContext<Actor>,
) {
  return audit.record(sql, { action, ...toActorFields(context), target: { kind: 'group', id }, ...change })
}
