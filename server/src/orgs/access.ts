import type { OrgRole } from '@passport/contract/orgs'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import * as store from './store.ts'

/** What someone may do in an organisation: what their role there says, or everything. */
type Standing = OrgRole | 'administrator'

interface Entered {
  org: store.OrgRow
  standing: Standing
}

export const noSuchOrg = (): Problem => new Problem(404, 'org-not-found', 'There is no such organisation.')

/**
 * An organisation and what the caller may do in it, as the database has it now: a write asks inside its transaction.
 * Throws 404 where they are no part of it, as where there is none.
 */
export async function enter(sql: Sql, caller: Caller, orgId: string): Promise<Entered> {
  const found = await store.findFor(sql, orgId, caller.id)
  if (!found) throw noSuchOrg()
  const { callerRole, ...org } = found
  if (caller.roles.has('Passport.Admin')) return { org, standing: 'administrator' }
  if (!callerRole) throw noSuchOrg()
  return { org, standing: callerRole }
}

/** Like `enter`, for owners, admins and administrators; throws 403 where the caller belongs to it and does not run it. */
export async function enterToRun(sql: Sql, caller: Caller, orgId: string): Promise<Entered> {
  const entered = await enter(sql, caller, orgId)
  if (entered.standing !== 'member') return entered
  throw new Problem(403, 'org-not-yours-to-run', 'Its owners and admins may do that.')
}

/** Throws 403 where a role is given or taken that only owners give and take. */
export function refuseToHandle(standing: Standing, roles: OrgRole[]): void {
  if (standing === 'owner' || standing === 'administrator' || !roles.includes('owner')) return
  throw new Problem(403, 'owner-not-yours-to-make', 'Only owners make owners, and only they remove them.')
}
