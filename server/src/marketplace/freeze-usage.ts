import { closingMinutes } from '@passport/contract/entitlement-usage'
import { maxQuantity } from '@passport/contract/entitlements'
import { type Sql, transaction } from '../database/sql.ts'
import * as usage from '../entitlements/usage-store.ts'
import { billExcess } from './billed-quantity.ts'
import * as store from './usage-store.ts'

const hourMs = 60 * 60 * 1000

/** Closes hours early whose subscriptions end: AWS accepts their usage only for a short time. */
export function closeEnding(sql: Sql): Promise<void> {
  return transaction(sql, async (sql) => {
    const ids = await store.takeEnding(sql)
    if (ids.length > 0) await usage.closeHoursOf(sql, ids)
  })
}

/**
 * Takes at most `limit` closed hours over for metering: decides their dimension and what is billed, which never changes
 * afterwards. Returns whether there may be more. Only one process does so at a time.
 */
export function freezeUsage(sql: Sql, limit: number): Promise<boolean> {
  return transaction(sql, async (sql) => {
    if (!(await store.lockMetering(sql))) return false
    const closed = await usage.lockUnmetered(sql, limit)
    if (closed.length === 0) return false
    const ids = [...new Set(closed.map(({ subscriptionId }) => subscriptionId))]
    const dimensions = new Map(
      (await store.listDimensions(sql, ids)).map((one) => [keyOf(one.subscriptionId, one.entitlementId), one]),
    )
    const isMetered = ({ pricingModel }: store.MeteredDimension) =>
      pricingModel === 'subscription' || pricingModel === 'contract-with-consumption'
    const metered = closed.flatMap((row) => {
      const dimension = dimensions.get(keyOf(row.subscriptionId, row.entitlementId))
      return dimension && isMetered(dimension) ? [{ ...row, ...dimension }] : []
    })
    const { hours, waiting } = await countHours(sql, metered)
    if (hours.length > 0) await store.addHours(sql, hours)
    const taken = closed.filter(({ id }) => !waiting.has(id))
    await usage.markMetered(
      sql,
      taken.map(({ id }) => id),
    )
    return closed.length === limit && taken.length > 0
  })
}

type MeteredUsage = usage.ClosedUsage & store.MeteredDimension

const keyOf = (first: string, second: string) => `${first} ${second}`
const meterOf = ({ subscriptionId, dimension }: store.Meter) => keyOf(subscriptionId, dimension)

/**
 * Adds up usage by meter and hour. Usage of an hour that was counted before, as when a subscription moves to another
 * organisation, counts in the next hour, or waits until that is closed. So does usage of a contract that is older than
 * the last counted hour, because the hours of a term are counted in order.
 */
async function countHours(
  sql: Sql,
  rows: MeteredUsage[],
): Promise<{ hours: store.FrozenHour[]; waiting: Set<string> }> {
  const meters = [...Map.groupBy(rows, meterOf).values()]
  const last = new Map(
    (
      await store.listLastHours(
        sql,
        meters.flatMap(([row]) => row ?? []),
      )
    ).map((one) => [keyOf(one.subscriptionId, one.dimension), one]),
  )
  const contracts = meters.flatMap(([row]) => (row && row.pricingModel !== 'subscription' ? [row.subscriptionId] : []))
  const quantities = Map.groupBy(contracts.length > 0 ? await store.listQuantities(sql, contracts) : [], meterOf)
  const isEarlier = (row: MeteredUsage) => row.hour <= (last.get(meterOf(row))?.hour ?? '')
  const earlier = rows.filter(isEarlier)
  const counted = new Set(
    (earlier.length > 0 ? await store.listCounted(sql, earlier) : []).map((one) => `${meterOf(one)} ${one.hour}`),
  )
  const isLate = (row: MeteredUsage) =>
    isEarlier(row) && (row.pricingModel !== 'subscription' || counted.has(`${meterOf(row)} ${row.hour}`))
  const waiting = new Set<string>()
  const hours: store.FrozenHour[] = []
  for (const meterRows of meters) {
    const [{ subscriptionId, dimension, kind, pricingModel } = {} as MeteredUsage] = meterRows
    let before: (store.LastHour | store.FrozenHour) | undefined = last.get(keyOf(subscriptionId, dimension))
    for (const [hour, used] of assignHours(meterRows, { isLate, lastHour: before?.hour ?? '' }, waiting)) {
      const entitled = kind === 'both' ? (quantities.get(keyOf(subscriptionId, dimension)) ?? []) : []
      const billed =
        pricingModel === 'subscription'
          ? { quantity: used, termStartsAt: null, termUsed: 0 }
          : billExcess({ hour, used }, before, entitled)
      const isIncluded = pricingModel !== 'subscription' && billed.quantity === 0
      const frozen = { subscriptionId, dimension, hour, used, ...billed, status: isIncluded ? 'included' : 'pending' }
      hours.push(frozen as store.FrozenHour)
      before = frozen as store.FrozenHour
    }
  }
  return { hours, waiting }
}

/** Returns the quantities of a meter by hour, oldest first; adds the ids of usage that has no hour yet to `waiting`. */
function assignHours(
  rows: MeteredUsage[],
  { isLate, lastHour }: { isLate: (row: MeteredUsage) => boolean; lastHour: string },
  waiting: Set<string>,
): [string, number][] {
  const closedMs = Date.now() - hourMs - closingMinutes * 60_000
  const newestClosed = new Date(Math.floor(closedMs / hourMs) * hourMs).toISOString()
  const sums = new Map<string, number>()
  for (const row of rows) {
    const target = isLate(row) ? newestClosed : row.hour
    const sum = (sums.get(target) ?? 0) + row.quantity
    if ((isLate(row) && newestClosed <= lastHour) || sum > maxQuantity) waiting.add(row.id)
    else sums.set(target, sum)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
}
