import { maxGroupNameGraphemes } from '@passport/contract/groups'
import { fitLine } from '@passport/contract/text-fields'
import * as audit from '../audit/store.ts'
import { type Sql, savepoint } from '../database/sql.ts'
import * as lists from '../groups/list-store.ts'
import * as groups from '../groups/store.ts'
import { takeLost } from '../mappings/apply-mappings.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import * as users from '../users/store.ts'
import { actorOf, runChange, type ScimContext, toCaller } from './context.ts'
import type { GroupChange, MembersChange } from './group-changes.ts'
import { changeMembers, loseMappings } from './group-members.ts'
import * as store from './group-store.ts'
import { reportLeft, restored } from './restore.ts'
import { invalidValue, resourceNotFound, ScimError } from './scim-error.ts'
import * as provisioned from './user-store.ts'
import type { Resource } from './values.ts'

const nameTaken = () =>
  new ScimError(409, 'The organisation has a group with this displayName.', {
    scimType: 'uniqueness',
    help: 'Rename one of the groups: SCIM takes over no group that an administrator created.',
  })

/** Returns a group of clients, with its members if asked for. Throws 404. */
export async function requireGroup(
  sql: Sql,
  orgId: string,
  id: string,
  options: { withMembers: boolean },
): Promise<store.GroupRow> {
  const [group] = await store.listByIds(sql, orgId, [id], options)
  if (!group || group.deletedAt !== null) throw resourceNotFound('Group', id)
  return group
}

/**
 * Finds the group with an external id, deleted or not, and locks it. It is read again then: an administrator may restore it
 * at the same time.
 */
async function lockFormer(sql: Sql, orgId: string, externalId: string) {
  const found = await store.findByExternalId(sql, orgId, externalId)
  if (!found) return undefined
  await groups.lock(sql, [found.id])
  return store.findByExternalId(sql, orgId, externalId)
}

/**
 * Creates a group of the organisation, or brings one back from the trash that had the same external id. Throws 409
 * `uniqueness`.
 */
export function createGroup(context: ScimContext, change: GroupChange): Promise<store.GroupRow> {
  const { client } = context
  const { orgId } = client
  const names = readNames(change.attributes)
  const { name, externalId } = names
  return runChange(context, async (sql) => {
    if (!(await orgs.lock(sql, orgId))) throw new ScimError(401, 'The token is not valid for this address.')
    const members = [...(await lockMembers(sql, context, change.members))]
    keepMembers(change.members, new Set(members))
    const former = externalId === null ? undefined : await lockFormer(sql, orgId, externalId)
    if (former && former.deletedAt === null)
      throw new ScimError(409, 'A group with this externalId exists.', { scimType: 'uniqueness' })
    if (former) return restoreGroup(sql, context, former.id, change)
    const actor = actorOf(context)
    const id = await groups.create(sql, {
      name,
      description: '',
      orgId,
      members,
      owners: [],
      addedBy: actor.actorId ?? null,
      sharesName: true,
    })
    if (id === undefined) throw nameTaken()
    await store.save(sql, orgId, id, names)
    noteShortened(context, names)
    if (members.length > 0) await store.addMembers(sql, id, members, [])
    await audit.record(sql, {
      action: 'group.created',
      ...actor,
      target: { kind: 'group', id },
      after: { name, orgId, members },
    })
    return requireGroup(sql, orgId, id, { withMembers: true })
  })
}

/** Restores a locked group without roles. */
async function restoreGroup(sql: Sql, context: ScimContext, id: string, change: GroupChange): Promise<store.GroupRow> {
  const { orgId } = context.client
  const { name } = readNames(change.attributes)
  const findAffected = (sql: Sql) => groups.listUserIds(sql, id)
  await changeRoles(sql, { caller: toCaller(context) }, findAffected, async (sql) => {
    const row = await lists.find(sql, id, null)
    const roles = row?.roles ?? []
    // An administrator may have deleted the group to take its roles away.
    if (roles.length > 0) await groups.setRoles(sql, id, [], null)
    await mapNameConflict(sql, (sql) => groups.restore(sql, id, name))
    await takeLost(sql, { groupIds: [id] })
    await audit.record(sql, {
      action: 'group.restored',
      ...actorOf(context),
      target: { kind: 'group', id },
      after: { name },
    })
    context.notes.push(restored('group'))
    await reportLeft(sql, context, { kind: 'group', id, name }, { roles })
  })
  await writeChange(sql, context, await requireGroup(sql, orgId, id, { withMembers: false }), change)
  return requireGroup(sql, orgId, id, { withMembers: true })
}

/**
 * Changes a group under a lock; `change` returns what to change from the current attributes. Concurrent changes of one group
 * run one after another. Throws 404, 409 and what `change` throws.
 */
export function changeGroup(
  context: ScimContext,
  id: string,
  change: (current: Resource, version: string) => GroupChange,
  { withMembers }: { withMembers: boolean },
): Promise<store.GroupRow> {
  const { client } = context
  const { orgId } = client
  return runChange(context, async (sql) => {
    const read = async () => {
      const group = await requireGroup(sql, orgId, id, { withMembers: false })
      const { displayName, externalId } = group
      const current = { displayName, ...(externalId !== null && { externalId }) }
      return { group, changed: change(current, group.version) }
    }
    const { members } = (await read()).changed
    const known = await lockMembers(sql, context, members)
    if (members.add.size + members.unusable > 0 && known.size === 0)
      throw invalidValue(
        'None of the members is a user whom this organisation provisions, and nothing was changed.',
        'Provision the users first.',
      )
    await groups.lock(sql, [id])
    const { group, changed } = await read()
    keepMembers(changed.members, known)
    await writeChange(sql, context, group, changed)
    return requireGroup(sql, orgId, id, { withMembers })
  })
}

async function writeChange(
  sql: Sql,
  context: ScimContext,
  group: store.GroupRow,
  { attributes, members }: GroupChange,
): Promise<void> {
  const { id } = group
  const names = readNames(attributes)
  const { name, externalId, displayName } = names
  // A name that an administrator has changed stays until the client sends another one.
  if (displayName !== group.displayName) {
    const row = await lists.find(sql, id, null)
    await mapNameConflict(sql, (sql) => groups.change(sql, id, { name, description: row?.description ?? '' }))
    if (name !== group.name)
      await audit.record(sql, {
        action: 'group.changed',
        ...actorOf(context),
        target: { kind: 'group', id },
        before: { name: group.name },
        after: { name },
      })
  }
  if (externalId !== group.externalId || displayName !== group.displayName) {
    await store.save(sql, context.client.orgId, id, names)
    noteShortened(context, names)
  }
  const { replacesAll, add, remove } = members
  const removed = replacesAll ? (await store.listMemberIds(sql, id)).filter((userId) => !add.has(userId)) : [...remove]
  if (add.size + removed.length > 0) await changeMembers(sql, context, group, { add: [...add], remove: removed })
}

/** Deletes a group; it is in the trash for 30 days. Throws 404. */
export function deleteGroup(context: ScimContext, id: string, check: (version: string) => void): Promise<void> {
  const { client } = context
  return runChange(context, async (sql) => {
    await groups.lock(sql, [id])
    const group = await requireGroup(sql, client.orgId, id, { withMembers: false })
    check(group.version)
    const row = await lists.find(sql, id, null)
    const members = await groups.listMemberIds(sql, id)
    await groups.remove(sql, id)
    if ((row?.roles.length ?? 0) > 0) await users.touch(sql, members.sort())
    await audit.record(sql, {
      action: 'group.deleted',
      ...actorOf(context),
      target: { kind: 'group', id },
      before: { name: group.name, roles: row?.roles ?? [], memberCount: members.length },
    })
    await loseMappings(sql, context, group.externalId, await store.listMemberIds(sql, id))
    context.notes.push('The group is in the trash for 30 days.')
  })
}

/**
 * Locks the users whom a request adds against deletion. Returns those whom the organisation provisions; the others are omitted.
 */
async function lockMembers(sql: Sql, { client, omissions }: ScimContext, { add }: MembersChange): Promise<Set<string>> {
  if (add.size === 0) return add
  const ids = [...add]
  const existing = await users.lockExisting(sql, ids)
  const listed = await provisioned.filterListed(sql, client.orgId, ids)
  const known = new Set(ids.filter((id) => existing.has(id) && listed.has(id)))
  for (const id of ids)
    if (!known.has(id)) omissions.add(`members[value eq "${id}"]`, 'the organisation does not provision this user')
  return known
}

function keepMembers({ add }: MembersChange, known: Set<string>): void {
  for (const id of add) if (!known.has(id)) add.delete(id)
}

/** Reads the names of a group: one that is too long to be displayed is shortened. Throws 400 for a group without a name. */
function readNames({ displayName, externalId }: Resource): store.SavedGroup {
  const name = typeof displayName === 'string' ? fitLine(displayName, maxGroupNameGraphemes) : undefined
  if (name === undefined) throw invalidValue('displayName is required.')
  return { displayName: String(displayName), name, externalId: typeof externalId === 'string' ? externalId : null }
}

function noteShortened({ notes }: ScimContext, { displayName, name }: store.SavedGroup): void {
  if (name !== displayName) notes.push(`The name is returned as sent, and shown as “${name}”.`)
}

async function mapNameConflict(sql: Sql, write: (sql: Sql) => Promise<void>): Promise<void> {
  await savepoint(sql, write).catch((error: unknown) => {
    throw groups.isNameTaken(error) ? nameTaken() : error
  })
}
