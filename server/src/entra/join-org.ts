import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as orgs from '../orgs/store.ts'

/** Adds a user with a new login at the tenant of an organisation to its members. Does nothing for a deleted one. */
export async function joinOrg(sql: Sql, orgId: string, userId: string): Promise<void> {
  const org = await orgs.lock(sql, orgId)
  if (!org) return
  const added = await orgs.addMembers(sql, orgId, [userId], { role: 'member', addedBy: null })
  if (added.length === 0) return
  await audit.record(sql, {
    action: 'org.member-added',
    target: { kind: 'org', id: orgId },
    after: { members: added, role: 'member' },
    reason: 'tenant',
  })
}
