import { randomUUID } from 'node:crypto'
import {
  type Agreement,
  AwsError,
  findAgreement,
  findProduct,
  type Market,
  type MeteredRecord,
  type SellerProduct,
} from './market.ts'

/** AWSMPMeteringService.ResolveCustomer. */
export function resolveCustomer(market: Market, { RegistrationToken: token }: { RegistrationToken?: unknown }) {
  if (typeof token !== 'string' || token === '')
    throw new AwsError('ValidationException', 'RegistrationToken is empty.')
  const issued = market.tokens.find((candidate) => candidate.token === token)
  if (!issued) throw new AwsError('InvalidTokenException', 'Registration token is invalid.')
  if (Date.parse(issued.expiresAt) <= Date.now())
    throw new AwsError('ExpiredTokenException', 'Registration token has expired.')
  const agreement = findAgreement(market, issued.agreementId)
  const product = findProduct(market, agreement.productCode)
  const { accountId, customerIdentifier, licenseArn, id } = agreement
  return {
    ProductCode: product.code,
    CustomerAWSAccountId: accountId,
    ...(product.legacy ? { CustomerIdentifier: customerIdentifier } : { LicenseArn: licenseArn }),
    Metadata: { AgreementId: id },
  }
}

interface UsageRecord {
  Timestamp?: unknown
  CustomerIdentifier?: unknown
  CustomerAWSAccountId?: unknown
  LicenseArn?: unknown
  Dimension?: unknown
  Quantity?: unknown
  UsageAllocations?: { AllocatedUsageQuantity?: unknown; Tags?: { Key?: unknown; Value?: unknown }[] }[]
}

const maxRecords = 25
const maxQuantity = 2_147_483_647
const maxAllocations = 2500
const maxTags = 5
const hourMs = 3_600_000

const invalid = (message: string) => new AwsError('ValidationException', `1 validation error detected: ${message}`)

/** AWSMPMeteringService.BatchMeterUsage. One invalid record fails the whole batch. */
export function batchMeterUsage(market: Market, input: { UsageRecords?: unknown; ProductCode?: unknown }) {
  const { UsageRecords: records, ProductCode: productCode } = input
  if (!Array.isArray(records)) throw invalid("Value null at 'usageRecords' failed to satisfy constraint")
  if (records.length > maxRecords) throw invalid(`'usageRecords' has more than ${maxRecords} members`)
  const products = new Set<SellerProduct>()
  const checked = records.map((record: UsageRecord) => {
    const agreement = findMetered(market, record, productCode)
    const product = findProduct(market, agreement.productCode)
    products.add(product)
    if (products.size > 1) throw new AwsError('InvalidLicenseException', 'The records are for several products.')
    checkRecord(record, product)
    return { record, agreement }
  })
  return {
    Results: checked.map(({ record, agreement }) => ({ UsageRecord: record, ...meter(market, record, agreement) })),
    UnprocessedRecords: [],
  }
}

/** Returns the agreement that a record is for, by its licence or, for older products, by its customer. */
function findMetered(market: Market, record: UsageRecord, productCode: unknown): Agreement {
  const { CustomerIdentifier: customer, CustomerAWSAccountId: accountId, LicenseArn: licenseArn } = record
  if ((customer === undefined) === (accountId === undefined))
    throw new AwsError('InvalidCustomerIdentifierException', 'Use CustomerIdentifier or CustomerAWSAccountId.')
  // AWS would bill twice.
  if (licenseArn !== undefined && productCode !== undefined)
    throw new AwsError('InvalidProductCodeException', 'ProductCode must be absent with LicenseArn.')
  const isCustomer = (agreement: Agreement) =>
    customer === undefined ? agreement.accountId === accountId : agreement.customerIdentifier === customer
  if (licenseArn === undefined) {
    if (market.products.every(({ code }) => code !== productCode))
      throw new AwsError('InvalidProductCodeException', 'The product code is invalid.')
    const found = market.agreements.findLast(
      (candidate) => candidate.productCode === productCode && isCustomer(candidate),
    )
    if (!found) throw new AwsError('InvalidCustomerIdentifierException', 'The customer has no such product.')
    return found
  }
  const agreement = market.agreements.find((candidate) => candidate.licenseArn === licenseArn)
  if (!agreement) throw new AwsError('InvalidLicenseException', 'The license is invalid.')
  if (!isCustomer(agreement))
    throw new AwsError('InvalidCustomerIdentifierException', 'The license belongs to another customer.')
  return agreement
}

function checkRecord(record: UsageRecord, product: SellerProduct) {
  const { Timestamp: timestamp, Dimension: key, Quantity: quantity = 0, UsageAllocations: allocations } = record
  if (typeof timestamp !== 'number') throw invalid("Value null at 'timestamp' failed to satisfy constraint")
  if (!isInBounds(timestamp * 1000, Date.now()))
    throw new AwsError('TimestampOutOfBoundsException', 'The timestamp is out of bounds.')
  if (!product.dimensions.some((dimension) => dimension.key === key && dimension.kind !== 'entitled'))
    throw new AwsError('InvalidUsageDimensionException', `The dimension ${String(key)} is invalid.`)
  if (!isQuantity(quantity)) throw invalid(`'quantity' must be an integer from 0 to ${maxQuantity}`)
  if (allocations) checkAllocations(allocations, quantity)
}

const isQuantity = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxQuantity

/** Reports whether a time is in the last 24 h, and in this month from 06:00 UTC of its first day. */
export function isInBounds(timestampMs: number, nowMs: number): boolean {
  const now = new Date(nowMs)
  const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const isLastMonthClosed = nowMs >= monthStart + 6 * hourMs
  return timestampMs <= nowMs && timestampMs >= nowMs - 24 * hourMs && !(isLastMonthClosed && timestampMs < monthStart)
}

function checkAllocations(allocations: NonNullable<UsageRecord['UsageAllocations']>, quantity: number) {
  if (allocations.length < 1 || allocations.length > maxAllocations)
    throw invalid(`'usageAllocations' must have 1 to ${maxAllocations} members`)
  let sum = 0
  const tagSets = new Set<string>()
  for (const { AllocatedUsageQuantity: allocated, Tags: tags = [] } of allocations) {
    if (!isQuantity(allocated)) throw invalid('an allocated quantity is invalid')
    if (tags.length > maxTags || new Set(tags.map(({ Key }) => Key)).size < tags.length)
      throw new AwsError('InvalidTagException', `An allocation has more than ${maxTags} tags, or a key twice.`)
    tagSets.add(JSON.stringify(tags.map(({ Key, Value }) => [Key, Value]).sort()))
    sum += allocated
  }
  if (sum !== quantity || tagSets.size < allocations.length)
    throw new AwsError('InvalidUsageAllocationsException', 'The allocations must have different tags and add up.')
}

/** Accepts a record. The first quantity of an hour counts; another one is not billed. */
function meter(market: Market, record: UsageRecord, { licenseArn, accountId, ...agreement }: Agreement) {
  const isOver = agreement.endedAt !== null && Date.parse(agreement.endedAt) + hourMs < Date.now()
  if (agreement.deprovisioned || isOver) return { Status: 'CustomerNotSubscribed' }
  const quantity = (record.Quantity ?? 0) as number
  const dimension = String(record.Dimension)
  const time = (record.Timestamp as number) * 1000
  const hour = new Date(time - (time % hourMs)).toISOString()
  const ledger = indexUsage(market)
  const key = keyOf({ licenseArn, dimension, hour })
  const known = ledger.get(key)
  if (known && known.quantity !== quantity) return { Status: 'DuplicateRecord' }
  const id = known?.id ?? randomUUID()
  if (!known) {
    const accepted = { id, licenseArn, accountId, dimension, hour, quantity }
    market.usage.push(accepted)
    ledger.set(key, accepted)
  }
  return { Status: 'Success', MeteringRecordId: id }
}

const keyOf = ({ licenseArn, dimension, hour }: Pick<MeteredRecord, 'licenseArn' | 'dimension' | 'hour'>) =>
  `${licenseArn} ${dimension} ${hour}`

/** The records by licence, dimension and hour; a search would take long with many. */
const ledgers = new WeakMap<MeteredRecord[], Map<string, MeteredRecord>>()

function indexUsage({ usage }: Market): Map<string, MeteredRecord> {
  const known = ledgers.get(usage)
  if (known?.size === usage.length) return known
  const ledger = new Map(usage.map((record) => [keyOf(record), record]))
  ledgers.set(usage, ledger)
  return ledger
}
