import type { RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import { type Sql, transaction } from '../database/sql.ts'
import { type Doer, isAdministrator } from '../http/caller.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import * as users from '../users/store.ts'
import * as problems from './problems.ts'
import { recheckCallerRoles } from './recheck-caller.ts'
import * as store from './store.ts'

/** The caller of a change of roles, with their confirmations. */
export interface RoleChangeContext extends RoleChangeQuery {
  caller: Omit<Doer, 'orgs'>
  /** Roles that others granted with authority, and that only move from one account to another. */
  transferredRoles?: string[]
}

/**
 * Runs a change after which people may have other roles: of roles, of memberships in groups with roles, of enabled
 * users. A preview rolls back the change itself. Throws 403 `role-not-yours-to-give` for a gain that the caller may not
 * grant, and `role-missing` if the caller has lost a role while waiting. Throws 409 `last-admin` if no active
 * administrator would be left, and 409 `self-demotion` if the caller would no longer be one and has not confirmed it.
 */
export function changeRoles<T>(
  sql: Sql,
  by: RoleChangeContext,
  people: string[] | ((sql: Sql) => Promise<string[]>),
  change: (sql: Sql) => Promise<T>,
): Promise<T> {
  return transaction(sql, async (sql) => {
    await store.lockChanges(sql)
    await recheckCallerRoles(sql, by.caller)
    const administration = await store.readAdministration(sql, by.caller.id)
    const affected = typeof people === 'function' ? await people(sql) : people
    const before = await readHoldings(sql, affected)
    const result = await change(sql)
    const after = await readHoldings(sql, affected)
    const gained = subtract(after.holdings, before.holdings)
    const lost = subtract(before.holdings, after.holdings)
    requireCanGrant(
      by.caller,
      gained.filter(({ role }) => !by.transferredRoles?.includes(role)),
    )
    requireRemainingAdministrator(administration, await store.readAdministration(sql, by.caller.id), by)
    if (by.preview) throw new DryRunRollback(await describeEffect(sql, gained, lost))
    const changedAdministrators = [...gained, ...lost]
      .filter(({ role }) => role === 'Passport.Admin')
      .map(({ userId }) => userId)
    if (changedAdministrators.length > 0) await store.recordAdministrationChange(sql, changedAdministrators)
    await users.touch(sql, findChangedPeople(before.sources, after.sources))
    return result
  })
}

/** Whether the caller may grant a role, directly or through a group: only administrators may. */
export const canGrant = (caller: RoleChangeContext['caller'], _role: string): boolean => isAdministrator(caller)

/** Throws 403 for the first role that the caller may not grant. */
export function requireCanGrant(caller: RoleChangeContext['caller'], roles: { role: string }[]): void {
  const refused = roles.find(({ role }) => !canGrant(caller, role))
  if (refused) throw problems.notGrantable(refused.role)
}

/** Without an active administrator before, as in a new installation, there is nothing to lose. */
function requireRemainingAdministrator(
  before: store.Administration,
  after: store.Administration,
  { preview, confirmSelfDemotion }: RoleChangeContext,
) {
  if (before.isLeft && !after.isLeft) throw problems.lastAdmin()
  const isDemoted = before.isTheirs && !after.isTheirs
  if (isDemoted && !preview && !confirmSelfDemotion) throw problems.selfDemotion()
}

/** Returns the sources of people's roles, and the resulting roles. */
async function readHoldings(sql: Sql, people: string[]) {
  const sources = await store.listSources(sql, people)
  return { sources, holdings: sources.filter((source, at) => !isSame(source, sources[at - 1])) }
}

const isSame = (a: store.Holding, b?: store.Holding) => a.userId === b?.userId && a.role === b.role

/** Returns the people whose role sources changed: their versions must be incremented. */
function findChangedPeople(before: store.Source[], after: store.Source[]): string[] {
  const toKey = ({ userId, role, groupId }: store.Source) => `${userId} ${role} ${groupId}`
  const [keysBefore, keysAfter] = [new Set(before.map(toKey)), new Set(after.map(toKey))]
  const different = [
    ...before.filter((source) => !keysAfter.has(toKey(source))),
    ...after.filter((source) => !keysBefore.has(toKey(source))),
  ]
  return [...new Set(different.map(({ userId }) => userId))].sort()
}

function subtract(holdings: store.Holding[], removed: store.Holding[]): store.Holding[] {
  const known = new Set(removed.map(({ userId, role }) => `${userId} ${role}`))
  return holdings.filter(({ userId, role }) => !known.has(`${userId} ${role}`))
}

const sampleSize = 10

async function describeEffect(sql: Sql, gained: store.Holding[], lost: store.Holding[]): Promise<RoleEffect> {
  const [gains, loses] = [groupByRole(gained), groupByRole(lost)]
  const sampled = [...gains, ...loses].flatMap(([, people]) => people.slice(0, sampleSize))
  const named = new Map((await users.listNames(sql, sampled)).map((person) => [person.id, person]))
  const toEffect = ([role, people]: [string, string[]]) => ({
    role,
    people: people.length,
    sample: people.slice(0, sampleSize).flatMap((id) => named.get(id) ?? []),
  })
  return { gains: gains.map(toEffect), loses: loses.map(toEffect) }
}

function groupByRole(holdings: store.Holding[]): [string, string[]][] {
  const people = Map.groupBy(holdings, ({ role }) => role)
  return [...people]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([role, held]) => [role, held.map(({ userId }) => userId)])
}
