import type { OrgRole } from '@passport/contract/orgs'
import type { Sql } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import * as orgs from '../orgs/store.ts'
import { loadAbsentActor } from '../roles/absent-actor.ts'
import * as users from '../users/store.ts'

/**
 * Returns the inviter, a user or an application, with their current roles and organisations; a disabled or deleted
 * inviter has none.
 */
export async function loadInviter(sql: Sql, id: string): Promise<Caller> {
  const user = await users.find(sql, id)
  const isActive = user !== undefined && user.disabledAt === null
  return {
    orgs: isActive ? await orgs.listForUser(sql, id) : [],
    idp: '',
    authTime: '',
    pictureHash: null,
    name: user?.displayName ?? null,
    username: user?.username ?? null,
    email: user?.email ?? null,
    ...(await loadAbsentActor(sql, id)),
  }
}

/**
 * Reports whether a caller may add members with this role to an organisation. Its owners may assign any role, its
 * admins any but owner, and administrators any role in every organisation.
 */
export function canAddMember(caller: Caller, orgId: string, role: OrgRole): boolean {
  if (isAdministrator(caller)) return true
  const ownRole = caller.orgs.find(({ id }) => id === orgId)?.role
  return ownRole === 'owner' || (ownRole === 'admin' && role !== 'owner')
}
