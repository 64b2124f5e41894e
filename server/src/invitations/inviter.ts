import type { Sql } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import type { OrgRole } from './store.ts'

/** Returns the inviter with their current rights: none if they are disabled or deleted. */
export async function loadInviter(sql: Sql, id: string): Promise<Caller> {
  const user = await users.find(sql, id)
  const isActive = user !== undefined && user.disabledAt === null
  return {
    id,
    roles: new Set(isActive ? await roles.listNames(sql, id) : []),
    orgs: isActive ? await orgs.listForUser(sql, id) : [],
    idp: '',
    authTime: '',
    name: user?.displayName ?? null,
    username: user?.username ?? null,
    email: user?.email ?? null,
    isAbsent: true,
  }
}

/**
 * Whether a caller may add people to an organisation with this role: owners may add any, admins all but owners, and
 * administrators any to every organisation.
 */
export const canAddMember = (caller: Caller, orgId: string, as: OrgRole): boolean =>
  isAdministrator(caller) ||
  caller.orgs.some(({ id, role }) => id === orgId && (role === 'owner' || (role === 'admin' && as !== 'owner')))
