import type { RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import { type Sql, transaction } from '../database/sql.ts'
import type { Doer } from '../http/caller.ts'
import { Previewed } from '../http/previewed.ts'
import { Problem } from '../http/problem.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/** Who changes roles, and what they said of it. */
export interface By extends RoleChangeQuery {
  caller: Pick<Doer, 'id' | 'roles'>
}

/**
 * Runs a change after which some of the people may have other roles: of roles, of memberships in groups that carry
 * some, of who is enabled. A preview is the change itself, undone. Throws 403 `role-not-yours-to-give` where someone
 * gains what the caller may not give, 409 `last-admin` where nobody could run the console any more, and 409
 * `self-demotion` where the caller could not, unless they said that they mean it.
 */
export function changeRoles<T>(
  sql: Sql,
  by: By,
  people: string[] | ((sql: Sql) => Promise<string[]>),
  change: (sql: Sql) => Promise<T>,
): Promise<T> {
  return transaction(sql, async (sql) => {
    await store.lockChanges(sql)
    const concerned = typeof people === 'function' ? await people(sql) : people
    const before = await store.holdingsOf(sql, concerned)
    const isRun = by.caller.id !== null || (await store.administration(sql, null)).isLeft
    const result = await change(sql)
    const after = await store.holdingsOf(sql, concerned)
    const [gained, lost] = [without(after, before), without(before, after)]
    refuseToGive(by.caller, gained)
    if (isRun) await refuseToLoseAdministration(sql, by)
    if (by.preview) throw new Previewed(await effectOf(sql, gained, lost))
    const turned = [...gained, ...lost].filter(({ role }) => role === 'Passport.Admin').map(({ userId }) => userId)
    if (turned.length > 0) await store.noteAdministration(sql, turned)
    return result
  })
}

/** Whether someone may give a role, themselves or by a group that carries it: administrators give roles, nobody else. */
export const mayGive = (caller: By['caller'], _role: string): boolean => caller.roles.has('Passport.Admin')

/** Throws 403 for the first of the roles that is not the caller's to give. */
export function refuseToGive(caller: By['caller'], roles: { role: string }[]): void {
  const refused = roles.find(({ role }) => !mayGive(caller, role))
  if (refused) throw new Problem(403, 'role-not-yours-to-give', `The role ${refused.role} is not yours to give.`)
}

async function refuseToLoseAdministration(sql: Sql, { caller, preview, confirmSelfDemotion }: By) {
  const { isLeft, isTheirs } = await store.administration(sql, caller.id)
  if (!isLeft)
    throw new Problem(
      409,
      'last-admin',
      'Nobody could run the console any more. Make someone else an administrator first.',
    )
  const isDemoted = caller.id !== null && caller.roles.has('Passport.Admin') && !isTheirs
  if (isDemoted && !preview && !confirmSelfDemotion)
    throw new Problem(409, 'self-demotion', 'You would not be an administrator any more. Confirm that you mean it.')
}

function without(some: store.Holding[], others: store.Holding[]): store.Holding[] {
  const known = new Set(others.map(({ userId, role }) => `${userId} ${role}`))
  return some.filter(({ userId, role }) => !known.has(`${userId} ${role}`))
}

const sampleSize = 10

async function effectOf(sql: Sql, gained: store.Holding[], lost: store.Holding[]): Promise<RoleEffect> {
  const [gains, loses] = [byRole(gained), byRole(lost)]
  const sampled = [...gains, ...loses].flatMap(([, people]) => people.slice(0, sampleSize))
  const named = new Map((await users.namesOf(sql, sampled)).map((person) => [person.id, person]))
  const told = ([role, people]: [string, string[]]) => ({
    role,
    people: people.length,
    sample: people.slice(0, sampleSize).flatMap((id) => named.get(id) ?? []),
  })
  return { gains: gains.map(told), loses: loses.map(told) }
}

function byRole(holdings: store.Holding[]): [string, string[]][] {
  const people = Map.groupBy(holdings, ({ role }) => role)
  return [...people]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([role, held]) => [role, held.map(({ userId }) => userId)])
}
