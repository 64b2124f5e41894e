import type { RoleChangeQuery } from '@passport/contract/role-effect'
import type { By as Doing } from '../audit/actor.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller, Doer } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { changeRoles } from '../roles/change.ts'
import { refuseFormer } from '../roles/former.ts'
import * as users from '../users/store.ts'
import { seen } from './access.ts'
import type { GroupRow } from './listing.ts'
import * as store from './store.ts'

/** Who changes a group, and on what conditions. */
export interface By<Who extends Doer = Caller> extends RoleChangeQuery, Doing<Who> {
  preconditions: Preconditions
}

interface Change<T> {
  /** How the group is found; `seen` unless told. */
  find?: typeof seen
  /** Throws where the caller may not. */
  allow: (group: GroupRow) => void
  /** People who are named in it, and must not be deleted meanwhile. Throws for one who is not there. */
  hold?: (sql: Sql) => Promise<void>
  /** Whose roles it may change; nobody's unless told. */
  concerns?: (sql: Sql) => Promise<string[]>
  /** Whether it changes roles even of a group that carries none. */
  alwaysGuarded?: boolean
  /** Runs with the group locked. */
  run: (sql: Sql, group: GroupRow) => Promise<T>
}

/** Thrown where a group got roles after it was looked at: then the change has to run as a change of roles. */
class GotRoles extends Error {}

/**
 * Changes a group, locked, and only where the caller's conditions hold. What may change who has which role, or is only
 * tried, runs as a change of roles.
 */
export async function changeGroup<T>(sql: Sql, id: string, by: By<Doer>, change: Change<T>): Promise<T> {
  const { find = seen, allow, hold, concerns, alwaysGuarded = false, run } = change
  const found = await find(sql, id, by.caller)
  allow(found)
  const lockAll = async (sql: Sql) => {
    await hold?.(sql)
    await store.lock(sql, [id])
    await refuseFormer(sql, by.caller)
  }
  const runLocked = async (sql: Sql, isGuarded: boolean) => {
    const group = await find(sql, id, by.caller)
    allow(group)
    if (concerns && group.roles.length > 0 && !isGuarded) throw new GotRoles()
    by.preconditions.check({ etag: group.version })
    return run(sql, group)
  }
  const guarded = () =>
    changeRoles(
      sql,
      by,
      async (sql) => {
        await lockAll(sql)
        return concerns ? concerns(sql) : []
      },
      (sql) => runLocked(sql, true),
    )
  if (alwaysGuarded || by.preview || (concerns && found.roles.length > 0)) return guarded()
  try {
    return await transaction(sql, async (sql) => {
      await lockAll(sql)
      return runLocked(sql, false)
    })
  } catch (error) {
    if (error instanceof GotRoles) return guarded()
    throw error
  }
}

/** Holds the people of some lists until the transaction ends; throws 400 that names each who is not there by its place. */
export async function holdPeople(sql: Sql, lists: Record<string, string[]>): Promise<void> {
  const there = await users.hold(sql, [...new Set(Object.values(lists).flat())])
  const errors = Object.entries(lists).flatMap(([name, ids]) =>
    ids.flatMap((id, at) =>
      there.has(id) ? [] : [{ field: `${name}[${at}]`, code: 'not-found', message: 'No such profile.' }],
    ),
  )
  if (errors.length > 0) throw new Problem(400, 'unknown-profiles', 'Somebody named is not there.', { errors })
}
