import type { AwsUsageSummary, DimensionUsage } from '@passport/contract/aws-usage'
import type { Sql } from '../database/sql.ts'
import * as reported from '../entitlements/usage-store.ts'
import * as products from './product-store.ts'
import type { SubscriptionRow } from './subscription-store.ts'
import { earliestAccepted } from './usage-bounds.ts'
import * as store from './usage-store.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** Adds up the usage of a subscription in the last days: by hour for one day, else by day. */
export async function summariseUsage(
  sql: Sql,
  { id, productId }: Pick<SubscriptionRow, 'id' | 'productId'>,
  days: number,
): Promise<AwsUsageSummary> {
  const step = days === 1 ? 'hour' : 'day'
  const stepMs = step === 'hour' ? hourMs : dayMs
  const steps = step === 'hour' ? 24 : days
  const lastMs = Math.floor(Date.now() / stepMs) * stepMs
  const instants = Array.from({ length: steps }, (_, index) =>
    new Date(lastMs - (steps - 1 - index) * stepMs).toISOString(),
  )
  const from = instants[0] ?? new Date(lastMs).toISOString()
  const [product, buckets, quantities, last, open, refusals, nextAttemptAt] = await Promise.all([
    products.find(sql, productId),
    store.sumBuckets(sql, id, { from, step }),
    store.listQuantities(sql, [id]),
    store.listTermUsage(sql, id),
    reported.sumUnmetered(sql, id),
    store.listRefusals(sql, id, { from, earliest: earliestAccepted(Date.now()) }),
    store.findNextAttempt(sql, id),
  ])
  const metered = (product?.dimensions ?? []).filter(({ kind }) => kind !== 'entitled')
  // A dimension that was removed from the product keeps its usage.
  const removed = [...new Set(buckets.map(({ dimension }) => dimension))]
    .filter((key) => metered.every((dimension) => dimension.key !== key))
    .map((key) => ({ key, unit: null, entitlement: null, kind: 'metered' as const }))
  const dimensions = [...metered, ...removed].map(({ key, unit, entitlement, kind }): DimensionUsage => {
    const own = new Map(buckets.filter(({ dimension }) => dimension === key).map((bucket) => [bucket.at, bucket]))
    const rows = instants.map((at) => toBucket(at, own.get(at)))
    const entitled = kind === 'both' ? quantities.findLast(({ dimension }) => dimension === key) : undefined
    const termUsage = last.find(({ dimension }) => dimension === key)
    return {
      dimension: key,
      unit,
      entitlement: entitlement && { id: entitlement.id, key: entitlement.key, name: entitlement.name },
      used: sum(rows, 'used'),
      billed: sum(rows, 'billed'),
      included: sum(rows, 'included'),
      waiting: sum(rows, 'waiting'),
      refused: sum(rows, 'refused'),
      overMetered: [...own.values()].reduce((total, { overMetered }) => total + overMetered, 0),
      open: open.find(({ entitlementId }) => entitlementId === entitlement?.id)?.quantity ?? 0,
      term: entitled
        ? {
            startsAt: entitled.termStartsAt,
            endsAt: entitled.expiresAt,
            quantity: entitled.quantity,
            used: termUsage?.termStartsAt === entitled.termStartsAt ? termUsage.termUsed : 0,
          }
        : null,
      buckets: rows,
    }
  })
  return { from, step, dimensions, refusals, nextAttemptAt }
}

type Bucket = DimensionUsage['buckets'][number]

/** What is neither billed, waiting nor refused was paid in advance. */
function toBucket(at: string, bucket: store.UsageBucket | undefined): Bucket {
  const { used = 0 } = bucket ?? {}
  const [billed, waiting, refused] = [bucket?.billed ?? 0, bucket?.waiting ?? 0, bucket?.refused ?? 0]
  return { at, used, billed, included: Math.max(0, used - billed - waiting - refused), waiting, refused }
}

const sum = (rows: Bucket[], name: Exclude<keyof Bucket, 'at'>) => rows.reduce((total, row) => total + row[name], 0)
