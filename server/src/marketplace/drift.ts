import { type AwsDrift, maxCompared } from '@passport/contract/aws-events'
import type { Services } from '../feature.ts'
import { describeAgreement } from './aws.ts'
import * as store from './subscription-store.ts'
import { readEntitlements } from './subscriptions.ts'
import { toQuantity } from './wanted-grants.ts'

/** AWS allows ten calls a second. */
const atOnce = 5

/**
 * Compares the entitlements and agreements of subscriptions that have access with those at AWS, and changes nothing. A subscription
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
          const [entitlements, agreement] = await Promise.all([
            readEntitlements(services, row),
            row.agreementId === null ? undefined : describeAgreement(services, row.agreementId),
          ])
          differences.push(...compareAgreements(row, agreement), ...compare(row, entitlements))
        } catch (error) {
          services.log.warn({ err: error, subscription: row.id }, 'aws-drift-unknown')
          failed += 1
        }
      }),
    )
  return { checkedAt, compared: rows.length - failed, failed, differences }
}

type Entitlements = Awaited<ReturnType<typeof readEntitlements>>

/** Statuses of an agreement by which access ends. */
const endedStatuses = new Set(['CANCELLED', 'EXPIRED', 'TERMINATED', 'ROLLED_BACK'])

function compareAgreements(
  { id, agreementStatus, lastCheckedAt }: store.SubscriptionRow,
  atAws: { status: string } | undefined,
): AwsDrift['differences'] {
  if (!atAws || atAws.status === agreementStatus) return []
  const takesAccess = endedStatuses.has(atAws.status)
  return [
    {
      subscriptionId: id,
      field: 'agreement',
      passport: agreementStatus,
      aws: atAws.status,
      since: lastCheckedAt,
      takesAccess,
    },
  ]
}

function compare(
  { id, snapshot, lastCheckedAt: since }: store.SubscriptionRow,
  atAws: Entitlements,
): AwsDrift['differences'] {
  const formatOf = (entitlements: Entitlements, key: string) => {
    const found = entitlements.find(({ dimension }) => dimension === key)
    return found ? `${found.value}${found.expiresAt ? ` until ${found.expiresAt}` : ''}` : null
  }
  const quantityOf = (entitlements: Entitlements, key: string) =>
    toQuantity(entitlements.find(({ dimension }) => dimension === key)?.value ?? null)
  const keys = new Set([...snapshot, ...atAws].map(({ dimension }) => dimension))
  return [...keys].sort().flatMap((key) => {
    const [passport, aws] = [formatOf(snapshot, key), formatOf(atAws, key)]
    if (passport === aws) return []
    const takesAccess = quantityOf(atAws, key) < quantityOf(snapshot, key)
    return [{ subscriptionId: id, field: `entitlements.${key}`, passport, aws, since, takesAccess }]
  })
}
