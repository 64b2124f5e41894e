import { type AwsDrift, maxCompared } from '@passport/contract/aws-events'
import type { Services } from '../feature.ts'
import * as store from './subscription-store.ts'
import { readEntitlements } from './subscriptions.ts'

/** AWS allows ten calls a second. */
const atOnce = 5

/**
 * Compares the entitlements of subscriptions that have access with those at AWS, and changes nothing. A subscription
 * that AWS gives no answer about is counted, and the others are still compared.
 */
export async function findDrift(services: Services): Promise<AwsDrift> {
  const checkedAt = new Date().toISOString()
  const rows = await store.listCompared(services.sql, maxCompared)
  const differences: AwsDrift['differences'] = []
  let failed = 0
  for (let start = 0; start < rows.length; start += atOnce)
    await Promise.all(
      rows.slice(start, start + atOnce).map(async (row) => {
        try {
          differences.push(...compare(row, await readEntitlements(services, row)))
        } catch (error) {
          services.log.warn({ err: error, subscription: row.id }, 'aws-drift-unknown')
          failed += 1
        }
      }),
    )
  return { checkedAt, compared: rows.length - failed, failed, differences }
}

type Entitlements = Awaited<ReturnType<typeof readEntitlements>>

function compare({ id, snapshot }: store.SubscriptionRow, atAws: Entitlements): AwsDrift['differences'] {
  const formatOf = (entitlements: Entitlements, key: string) => {
    const found = entitlements.find(({ dimension }) => dimension === key)
    return found ? `${found.value}${found.expiresAt ? ` until ${found.expiresAt}` : ''}` : null
  }
  const keys = new Set([...snapshot, ...atAws].map(({ dimension }) => dimension))
  return [...keys].sort().flatMap((key) => {
    const [passport, aws] = [formatOf(snapshot, key), formatOf(atAws, key)]
    return passport === aws ? [] : [{ subscriptionId: id, field: `entitlements.${key}`, passport, aws }]
  })
}
