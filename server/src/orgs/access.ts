import type { OrgRole } from '@passport/contract/orgs'
import type { Sql } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** The authority of the caller in an organisation: the role there, or that of an administrator. */
type Authority = OrgRole | 'administrator'

interface OrgAccess {
  org: store.OrgRow
  authority: Authority
}

/**
 * Returns an organisation and the authority of the caller, read from the database: a change calls it inside its
 * transaction. Throws 404 if the caller is not a member, as for a missing organisation.
 */
export async function requireAccess(sql: Sql, caller: Caller, orgId: string): Promise<OrgAccess> {
  const orgWithRole = await store.findWithRole(sql, orgId, caller.id)
  if (!orgWithRole) throw problems.orgNotFound()
  const { callerRole, ...org } = orgWithRole
  if (isAdministrator(caller)) return { org, authority: 'administrator' }
  if (!callerRole) throw problems.orgNotFound()
  return { org, authority: callerRole }
}

/** Like `requireAccess`, for owners, admins and administrators; throws 403 for plain members. */
export async function requireManager(sql: Sql, caller: Caller, orgId: string): Promise<OrgAccess> {
  const access = await requireAccess(sql, caller, orgId)
  if (access.authority !== 'member') return access
  throw problems.notManager()
}

/** Throws 403 if one of the roles is owner, and the caller is neither an owner nor an administrator. */
export function requireCanChangeRoles(authority: Authority, roles: OrgRole[]): void {
  if (authority === 'owner' || authority === 'administrator' || !roles.includes('owner')) return
  throw problems.notOwner()
}
