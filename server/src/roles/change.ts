import type { RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import { type Sql, transaction } from '../database/sql.ts'
import type { Doer } from '../http/caller.ts'
import { Previewed } from '../http/previewed.ts'
import { Problem } from '../http/problem.ts'
import * as users from '../users/store.ts'
import { refuseFormerRoles } from './former.ts'
import * as store from './store.ts'

/** Who changes roles, and what they said of it. */
export interface By extends RoleChangeQuery {
  caller: Pick<Doer, 'id' | 'roles'>
  /** Roles that others gave when they might, and that only pass from one account to another. */
  passedOn?: string[]
}

/**
 * Runs a change after which some of the people may have other roles: of roles, of memberships in groups that carry
 * some, of who is enabled. A preview is the change itself, undone. Throws 403 `role-not-yours-to-give` where someone
 * gains what the caller may not give and `role-missing` where the caller was shut out meanwhile, 409 `last-admin`
 * where nobody could run the console any more, and 409 `self-demotion` where the caller could not, unless they said
 * that they mean it.
 */
export function changeRoles<T>(
  sql: Sql,
  by: By,
  people: string[] | ((sql: Sql) => Promise<string[]>),
  change: (sql: Sql) => Promise<T>,
): Promise<T> {
  return transaction(sql, async (sql) => {
    await store.lockChanges(sql)
    await refuseFormerRoles(sql, by.caller)
    const administration = await store.administration(sql, by.caller.id)
    const concerned = typeof people === 'function' ? await people(sql) : people
    const before = await holdingsOf(sql, concerned)
    const result = await change(sql)
    const after = await holdingsOf(sql, concerned)
    const gained = without(after.holdings, before.holdings)
    const lost = without(before.holdings, after.holdings)
    refuseToGive(
      by.caller,
      gained.filter(({ role }) => !by.passedOn?.includes(role)),
    )
    refuseToLoseAdministration(administration, await store.administration(sql, by.caller.id), by)
    if (by.preview) throw new Previewed(await effectOf(sql, gained, lost))
    const turned = [...gained, ...lost].filter(({ role }) => role === 'Passport.Admin').map(({ userId }) => userId)
    if (turned.length > 0) await store.noteAdministration(sql, turned)
    await users.touch(sql, differing(before.sources, after.sources))
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

/** Where nobody could run the console before, as in a new installation, there is nothing to lose. */
function refuseToLoseAdministration(
  before: store.Administration,
  after: store.Administration,
  { preview, confirmSelfDemotion }: By,
) {
  if (before.isLeft && !after.isLeft)
    throw new Problem(
      409,
      'last-admin',
      'Nobody could run the console any more. Make someone else an administrator first.',
    )
  const isDemoted = before.isTheirs && !after.isTheirs
  if (isDemoted && !preview && !confirmSelfDemotion)
    throw new Problem(409, 'self-demotion', 'You would not be an administrator any more. Confirm that you mean it.')
}

/** What gives people roles, and what they have by it. */
async function holdingsOf(sql: Sql, people: string[]) {
  const sources = await store.sourcesOf(sql, people)
  return { sources, holdings: sources.filter((one, at) => !isSame(one, sources[at - 1])) }
}

const isSame = (one: store.Holding, other?: store.Holding) => one.userId === other?.userId && one.role === other.role

/** Those who have roles by something else than before: a version of them that was read is an older one now. */
function differing(before: store.Source[], after: store.Source[]): string[] {
  const told = ({ userId, role, groupId }: store.Source) => `${userId} ${role} ${groupId}`
  const [was, is] = [new Set(before.map(told)), new Set(after.map(told))]
  const different = [...before.filter((one) => !is.has(told(one))), ...after.filter((one) => !was.has(told(one)))]
  return [...new Set(different.map(({ userId }) => userId))].sort()
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
