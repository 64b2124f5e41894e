import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { give } from './give.ts'
import { lockOpen } from './send.ts'

/**
 * Lets the one who took an invitation have what it gives: now in the right of the administrator who says so. Throws
 * 409 `claimant-changed` where another has taken it since, and `claimant-gone` where they cannot come in any more.
 */
export function confirm(
  sql: Sql,
  id: string,
  userId: string,
  { caller, visit, preview }: { caller: Caller; visit: Visit } & RoleChangeQuery,
): Promise<void> {
  return transaction(sql, async (sql) => {
    const invitation = await lockOpen(sql, id)
    if (invitation.claimedBy !== userId)
      throw new Problem(409, 'claimant-changed', 'It is not this person who waits to be confirmed. Look again.')
    await roles.lockChanges(sql)
    const claimant = await users.lock(sql, userId)
    if (!claimant || claimant.disabledAt !== null)
      throw new Problem(409, 'claimant-gone', 'Their account is disabled or deleted.')
    await give(sql, invitation, {
      userId,
      giver: caller,
      actorId: caller.id,
      action: 'invitation.confirmed',
      visit,
      preview,
    })
  })
}
