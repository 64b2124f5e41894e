import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { grantInvitation } from './grant.ts'
import * as problems from './problems.ts'
import { lockOpen } from './send.ts'

/**
 * Confirms the claimant of an invitation, with the rights of the confirming administrator. Throws 409
 * `claimant-changed` if another user has claimed it since, and `claimant-gone` if the claimant can no longer sign in.
 */
export function confirm(
  sql: Sql,
  id: string,
  userId: string,
  { caller, visit, preview }: { caller: Caller; visit: Visit } & RoleChangeQuery,
): Promise<void> {
  return transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    const invitation = await lockOpen(sql, id)
    if (invitation.claimedBy !== userId) throw problems.claimantChanged()
    const claimant = await users.lock(sql, userId)
    if (!claimant || claimant.disabledAt !== null) throw problems.claimantGone()
    await grantInvitation(sql, invitation, {
      userId,
      granter: caller,
      actorId: caller.id,
      action: 'invitation.confirmed',
      visit,
      preview,
    })
  })
}
