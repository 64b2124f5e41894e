import type { RoleChangeQuery } from '@passport/contract/role-effect'
import type { ChangeContext } from '../audit/actor.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Actor, Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { unknownProfiles } from '../http/problems.ts'
import { changeRoles } from '../roles/change.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import { requireVisibleGroup } from './access.ts'
import type { GroupRow } from './list-store.ts'
import * as store from './store.ts'

/** The caller, the preconditions and the options of a change of a group. */
export interface GroupChangeContext<CallerType extends Actor = Caller>
  extends RoleChangeQuery,
    ChangeContext<CallerType> {
  preconditions: Preconditions
}

interface Change<T> {
  /** Finds the group; defaults to `requireVisibleGroup`. */
  find?: typeof requireVisibleGroup
  /** Throws if the caller may not make the change. */
  authorize: (group: GroupRow) => void
  /** Locks the users and roles in the change against concurrent deletion. Throws if one does not exist. */
  lockReferences?: (sql: Sql) => Promise<void>
  /** Finds the users whose roles may change; defaults to none. */
  findAffectedUsers?: (sql: Sql) => Promise<string[]>
  /** Whether the change may affect roles even if the group has none. */
  alwaysChangesRoles?: boolean
  /** Runs with the group locked. */
  run: (sql: Sql, group: GroupRow) => Promise<T>
}

/** Thrown if the group got roles after it was read: the change is retried as a change of roles. */
class RolesGranted extends Error {}

/**
 * Changes a group under a lock. A change that may affect roles, or a preview, runs as a change of roles. Throws what
 * `find` and `authorize` throw, 412, and the errors of `changeRoles`.
 */
export async function changeGroup<T>(
  sql: Sql,
  id: string,
  context: GroupChangeContext<Actor>,
  change: Change<T>,
): Promise<T> {
  const {
    find = requireVisibleGroup,
    authorize,
    lockReferences,
    findAffectedUsers,
    alwaysChangesRoles = false,
    run,
  } = change
  const unlocked = await find(sql, id, context.caller)
  authorize(unlocked)
  const lockAll = async (sql: Sql) => {
    await lockReferences?.(sql)
    await store.lock(sql, [id])
    await recheckCaller(sql, context.caller)
  }
  const runLocked = async (sql: Sql, isGuarded: boolean) => {
    const group = await find(sql, id, context.caller)
    authorize(group)
    if (findAffectedUsers && group.roles.length > 0 && !isGuarded) throw new RolesGranted()
    context.preconditions.check({ etag: group.version })
    return run(sql, group)
  }
  const runGuarded = () =>
    changeRoles(
      sql,
      context,
      async (sql) => {
        await lockAll(sql)
        return findAffectedUsers ? findAffectedUsers(sql) : []
      },
      (sql) => runLocked(sql, true),
    )
  if (alwaysChangesRoles || context.preview || (findAffectedUsers && unlocked.roles.length > 0)) return runGuarded()
  try {
    return await transaction(sql, async (sql) => {
      await lockAll(sql)
      return runLocked(sql, false)
    })
  } catch (error) {
    if (error instanceof RolesGranted) return runGuarded()
    throw error
  }
}

/** Locks the listed users until the transaction ends; throws 400 with the position of each unknown id. */
export async function lockUsers(sql: Sql, lists: Record<string, string[]>): Promise<void> {
  const existing = await users.lockExisting(sql, [...new Set(Object.values(lists).flat())])
  const errors = Object.entries(lists).flatMap(([name, ids]) =>
    ids.flatMap((id, index) =>
      existing.has(id) ? [] : [{ field: `${name}[${index}]`, code: 'not-found', message: 'User not found.' }],
    ),
  )
  if (errors.length > 0) throw unknownProfiles(errors)
}
