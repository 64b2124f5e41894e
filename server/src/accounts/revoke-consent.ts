import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import * as provider from '../provider/store.ts'
import * as store from './consent-store.ts'
import * as problems from './problems.ts'

/** Revokes a consent, and every token issued under it. Throws 404. */
export function revokeConsent(sql: Sql, userId: string, id: string, visit: Visit): Promise<void> {
  return transaction(sql, async (sql) => {
    const removed = await store.remove(sql, userId, id)
    if (!removed) throw problems.consentNotFound()
    await provider.endGrantsForClient(sql, userId, removed.clientId)
    await audit.record(sql, {
      action: 'grant.revoked',
      actorId: userId,
      target: { kind: 'user', id: userId },
      before: { client: removed.clientId, scopes: removed.scopes.join(' ') },
      visit,
    })
  })
}
