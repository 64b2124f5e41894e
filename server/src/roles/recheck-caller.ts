import type { Sql } from '../database/sql.ts'
import type { Actor } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { notSignedIn, roleMissing } from '../http/problems.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

type RecheckedCaller = Pick<Actor, 'id' | 'roles'>

/** The caller is no longer authorized, for this change or any other. */
export class CallerNoLongerAuthorized extends Problem {
  constructor({ status, code, message, ...options }: Problem) {
    super(status, code, message, options)
  }
}

/**
 * A caller may lose their authorization while waiting for a lock, so a change rechecks it once it has its locks. Throws
 * 403 `role-missing` if they lost a role, and 401 if they have no roles and are disabled or deleted.
 */
export async function recheckCaller(sql: Sql, caller: RecheckedCaller): Promise<void> {
  if (caller.id === null) return
  if (caller.roles.size > 0) return recheckCallerRoles(sql, caller)
  const user = await users.find(sql, caller.id)
  if (!user || user.disabledAt !== null) throw new CallerNoLongerAuthorized(notSignedIn())
}

/** Like `recheckCaller`, for roles alone; disabled users have none. */
export async function recheckCallerRoles(sql: Sql, { id, roles }: RecheckedCaller): Promise<void> {
  if (id === null || roles.size === 0) return
  const currentRoles = await store.listActiveRoles(sql, id)
  const lost = [...roles].find((role) => !currentRoles.has(role))
  if (lost) throw new CallerNoLongerAuthorized(roleMissing(lost))
}
