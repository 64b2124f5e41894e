import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as events from './event-store.ts'
import * as problems from './problems.ts'
import * as subscriptions from './subscription-store.ts'
import { refresh, unparkEventsOf } from './subscriptions.ts'

/**
 * Gives an unmatched or failed event to a subscription, whose state follows. An agreement that the subscription lacks
 * becomes its own, so that its other events are found. Throws 404, and 409 for an applied event or another licence.
 */
export function assignEvent(
  sql: Sql,
  { eventId, subscriptionId }: { eventId: string; subscriptionId: string },
  context: ChangeContext,
): Promise<events.EventRow> {
  return transaction(sql, async (sql) => {
    await events.lockMatching(sql)
    const event = await events.find(sql, eventId)
    if (!event) throw problems.eventNotFound()
    const [row] = await subscriptions.lockAll(sql, [subscriptionId])
    if (!row) throw problems.subscriptionNotFound()
    if (event.licenseKey !== null && event.licenseKey !== row.licenseKey) throw problems.eventOfOtherLicense()
    if (!(await events.assign(sql, eventId, subscriptionId))) throw problems.eventApplied()
    if (row.agreementId === null && event.agreementId !== null) {
      const { contactEmail, note } = row
      await subscriptions.writeFields(sql, row.id, { agreementId: event.agreementId, contactEmail, note })
    }
    const rows = await refresh(sql, [subscriptionId], { actor: context.caller.id, hasNewEvents: true })
    if (await unparkEventsOf(sql, rows)) await events.wake(sql)
    await subscriptions.requestChecksOf(sql, [subscriptionId])
    await events.wake(sql)
    await audit.record(sql, {
      action: 'aws-event.assigned',
      ...toActorFields(context),
      target: { kind: 'aws-event', id: eventId },
      before: { subscriptionId: event.subscriptionId, status: event.status },
      after: { subscriptionId, status: 'applied', event: event.eventId, type: event.detailType },
    })
    return { ...event, subscriptionId, status: 'applied', error: null }
  })
}
