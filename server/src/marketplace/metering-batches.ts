import type { UsageRecord } from './aws.ts'
import type { ClaimedHour } from './usage-store.ts'

/** The limits of AWS for a call. The size has a reserve for the rest of the request. */
export const maxRecords = 25
export const maxBytes = 1_000_000

/** The hours of one call: of one product, identified in one way. */
export interface Batch {
  /** That of an older listing; undefined where licences identify the buyers. */
  productCode: string | undefined
  hours: ClaimedHour[]
}

/** Divides hours into calls of one product, of at most 25 records and less than 1 MB each. */
export function toBatches(hours: ClaimedHour[]): Batch[] {
  const groups = Map.groupBy(hours, ({ productId, licenseArn }) => `${licenseArn === null} ${productId}`)
  return [...groups.values()].flatMap((group) => {
    const productCode = group[0]?.licenseArn === null ? group[0].productCode : undefined
    return split(group).map((hours) => ({ productCode, hours }))
  })
}

function split(hours: ClaimedHour[]): ClaimedHour[][] {
  const parts: ClaimedHour[][] = []
  let bytes = 0
  for (const hour of hours) {
    const size = Buffer.byteLength(JSON.stringify(toRecord(hour)))
    const last = parts.at(-1)
    if (last && last.length < maxRecords && bytes + size <= maxBytes) {
      last.push(hour)
      bytes += size
    } else {
      parts.push([hour])
      bytes = size
    }
  }
  return parts
}

/** Returns the record of an hour. Its time is the start of the hour, or that of the subscription if it is later. */
export function toRecord({
  hour,
  startsAt,
  dimension,
  quantity,
  licenseArn,
  customerAwsAccountId: accountId,
  customerIdentifier,
}: ClaimedHour): UsageRecord {
  const isFirstHour = startsAt !== null && startsAt > hour && startsAt.slice(0, 13) === hour.slice(0, 13)
  const legacyBuyer = customerIdentifier === null ? { accountId } : { customerIdentifier }
  const buyer = licenseArn === null ? legacyBuyer : { licenseArn, accountId }
  return { timestamp: new Date(isFirstHour ? startsAt : hour), buyer, dimension, quantity }
}
