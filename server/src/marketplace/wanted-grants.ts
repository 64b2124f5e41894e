import { type EntitlementValue, finalHourAfter, type SubscriptionState } from './state.ts'
import type { MappedDimension } from './subscription-store.ts'

/** A grant that a subscription gives to its organisation. */
export interface WantedGrant {
  entitlementId: string
  /** Null for a flag, and for a metered quantity, which has no limit. */
  quantity: number | null
  startsAt: Date
  endsAt: Date | null
}

const maxQuantity = 2 ** 31 - 1

/**
 * Returns the grants of a subscription: what AWS entitles it to, and the metered dimensions. The grants of a contract end
 * an hour after it expires, so that a renewal that Passport learns of a little later leaves no gap.
 */
export function listWantedGrants(
  { status, startsAt, finalMeteringUntil }: Pick<SubscriptionState, 'status' | 'startsAt' | 'finalMeteringUntil'>,
  dimensions: MappedDimension[],
  entitlements: EntitlementValue[],
): WantedGrant[] {
  if ((status !== 'active' && status !== 'ending') || startsAt === null) return []
  const toGrant = ({ entitlementId }: MappedDimension, quantity: number | null, expiresAt: string | null) => {
    const ends = [expiresAt && finalHourAfter(expiresAt), finalMeteringUntil].filter((end) => end !== null).sort()
    const end = ends[0]
    return { entitlementId, quantity, startsAt: new Date(startsAt), endsAt: end ? new Date(end) : null }
  }
  return dimensions.flatMap((dimension) => {
    const found = entitlements.find((entitlement) => entitlement.dimension === dimension.key)
    if (found && dimension.kind !== 'metered') {
      const quantity = toQuantity(found.value)
      if (quantity === 0) return []
      return [toGrant(dimension, dimension.entitlementKind === 'flag' ? null : quantity, found.expiresAt)]
    }
    return dimension.kind === 'metered' ? [toGrant(dimension, null, null)] : []
  })
}

/** Returns an entitlement's value as a quantity: a flag that is on counts one. */
export function toQuantity(value: EntitlementValue['value']): number {
  if (typeof value === 'number') return Math.max(0, Math.min(Math.floor(value), maxQuantity))
  if (typeof value === 'boolean') return value ? 1 : 0
  return value === null || value === '' || /^(?:false|disabled|no|0)$/i.test(value) ? 0 : 1
}
