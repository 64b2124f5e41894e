import type { AuditRetention } from '@passport/contract/audit'
import { type Sql, transaction } from '../database/sql.ts'
import { type ChangeContext, toActorFields } from './actor.ts'
import * as store from './store.ts'

/** Sets the retention period of audit events. */
export function changeRetention(sql: Sql, { days }: AuditRetention, context: ChangeContext): Promise<AuditRetention> {
  return transaction(sql, async (sql) => {
    const before = await store.setRetention(sql, days)
    if (before.days !== days)
      await store.record(sql, {
        action: 'audit.retention-changed',
        ...toActorFields(context),
        target: { kind: 'audit', id: 'retention' },
        before: { ...before },
        after: { days },
      })
    return { days }
  })
}
