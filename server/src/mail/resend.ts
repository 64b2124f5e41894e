import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as store from './store.ts'

/** Queues failed emails again, with an audit event for each. Of concurrent calls, one queues an email. */
export function resend(sql: Sql, ids: string[], context: ChangeContext) {
  return transaction(sql, async (sql) => {
    const queued = await store.requeue(sql, ids)
    // Even if another call was first: the delivery has skipped its emails while this one waited for their rows.
    await store.startDelivery(sql)
    if (queued.length > 0)
      await audit.recordAll(
        sql,
        queued.map(({ id, kind, recipient, failure }) => ({
          action: 'mail.resent',
          ...toActorFields(context),
          target: { kind: 'mail', id },
          before: { state: 'failed', response: failure },
          after: { state: 'queued', kind, email: recipient },
        })),
      )
    const resent = new Set(queued.map(({ id }) => id))
    return { resent: [...resent], skipped: ids.filter((id) => !resent.has(id)) }
  })
}
