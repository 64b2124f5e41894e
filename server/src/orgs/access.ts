import type { OrgRole } from '@passport/contract/orgs'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import * as store from './store.ts'

/** What someone may do in an organisation: what their role there says, or everything. */
export type Standing = OrgRole | 'administrator'

export const noSuchOrg = (): Problem => new Problem(404, 'org-not-found', 'There is no such organisation.')

/** Owners and admins run their organisation, administrators every one. */
export const runs = (standing: Standing): boolean => standing !== 'member'

/**
 * What the caller may do in an organisation, as the database has it now: a write asks inside its transaction. Throws 404
 * where they are no part of it, as where there is none.
 */
export async function standingIn(sql: Sql, caller: Caller, orgId: string): Promise<Standing> {
  if (caller.roles.has('Passport.Admin') && caller.session) return 'administrator'
  const [member] = await store.rolesIn(sql, orgId, [caller.id])
  if (!member) throw noSuchOrg()
  return member.role
}

/** Like `standingIn`; throws 403 where they belong to it and do not run it. */
export async function refuseToRun(sql: Sql, caller: Caller, orgId: string): Promise<Standing> {
  const standing = await standingIn(sql, caller, orgId)
  if (runs(standing)) return standing
  throw new Problem(403, 'org-not-yours-to-run', 'Its owners and admins may do that.')
}

/** Throws 403 where a role is given or taken that only owners give and take. */
export function refuseToHandle(standing: Standing, roles: OrgRole[]): void {
  if (standing === 'owner' || standing === 'administrator' || !roles.includes('owner')) return
  throw new Problem(403, 'owner-not-yours-to-make', 'Only owners make owners, and only they remove them.')
}
