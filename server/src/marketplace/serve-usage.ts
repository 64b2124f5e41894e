import * as api from '@passport/contract/aws-usage'
import { toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import * as problems from './problems.ts'
import * as subscriptions from './subscription-store.ts'
import { summariseUsage } from './summarise-usage.ts'
import { earliestAccepted } from './usage-bounds.ts'
import * as store from './usage-store.ts'

/** What AWS was sent about the usage of subscriptions. */
export const serveUsage: Feature = ({ serve }, { sql }) => {
  serve(api.listAwsSubscriptionUsage, async ({ params: { subscriptionId }, query }) => {
    await requireSubscription(subscriptionId)
    const { dimension, state, from, to, limit } = query
    const filter = { subscriptionId, dimension, state, from, to }
    const rows = await store.list(sql, filter, limit + 1, decodeInstantCursor(query.after))
    const path = api.listAwsSubscriptionUsage.path.replace('{subscriptionId}', subscriptionId)
    return toCursorPage({ path, query, rows, cursorOf: ({ hour, dimension }) => [hour, dimension] })
  })

  serve(api.getAwsUsageSummary, async ({ params: { subscriptionId }, query }) =>
    summariseUsage(sql, await requireSubscription(subscriptionId), Number(query.days)),
  )

  serve(api.retryAwsUsage, ({ params: { subscriptionId }, caller, visit }) =>
    transaction(sql, async (sql) => {
      await requireSubscription(subscriptionId)
      const hours = await store.retryRefused(sql, subscriptionId, earliestAccepted(Date.now()))
      await audit.record(sql, {
        action: 'aws-subscription.usage-retried',
        ...toActorFields({ caller, visit }),
        target: { kind: 'aws-subscription', id: subscriptionId },
        before: { refusedHours: hours },
        after: { waitingHours: hours },
      })
      return { hours }
    }),
  )

  async function requireSubscription(id: string): Promise<subscriptions.SubscriptionRow> {
    const found = await subscriptions.find(sql, id)
    if (!found) throw problems.subscriptionNotFound()
    return found
  }
}
