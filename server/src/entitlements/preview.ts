import type { EntitlementKind, GrantEffect } from '@passport/contract/entitlements'
import type { Sql } from '../database/sql.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import * as store from './effective-store.ts'

interface PreviewedChange {
  entitlement: { id: string; kind: EntitlementKind }
  /** The only organisation that the change concerns; null for all. */
  orgId: string | null
  /** Now, and the starts and ends of the grants before and after the change. Past ones and null are ignored. */
  now: string
  moments: (string | null)[]
}

/** The most organisations that a preview lists in each direction. */
const maxListed = 200

/**
 * Runs a change of grants in a transaction. With `isPreview`, rolls it back by throwing `DryRunRollback` with the
 * organisations that would have more or less, each at the first moment with a difference.
 */
export async function previewGrants<T>(
  sql: Sql,
  isPreview: boolean | undefined,
  { entitlement, orgId, now, moments }: PreviewedChange,
  change: () => Promise<T>,
): Promise<T> {
  if (!isPreview) return change()
  const later = moments.filter((moment) => moment !== null && moment > now)
  const all = [...new Set([now, ...later])].sort() as string[]
  const before = await store.listValues(sql, entitlement.id, all, orgId)
  await change()
  const after = await store.listValues(sql, entitlement.id, all, orgId)
  throw new DryRunRollback<GrantEffect>(compareValues(entitlement.kind, before, after))
}

/** Compares the values of an entitlement, each organisation at the first moment with a difference. */
export function compareValues(kind: EntitlementKind, before: store.ValueRow[], after: store.ValueRow[]): GrantEffect {
  const keyOf = ({ orgId, moment }: store.ValueRow) => `${orgId} ${moment}`
  const [from, to] = [before, after].map((rows) => new Map(rows.map((row) => [keyOf(row), row.value])))
  const toValue = (value: number) => (kind === 'flag' || !Number.isFinite(value) ? value > 0 : value)
  const changes = new Map<string, { change: number; effect: GrantEffect['gains'][number] }>()
  for (const row of [...before, ...after].sort((a, b) => (a.moment < b.moment ? -1 : 1))) {
    const [old, value] = [from?.get(keyOf(row)) ?? 0, to?.get(keyOf(row)) ?? 0]
    if (old === value || changes.has(row.orgId)) continue
    const org = { id: row.orgId, name: row.orgName }
    const effect = { org, people: row.people, from: toValue(old), to: toValue(value), at: row.moment }
    changes.set(row.orgId, { change: value - old, effect })
  }
  const pick = (isPicked: (change: number) => boolean) =>
    [...changes.values()].flatMap(({ change, effect }) => (isPicked(change) ? effect : [])).slice(0, maxListed)
  return { gains: pick((change) => change > 0), loses: pick((change) => change < 0) }
}
