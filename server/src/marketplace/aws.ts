import type { Services } from '../feature.ts'
import { requireStorable } from '../http/foreign-json.ts'
import { toStorableText } from '../http/storable-text.ts'
import { notConfigured, refused, throttled, tokenExpired, tokenInvalid, unavailable } from './problems.ts'

/** What the calls need of the services. */
type Caller = Pick<Services, 'config' | 'log'>
type AwsMarketplace = NonNullable<Services['config']['awsMarketplace']>

/** The time of a call with its retry and all its pages. */
const timeoutMs = 10_000
const maxPages = 20
const pageSize = 25
/** The only region of the entitlement and agreement services. */
const globalRegion = 'us-east-1'

/** The cause of the problems below: the name of the error that AWS returned, such as `AccessDeniedException`. */
export class AwsFailure extends Error {
  readonly awsError: string
  /** Whether the request itself was wrong, so that the same one would fail again. */
  readonly isRequestError: boolean
  constructor(operation: string, awsError: string, isRequestError = false) {
    super(`${operation}: ${awsError}`)
    this.name = 'AwsFailure'
    this.awsError = awsError
    this.isRequestError = isRequestError
  }
}

/** The buyer whom a registration token identifies. */
export interface ResolvedCustomer {
  productCode: string
  accountId: string
  /** Only for products that were published before licence ARNs. */
  customerIdentifier: string | null
  licenseArn: string | null
}

/**
 * Resolves the registration token that the buyer's browser posted. Never logs the token. Throws the problems of
 * `toProblem`, 400 for an invalid token and 410 for an expired one.
 */
export function resolveCustomer(caller: Caller, token: string, signal?: AbortSignal): Promise<ResolvedCustomer> {
  return call(caller, 'ResolveCustomer', signal, async ({ metering }, abortSignal) => {
    const { sdk, client } = await metering()
    const result = await client.send(new sdk.ResolveCustomerCommand({ RegistrationToken: token }), { abortSignal })
    const { ProductCode: productCode, CustomerAWSAccountId: accountId } = result
    if (!productCode || !accountId) throw new AwsFailure('ResolveCustomer', 'no product code or account in the result')
    return {
      productCode,
      accountId,
      customerIdentifier: result.CustomerIdentifier || null,
      licenseArn: result.LicenseArn || null,
    }
  })
}

/** What a buyer is entitled to in one dimension. */
export interface AwsEntitlement {
  dimension: string
  value: number | boolean | string | null
  expiresAt: Date | null
}

/** Reads the entitlements of a licence, or of a buyer's account. Throws the problems of `toProblem`. */
export function getEntitlements(
  caller: Caller,
  { productCode }: { productCode: string },
  buyer: { licenseArn: string } | { accountId: string },
  signal?: AbortSignal,
): Promise<AwsEntitlement[]> {
  const filter =
    'licenseArn' in buyer ? { LICENSE_ARN: [buyer.licenseArn] } : { CUSTOMER_AWS_ACCOUNT_ID: [buyer.accountId] }
  return call(caller, 'GetEntitlements', signal, async ({ entitlement }, abortSignal) => {
    const { sdk, client } = await entitlement()
    const found = await readPages('GetEntitlements', async (nextToken) => {
      const input = { ProductCode: productCode, Filter: filter, MaxResults: pageSize, NextToken: nextToken }
      const page = await client.send(new sdk.GetEntitlementsCommand(input), { abortSignal })
      return { items: page.Entitlements, nextToken: page.NextToken }
    })
    return found.map(({ Dimension: dimension, Value: value = {}, ExpirationDate }) => {
      // An entitlement that is left out would take away access.
      if (!dimension) throw new AwsFailure('GetEntitlements', 'an entitlement without a dimension')
      return {
        dimension,
        value: value.IntegerValue ?? value.DoubleValue ?? value.BooleanValue ?? value.StringValue ?? null,
        expiresAt: ExpirationDate ?? null,
      }
    })
  })
}

/** Reads the state of an agreement, such as `ACTIVE`, and its end. Throws the problems of `toProblem`. */
export function describeAgreement(
  caller: Caller,
  agreementId: string,
  signal?: AbortSignal,
): Promise<{ status: string; endsAt: Date | null }> {
  return call(caller, 'DescribeAgreement', signal, async ({ agreement }, abortSignal) => {
    const { sdk, client } = await agreement()
    const { status, endTime } = await client.send(new sdk.DescribeAgreementCommand({ agreementId }), { abortSignal })
    if (!status) throw new AwsFailure('DescribeAgreement', 'an agreement without a status')
    return { status, endsAt: endTime ?? null }
  })
}

/** The free trial of an agreement. The values are null if AWS does not give them. */
export interface FreeTrial {
  endsAt: Date | null
  durationDays: number | null
}

/**
 * Reads the terms of an agreement. The end of a trial is the start of the agreement plus the duration in its terms,
 * since the SDK does not return `freeTrialSummary` of DescribeAgreement. Throws the problems of `toProblem`.
 */
export function getAgreementTerms(
  caller: Caller,
  agreementId: string,
  signal?: AbortSignal,
): Promise<{ freeTrial: FreeTrial | null }> {
  return call(caller, 'GetAgreementTerms', signal, async ({ agreement }, abortSignal) => {
    const { sdk, client } = await agreement()
    const terms = await readPages('GetAgreementTerms', async (nextToken) => {
      const page = await client.send(new sdk.GetAgreementTermsCommand({ agreementId, nextToken }), { abortSignal })
      return { items: page.acceptedTerms, nextToken: page.nextToken }
    })
    const trial = terms.find(({ freeTrialPricingTerm }) => freeTrialPricingTerm)?.freeTrialPricingTerm
    if (!trial) return { freeTrial: null }
    const durationDays = parseDays(trial.duration)
    const { startTime } = await client.send(new sdk.DescribeAgreementCommand({ agreementId }), { abortSignal })
    const endsAt = startTime && durationDays !== null ? new Date(startTime.getTime() + durationDays * 86_400_000) : null
    return { freeTrial: { endsAt, durationDays } }
  })
}

/** Usage of a dimension in an hour. `buyer` has the licence, or, of an older listing, what identifies its customer. */
export interface UsageRecord {
  timestamp: Date
  buyer: { licenseArn: string; accountId: string } | { customerIdentifier: string } | { accountId: string }
  dimension: string
  quantity: number
}

/** The status of a record: `Success`, `CustomerNotSubscribed` or `DuplicateRecord`. */
export interface UsageResult {
  record: UsageRecord
  status: string
  meteringRecordId: string | null
}

/**
 * Sends usage of one product. `productCode` is that of an older listing; with licences it must be absent, or AWS bills
 * twice. Records that AWS did not process are missing in the result. Throws the problems of `toProblem`: one invalid
 * record fails all.
 */
export function batchMeterUsage(
  caller: Caller,
  { productCode, records }: { productCode: string | undefined; records: UsageRecord[] },
): Promise<UsageResult[]> {
  const byKey = new Map(records.map((record) => [toRecordKey(toAwsRecord(record)), record]))
  return call(caller, 'BatchMeterUsage', undefined, async ({ metering }, abortSignal) => {
    const { sdk, client } = await metering()
    const input = { ProductCode: productCode, UsageRecords: records.map(toAwsRecord) }
    const { Results: results = [] } = await client.send(new sdk.BatchMeterUsageCommand(input), { abortSignal })
    return results.flatMap(({ UsageRecord: sent, Status: status, MeteringRecordId: id }) => {
      const record = sent && byKey.get(toRecordKey(sent))
      // The usage is billed, whatever its id is.
      const meteringRecordId = id === undefined ? null : toStorableText(id, 256)
      return record && status ? [{ record, status, meteringRecordId }] : []
    })
  })
}

const toAwsRecord = ({ timestamp, buyer, dimension, quantity }: UsageRecord) => ({
  Timestamp: timestamp,
  Dimension: dimension,
  Quantity: quantity,
  ...('licenseArn' in buyer && { LicenseArn: buyer.licenseArn }),
  ...('accountId' in buyer && { CustomerAWSAccountId: buyer.accountId }),
  ...('customerIdentifier' in buyer && { CustomerIdentifier: buyer.customerIdentifier }),
})

/** Identifies a record in the answer, which may have a part of the records in any order. */
const toRecordKey = (record: {
  Timestamp?: Date | undefined
  Dimension?: string | undefined
  LicenseArn?: string | undefined
  CustomerAWSAccountId?: string | undefined
  CustomerIdentifier?: string | undefined
}) =>
  [
    record.LicenseArn ?? record.CustomerIdentifier ?? record.CustomerAWSAccountId,
    record.Dimension,
    Math.floor((record.Timestamp?.getTime() ?? 0) / 1000),
  ].join(' ')

/**
 * Returns the trailing `l-…` of a licence ARN: EventBridge sends ARNs without the prefix `arn:`, so only this part
 * identifies a licence everywhere.
 */
export const licenseKeyOf = (arn: string): string | null => /:(l-[0-9a-z]{1,64})$/.exec(arn)?.[1] ?? null

/** Parses an ISO 8601 duration of days or weeks, such as `P14D`. */
function parseDays(duration: string | undefined): number | null {
  const [, count, unit] = /^P(\d{1,4})([DW])$/.exec(duration ?? '') ?? []
  return count === undefined ? null : Number(count) * (unit === 'W' ? 7 : 1)
}

/** Reads all pages. Rejects rather than return only some, because what is missing would count as gone. */
async function readPages<T>(
  operation: string,
  read: (nextToken: string | undefined) => Promise<{ items: T[] | undefined; nextToken: string | undefined }>,
): Promise<T[]> {
  const all: T[] = []
  let nextToken: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await read(nextToken)
    all.push(...(page.items ?? []))
    nextToken = page.nextToken
    if (!nextToken) return all
  }
  throw new AwsFailure(operation, `more than ${maxPages} pages`)
}

type Clients = ReturnType<typeof createClients>
const clientsOf = new WeakMap<AwsMarketplace, Clients>()

/** Creates the clients of the SDK at their first use; few installations need the SDK. They retry a call once. */
function createClients({ region }: AwsMarketplace) {
  const options = { maxAttempts: 2, retryMode: 'standard' }
  return {
    metering: once(async () => {
      const sdk = await import('@aws-sdk/client-marketplace-metering')
      return { sdk, client: new sdk.MarketplaceMeteringClient({ ...options, region }) }
    }),
    entitlement: once(async () => {
      const sdk = await import('@aws-sdk/client-marketplace-entitlement-service')
      return { sdk, client: new sdk.MarketplaceEntitlementServiceClient({ ...options, region: globalRegion }) }
    }),
    agreement: once(async () => {
      const sdk = await import('@aws-sdk/client-marketplace-agreement')
      return { sdk, client: new sdk.MarketplaceAgreementClient({ ...options, region: globalRegion }) }
    }),
  }
}

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined
  return () => {
    created ??= create()
    return created
  }
}

/** Runs the requests of an operation within the time limit, and converts their failure to a problem. */
async function call<T>(
  { config: { awsMarketplace }, log }: Caller,
  operation: string,
  signal: AbortSignal | undefined,
  send: (clients: Clients, abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!awsMarketplace) throw notConfigured(undefined)
  const clients = clientsOf.get(awsMarketplace) ?? createClients(awsMarketplace)
  clientsOf.set(awsMarketplace, clients)
  const abort = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  // Finding credentials takes no signal, and may wait for an address that does not respond.
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(abort.reason)
  abort.addEventListener('abort', onAbort, { once: true })
  try {
    return requireStorable(await Promise.race([send(clients, abort), aborted.promise]))
  } catch (error) {
    throw toProblem(operation, error, log)
  } finally {
    abort.removeEventListener('abort', onAbort)
  }
}

/** The errors of AWS for credentials that are missing, wrong or expired, or that lack the permission. */
const credentialErrors = new Set([
  'AccessDeniedException',
  'CredentialsProviderError',
  'DisabledApiException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'OptInRequired',
  'SignatureDoesNotMatch',
  'TokenProviderError',
  'UnrecognizedClientException',
])

/**
 * Converts a failure: `awsmp-token-invalid` 400, `awsmp-token-expired` 410, `awsmp-throttled` 429,
 * `awsmp-not-configured` 503, `awsmp-unavailable` 502. The log and the cause have the name of the error only, because
 * its message may quote the token.
 */
function toProblem(operation: string, error: unknown, log: Services['log']) {
  const {
    name = 'unknown',
    message = '',
    $metadata,
  } = error as Error & {
    $metadata?: { requestId?: string; httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode ?? 0
  const isRequestError = status >= 400 && status < 500
  const failure = error instanceof AwsFailure ? error : new AwsFailure(operation, name, isRequestError)
  // Expired credentials and an expired registration token have the same name.
  const isToken = operation === 'ResolveCustomer' && !/security token/i.test(message)
  if (isToken && name === 'InvalidTokenException') return tokenInvalid(failure)
  if (isToken && name === 'ExpiredTokenException') return tokenExpired(failure)
  log.warn({ operation, error: failure.message, requestId: $metadata?.requestId }, 'aws-call-failed')
  if (credentialErrors.has(name) || /^(?:Expired|Invalid)Token/.test(name)) return notConfigured(failure)
  if (/Throttling|TooManyRequests/.test(name)) return throttled(failure)
  return isRequestError ? refused(failure) : unavailable(failure)
}
