import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import type { OrgRole } from './store.ts'

/** The one who invited, with the rights that they have now: none where they are disabled or gone. */
export async function inviterNow(sql: Sql, id: string): Promise<Caller> {
  const user = await users.find(sql, id)
  const isActive = user !== undefined && user.disabledAt === null
  return {
    id,
    roles: new Set(isActive ? await roles.namesOf(sql, id) : []),
    orgs: isActive ? await orgs.listOf(sql, id) : [],
    idp: '',
    authTime: '',
    name: user?.displayName ?? null,
    username: user?.username ?? null,
    email: user?.email ?? null,
  }
}

/**
 * Whether someone may bring people into an organisation as what they are to be there: its owners may, its admins
 * but for owners, and administrators into any.
 */
export const mayBringInto = (caller: Caller, orgId: string, as: OrgRole): boolean =>
  caller.roles.has('Passport.Admin') ||
  caller.orgs.some(({ id, role }) => id === orgId && (role === 'owner' || (role === 'admin' && as !== 'owner')))
