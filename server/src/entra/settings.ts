import { isDeepStrictEqual } from 'node:util'
import { type EntraMapping, maxMappings } from '@passport/contract/org-entra'
import type { FieldError } from '@passport/contract/problem'
import type { RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as groupLists from '../groups/list-store.ts'
import * as groups from '../groups/store.ts'
import type { Preconditions } from '../http/conditional.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles, requireCanGrant } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import * as claims from './claims-store.ts'
import { lockConnection } from './create.ts'
import { requireMayAdmit } from './enable.ts'
import { runWithGroupEffect } from './group-effect.ts'
import { filterOwnMappings } from './own-groups.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

type SettingsContext = ChangeContext &
  RoleChangeQuery & {
    preconditions: Preconditions
    /** Replaces only mappings to groups of the organisation, without roles, and accepts no others. */
    isOwnGroupsOnly?: true
  }

/**
 * Replaces the mappings and the guest setting of a tenant, and applies the mappings to its users. Throws 400
 * `mapping-invalid`, 403 for a role that the caller may not grant, also one of guests who may sign in again, 404, 409 `group-carries-role`, and 412.
 */
export async function replaceSettings(
  sql: Sql,
  orgId: string,
  settings: store.Settings,
  { preview, confirmSelfDemotion, isOwnGroupsOnly, ...context }: SettingsContext,
): Promise<void> {
  let groupEffect: RoleEffect['groups']
  const findUsers = (sql: Sql) => claims.listUsers(sql, orgId)
  const replace = async (sql: Sql) => {
    const before = await lockConnection(sql, orgId, context)
    context.preconditions.check({ etag: String(before.version) })
    const own = isOwnGroupsOnly ? await filterOwnMappings(sql, orgId, before.mappings) : before.mappings
    const kept = before.mappings.filter((mapping) => !own.includes(mapping as (typeof own)[number]))
    if (isOwnGroupsOnly) await requireOwnGroups(sql, orgId, settings.mappings)
    const mappings = withoutDuplicates([...kept, ...settings.mappings])
    if (mappings.length > maxMappings) throw problems.tooManyMappings()
    const after = { allowGuests: settings.allowGuests, mappings }
    if (isDeepStrictEqual(after, { allowGuests: before.allowGuests, mappings: before.mappings })) return
    // Guests who have roles can use them again.
    if (before.signInEnabled && after.allowGuests && !before.allowGuests) await requireMayAdmit(sql, orgId, context)
    await requireTargets(sql, isOwnGroupsOnly ? withoutDuplicates(settings.mappings) : mappings, context)
    await store.setSettings(sql, orgId, after)
    await orgs.touch(sql, orgId)
    await audit.record(sql, {
      action: 'org.entra-changed',
      ...toActorFields(context),
      target: { kind: 'org', id: orgId },
      before: toAudited(before),
      after: toAudited(after),
    })
    if (!preview) return applyMappings(sql, orgId)
    const groupIds = [...before.mappings, ...mappings].flatMap(({ groupId }) => groupId ?? [])
    const affected = { groupIds: [...new Set(groupIds)], userIds: await findUsers(sql) }
    groupEffect = await runWithGroupEffect(sql, affected, () => applyMappings(sql, orgId))
  }
  try {
    await changeRoles(sql, { preview, confirmSelfDemotion, caller: context.caller }, findUsers, replace)
  } catch (error) {
    if (!(error instanceof DryRunRollback) || !groupEffect) throw error
    throw new DryRunRollback({ ...error.effect, groups: groupEffect })
  }
}

/** Returns the mappings with their members in one order, so that equal ones compare equal. */
function withoutDuplicates(mappings: EntraMapping[]): EntraMapping[] {
  const ordered = mappings.map(({ groupObjectId, appRole, groupId, role }) => ({
    ...(groupObjectId !== undefined && { groupObjectId }),
    ...(appRole !== undefined && { appRole }),
    ...(groupId !== undefined && { groupId }),
    ...(role !== undefined && { role }),
  }))
  return [...new Map(ordered.map((mapping) => [JSON.stringify(mapping), mapping])).values()]
}

/** Throws 400 for a mapping whose target is no group of the organisation, or a group with a role. */
async function requireOwnGroups(sql: Sql, orgId: string, mappings: EntraMapping[]): Promise<void> {
  await groups.lock(
    sql,
    mappings.flatMap(({ groupId }) => groupId ?? []),
  )
  const own = new Set(await filterOwnMappings(sql, orgId, mappings))
  const errors = mappings.flatMap((mapping, index): FieldError[] =>
    own.has(mapping as EntraMapping & { groupId: string })
      ? []
      : [
          {
            field: `mappings[${index}].groupId`,
            code: 'not-found',
            message: 'Must be a group of this organisation, without roles.',
          },
        ],
  )
  if (errors.length > 0) throw problems.invalidMappings(errors)
}

/**
 * Throws unless every target exists, and is neither a built-in role nor a group with one: a tenant never decides who
 * administers this server. Groups and roles stay locked until the transaction ends.
 */
async function requireTargets(sql: Sql, mappings: EntraMapping[], { caller }: SettingsContext): Promise<void> {
  const groupIds = [...new Set(mappings.flatMap(({ groupId }) => groupId ?? []))]
  const roleNames = [...new Set(mappings.flatMap(({ role }) => role ?? []))]
  await groups.lock(sql, groupIds)
  const known = new Map((await groupLists.listWithRoles(sql, groupIds)).map((group) => [group.id, group]))
  const knownRoles = await roles.lockExisting(sql, roleNames)
  const builtIn = new Set(
    await roles.filterBuiltIn(sql, [...roleNames, ...[...known.values()].flatMap((group) => group.roles)]),
  )
  const invalid = mappings.flatMap(({ groupId, role }, index): FieldError[] => {
    const [groupField, roleField] = [`mappings[${index}].groupId`, `mappings[${index}].role`]
    if (groupId !== undefined && !known.has(groupId))
      return [{ field: groupField, code: 'not-found', message: 'Group not found.' }]
    if (role !== undefined && !knownRoles.has(role))
      return [{ field: roleField, code: 'not-found', message: `The role ${role} does not exist.` }]
    if (role !== undefined && builtIn.has(role))
      return [{ field: roleField, code: 'role-built-in', message: `The role ${role} is built in.` }]
    return []
  })
  if (invalid.length > 0) throw problems.invalidMappings(invalid)
  const carrying = mappings.flatMap(({ groupId = '' }, index): FieldError[] => {
    const group = known.get(groupId)
    const role = group?.roles.find((name) => builtIn.has(name))
    const message = `${group?.name} has the built-in role ${role}, so it cannot be the target of a mapping.`
    return role ? [{ field: `mappings[${index}].groupId`, code: 'group-carries-role', message }] : []
  })
  if (carrying.length > 0) throw problems.groupCarriesRole(carrying)
  requireCanGrant(
    caller,
    [...roleNames, ...[...known.values()].flatMap((group) => group.roles)].map((role) => ({ role })),
  )
}

/** Returns the settings for the audit log: the targets of each group and app role of the tenant. */
function toAudited({ allowGuests, mappings }: store.Settings): audit.JsonObject {
  const bySource = Map.groupBy(mappings, ({ groupObjectId, appRole }) => groupObjectId ?? `app role ${appRole}`)
  return {
    allowGuests,
    mappings: Object.fromEntries(
      [...bySource].map(([source, all]) => [
        source,
        { groups: all.flatMap(({ groupId }) => groupId ?? []), roles: all.flatMap(({ role }) => role ?? []) },
      ]),
    ),
  }
}
