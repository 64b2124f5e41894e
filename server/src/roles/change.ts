import type { RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import { type Sql, transaction } from '../database/sql.ts'
import { type Actor, canGive } from '../http/caller.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import * as orgs from '../orgs/store.ts'
import * as users from '../users/store.ts'
import * as problems from './problems.ts'
import { recheckCallerRoles } from './recheck-caller.ts'
import * as store from './store.ts'

/** The caller and the options of a change of roles. */
export interface RoleChangeContext extends RoleChangeQuery {
  caller: Omit<Actor, 'orgs'>
  /** Roles that were granted before and move from another account of the user: the caller need not be able to grant them. */
  transferredRoles?: string[]
}

/**
 * Runs a change that may affect the effective roles of users: of role members, of members and owners of groups that grant
 * roles, or of enabled users. A preview is rolled back by throwing `DryRunRollback`. What users gain is compared, however
 * they gain it; a further source of a role is a gain, since it outlasts the others. Throws 403 `role-not-yours-to-give` for
 * a gain that the caller may not grant, and 401 `reauthentication-required` for any gain, also of the ownership of an
 * organisation, unless the caller authenticated recently. Throws 403 `role-missing` if the caller lost a role while waiting for the lock. Throws 409 `last-admin` if no
 * active administrator would be left, and 409 `self-demotion` if the caller would no longer be one and has not confirmed it.
 */
export function changeRoles<T>(
  sql: Sql,
  context: RoleChangeContext,
  userIds: string[] | ((sql: Sql) => Promise<string[]>),
  change: (sql: Sql) => Promise<T>,
): Promise<T> {
  return transaction(sql, async (sql) => {
    await store.lockChanges(sql)
    await recheckCallerRoles(sql, context.caller)
    const stateBefore = await store.readAdministratorState(sql, context.caller.id)
    const affected = typeof userIds === 'function' ? await userIds(sql) : userIds
    const before = await readUserRoles(sql, affected)
    const powersBefore = await store.listPowers(sql, affected)
    const ownedBefore = await orgs.listOwnerships(sql, affected)
    const result = await change(sql)
    const after = await readUserRoles(sql, affected)
    requireMayGive(context, [
      ...findGains(powersBefore, await store.listPowers(sql, affected)),
      ...subtractSources(after.sources, before.sources),
    ])
    if (findGains(ownedBefore, await orgs.listOwnerships(sql, affected)).length > 0)
      requireRecentAuthentication(context.caller)
    const gained = subtract(after.userRoles, before.userRoles)
    const lost = subtract(before.userRoles, after.userRoles)
    requireRemainingAdministrator(stateBefore, await store.readAdministratorState(sql, context.caller.id), context)
    if (context.preview) throw new DryRunRollback(await describeEffect(sql, gained, lost))
    const changedAdministrators = [...gained, ...lost]
      .filter(({ role }) => role === 'Passport.Admin')
      .map(({ userId }) => userId)
    if (changedAdministrators.length > 0) await store.recordAdministrationChange(sql, changedAdministrators)
    await users.touch(sql, findChangedUsers(before.sources, after.sources))
    return result
  })
}

/**
 * Returns what users have now and did not have before. Enabling a user with a role is a gain, and so is a role for a
 * disabled user, or one that a group in the trash gives once it is restored, and likewise an organisation.
 */
function findGains<T extends store.Power | orgs.Ownership>(before: T[], after: T[]): T[] {
  const keyOf = ({ isActive: _active, isInTrash: _inTrash, ...power }: T) => JSON.stringify(power)
  const ranks = new Map(before.map((power) => [keyOf(power), rankOf(power)]))
  return after.filter((power) => rankOf(power) > (ranks.get(keyOf(power)) ?? 0))
}

/** Returns how close a power is to being used: 3 for one that the user has now. */
const rankOf = ({ isActive, isInTrash }: Pick<store.Power, 'isActive' | 'isInTrash'>): number =>
  isInTrash ? 1 : isActive ? 3 : 2

/** Throws 403 for a gain that the caller may not grant, and 401 for any gain if the caller authenticated too long ago. */
export function requireMayGive(
  { caller, transferredRoles = [] }: Pick<RoleChangeContext, 'caller' | 'transferredRoles'>,
  gains: { role: string }[],
): void {
  requireCanGrant(
    caller,
    gains.filter(({ role }) => !transferredRoles.includes(role)),
  )
  if (gains.length > 0) requireRecentAuthentication(caller)
}

/**
 * Throws like `changeRoles` unless the caller may give what an account has: the account has no login yet, and the change
 * decides who gets it.
 */
export async function requireMayHandOver(sql: Sql, caller: RoleChangeContext['caller'], userId: string): Promise<void> {
  requireMayGive({ caller }, await store.listPowers(sql, [userId]))
  if ((await orgs.listOwnerships(sql, [userId])).length > 0) requireRecentAuthentication(caller)
}

/** Reports whether the caller may grant a role, directly or through a group: only administrators may. */
export const canGrant = canGive

/** Throws 403 for the first role that the caller may not grant. */
export function requireCanGrant(caller: RoleChangeContext['caller'], roles: { role: string }[]): void {
  const rejected = roles.find(({ role }) => !canGrant(caller, role))
  if (rejected) throw problems.notGrantable(rejected.role)
}

/**
 * Throws 409 `last-admin` or `self-demotion`. Allows any change if there was no active administrator before, as in a new
 * installation.
 */
function requireRemainingAdministrator(
  before: store.AdministratorState,
  after: store.AdministratorState,
  { preview, confirmSelfDemotion }: RoleChangeContext,
) {
  if (before.hasAdministrator && !after.hasAdministrator) throw problems.lastAdmin()
  const isDemoted = before.includesUser && !after.includesUser
  if (isDemoted && !preview && !confirmSelfDemotion) throw problems.selfDemotion()
}

/** Returns the effective roles of users, and all sources of these roles. */
async function readUserRoles(sql: Sql, userIds: string[]) {
  const sources = await store.listSources(sql, userIds)
  return { sources, userRoles: sources.filter((source, index) => !isSameRole(source, sources[index - 1])) }
}

const isSameRole = (a: store.UserRole, b?: store.UserRole) => a.userId === b?.userId && a.role === b.role

/** Returns the ids of the users whose role sources changed. */
function findChangedUsers(before: store.Source[], after: store.Source[]): string[] {
  const different = [...subtractSources(before, after), ...subtractSources(after, before)]
  return [...new Set(different.map(({ userId }) => userId))].sort()
}

function subtractSources(sources: store.Source[], removed: store.Source[]): store.Source[] {
  const toKey = ({ userId, role, groupId }: store.Source) => `${userId} ${role} ${groupId}`
  const removedKeys = new Set(removed.map(toKey))
  return sources.filter((source) => !removedKeys.has(toKey(source)))
}

function subtract(userRoles: store.UserRole[], removed: store.UserRole[]): store.UserRole[] {
  const removedKeys = new Set(removed.map(({ userId, role }) => `${userId} ${role}`))
  return userRoles.filter(({ userId, role }) => !removedKeys.has(`${userId} ${role}`))
}

const sampleSize = 10

async function describeEffect(sql: Sql, gained: store.UserRole[], lost: store.UserRole[]): Promise<RoleEffect> {
  const [gains, loses] = [groupByRole(gained), groupByRole(lost)]
  const sampled = [...gains, ...loses].flatMap(([, userIds]) => userIds.slice(0, sampleSize))
  const names = await users.listNames(sql, sampled)
  const usersById = new Map(names.map(({ id, name }) => [id, { id, name }]))
  const toEffect = ([role, userIds]: [string, string[]]) => ({
    role,
    people: userIds.length,
    sample: userIds.slice(0, sampleSize).flatMap((id) => usersById.get(id) ?? []),
  })
  return { gains: gains.map(toEffect), loses: loses.map(toEffect) }
}

function groupByRole(userRoles: store.UserRole[]): [string, string[]][] {
  return [...Map.groupBy(userRoles, ({ role }) => role)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([role, members]) => [role, members.map(({ userId }) => userId)])
}
