import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as grantStore from './grant-store.ts'

/** Null for the system. */
type ActorId = string | null

/**
 * Makes the grants of subscriptions equal to those wanted, in the caller's transaction, which must have locked the
 * subscriptions: adds, changes, and closes the others. Takes one statement, and a second one for the audit events of
 * changes; ledger and audit log have no entry if nothing changes.
 */
export async function applyAllSubscriptionGrants(
  sql: Sql,
  items: grantStore.SubscriptionGrants[],
  actor: ActorId,
): Promise<void> {
  if (items.length === 0) return
  const applied = await grantStore.applySubscriptions(sql, items, actor)
  if (applied.length === 0) return
  await audit.recordAll(
    sql,
    applied.map(({ action, id, entitlementId, org, orgId, subscriptionId, before, after }) => {
      const names = { grant: id, org: org ?? orgId, orgId, subscription: subscriptionId }
      return {
        action: `entitlement.${action}` as const,
        actorId: actor,
        target: { kind: 'entitlement', id: entitlementId },
        ...(before && { before: { ...names, ...before } }),
        after: { ...names, ...after },
      }
    }),
  )
}

/** Like `applyAllSubscriptionGrants`, for one subscription. */
export const applySubscriptionGrants = (
  sql: Sql,
  { actor, ...item }: grantStore.SubscriptionGrants & { actor: ActorId },
): Promise<void> => applyAllSubscriptionGrants(sql, [item], actor)
