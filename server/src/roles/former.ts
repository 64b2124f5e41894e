import type { Sql } from '../database/sql.ts'
import type { Doer } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

type Who = Pick<Doer, 'id' | 'roles'>

/** The caller may not go on, with this change or any other. */
export class NoLongerTheirs extends Problem {}

/**
 * Whoever waited for others' changes may have lost by one of them what let them in: asked once a change has its locks.
 * Throws 403 `role-missing` where they lost a role, and 401 where they have none and are disabled or deleted.
 */
export async function refuseFormer(sql: Sql, caller: Who): Promise<void> {
  if (caller.id === null) return
  if (caller.roles.size > 0) return refuseFormerRoles(sql, caller)
  const person = await users.find(sql, caller.id)
  if (!person || person.disabledAt !== null) throw new NoLongerTheirs(401, 'not-signed-in', 'Sign in first.')
}

/** Like `refuseFormer` for the roles alone; whoever is disabled has none. */
export async function refuseFormerRoles(sql: Sql, { id, roles }: Who): Promise<void> {
  if (id === null || roles.size === 0) return
  const now = await store.rolesOfEnabled(sql, id)
  const lost = [...roles].find((role) => !now.has(role))
  if (lost) throw new NoLongerTheirs(403, 'role-missing', `Needs the role ${lost}.`)
}
