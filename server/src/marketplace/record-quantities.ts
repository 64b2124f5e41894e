import type { Sql } from '../database/sql.ts'
import type { EntitlementValue } from './state.ts'
import type { SubscriptionRow } from './subscription-store.ts'
import * as store from './usage-store.ts'
import { toQuantity } from './wanted-grants.ts'

/**
 * Records what AWS entitles a contract with consumption to, if it differs from before, from the time of the event that
 * reported the change. A new expiry begins a new term.
 */
export async function recordQuantities(
  sql: Sql,
  { id, startsAt, lastEventAt }: Pick<SubscriptionRow, 'id' | 'startsAt' | 'lastEventAt'>,
  entitlements: EntitlementValue[],
  checkedAt: string,
): Promise<void> {
  if (entitlements.length === 0) return
  const known = new Map((await store.listQuantities(sql, [id])).map((one) => [one.dimension, one]))
  for (const { dimension, value, expiresAt } of entitlements) {
    const former = known.get(dimension)
    const quantity = toQuantity(value)
    if (former && former.quantity === quantity && former.expiresAt === expiresAt) continue
    const isEventNew = lastEventAt !== null && lastEventAt <= checkedAt && lastEventAt > (former?.since ?? '')
    const since = former ? (isEventNew ? lastEventAt : checkedAt) : (startsAt ?? lastEventAt ?? checkedAt)
    const termStartsAt = former?.expiresAt === expiresAt ? former.termStartsAt : since
    const current = { subscriptionId: id, dimension, since, quantity, termStartsAt, expiresAt }
    await store.addQuantity(sql, current)
    if (former) await store.recount(sql, current, former.termStartsAt)
  }
}
