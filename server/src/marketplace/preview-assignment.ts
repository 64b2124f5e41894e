import type { AssignmentEffect } from '@passport/contract/aws-subscriptions'
import type { Sql } from '../database/sql.ts'
import * as effective from '../entitlements/effective-store.ts'
import { compareValues } from '../entitlements/preview.ts'
import * as entitlements from '../entitlements/store.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import type { SubscriptionRow } from './subscription-store.ts'

/** Later than the change: grants that it ends have ended then. */
const settledMs = 60_000

/**
 * Runs the assignment of a subscription in a transaction. With `isPreview`, rolls it back by throwing `DryRunRollback`
 * with the totals of both organisations that would change.
 */
export async function previewAssignment<T>(
  sql: Sql,
  isPreview: boolean | undefined,
  { row, orgId }: { row: SubscriptionRow; orgId: string },
  assign: () => Promise<T>,
): Promise<T> {
  if (!isPreview) return assign()
  const ids = [...new Set(row.dimensions.map(({ entitlementId }) => entitlementId))]
  const moment = new Date(Date.now() + settledMs).toISOString()
  const orgIds = new Set([row.orgId, orgId])
  const readValues = async () => {
    const values = await Promise.all(ids.map((id) => effective.listValues(sql, id, [moment], null)))
    return values.map((rows) => rows.filter((value) => orgIds.has(value.orgId)))
  }
  const before = await readValues()
  await assign()
  const after = await readValues()
  const named = new Map((await entitlements.listNames(sql, ids)).map((entitlement) => [entitlement.id, entitlement]))
  const effects = ids.map((id, index) => {
    const { kind = 'flag', ...entitlement } = named.get(id) ?? { id, key: id, name: id }
    const { gains, loses } = compareValues(kind, before[index] ?? [], after[index] ?? [])
    const toChange = ({ at: _, ...change }: (typeof gains)[number]) => ({ entitlement, ...change })
    return { gains: gains.map(toChange), loses: loses.map(toChange) }
  })
  throw new DryRunRollback<AssignmentEffect>({
    gains: effects.flatMap(({ gains }) => gains),
    loses: effects.flatMap(({ loses }) => loses),
  })
}
