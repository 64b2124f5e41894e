import { type Agreement, AwsError, findProduct, listEntitled, type Market } from './market.ts'

const maxPageSize = 25

const fieldOf: Record<string, (agreement: Agreement) => string> = {
  CUSTOMER_AWS_ACCOUNT_ID: ({ accountId }) => accountId,
  CUSTOMER_IDENTIFIER: ({ customerIdentifier }) => customerIdentifier,
  LICENSE_ARN: ({ licenseArn }) => licenseArn,
}

interface Input {
  ProductCode?: unknown
  Filter?: Record<string, unknown>
  NextToken?: unknown
  MaxResults?: unknown
}

const invalid = (message: string) => new AwsError('InvalidParameterException', message)

/** AWSMPEntitlementService.GetEntitlements: the values of one filter are alternatives, and all filters must match. */
export function getEntitlements(market: Market, input: Input) {
  const { ProductCode: code, Filter: filter = {}, MaxResults: size = maxPageSize, NextToken: nextToken } = input
  const product = market.products.find((candidate) => candidate.code === code)
  if (!product) throw invalid('The product code is invalid.')
  if (!Number.isInteger(size) || (size as number) < 1 || (size as number) > maxPageSize)
    throw invalid(`MaxResults must be from 1 to ${maxPageSize}.`)
  checkFilter(filter)
  const matching = market.agreements
    .filter(({ productCode, deprovisioned }) => productCode === product.code && !deprovisioned)
    .filter((agreement) => matches(filter, (name) => fieldOf[name]?.(agreement)))
    .flatMap((agreement) => listOf(market, agreement))
    .filter(({ Dimension }) => matches(filter, (name) => (name === 'DIMENSION' ? Dimension : undefined)))
  const start = nextToken === undefined ? 0 : parseToken(nextToken)
  const end = start + (size as number)
  return {
    Entitlements: matching.slice(start, end),
    ...(end < matching.length && { NextToken: createToken(end) }),
  }
}

/** Creates the token of the page that begins at an entitlement. */
export const createToken = (start: number) => Buffer.from(`entitlement ${start}`).toString('base64')

function parseToken(token: unknown): number {
  const [, start] = /^entitlement (\d+)$/.exec(Buffer.from(String(token), 'base64').toString()) ?? []
  if (start === undefined) throw invalid('NextToken is invalid.')
  return Number(start)
}

function checkFilter(filter: Record<string, unknown>) {
  for (const [name, values] of Object.entries(filter)) {
    if (!(name in fieldOf) && name !== 'DIMENSION') throw invalid(`There is no filter ${name}.`)
    if (!Array.isArray(values) || values.length === 0) throw invalid(`The filter ${name} has no values.`)
  }
  if (filter['CUSTOMER_IDENTIFIER'] && filter['CUSTOMER_AWS_ACCOUNT_ID'])
    throw invalid('CUSTOMER_IDENTIFIER and CUSTOMER_AWS_ACCOUNT_ID are mutually exclusive.')
}

/** Reports whether each filter that has a value contains it. */
const matches = (filter: Record<string, unknown>, readValue: (name: string) => string | undefined) =>
  Object.entries(filter).every(([name, values]) => {
    const value = readValue(name)
    return value === undefined || (values as unknown[]).includes(value)
  })

function listOf(market: Market, agreement: Agreement) {
  const product = findProduct(market, agreement.productCode)
  const { accountId, customerIdentifier, licenseArn, quantities, endTime } = agreement
  return listEntitled(product).flatMap(({ key }) => {
    const value = quantities[key] ?? 0
    return value === false || value === 0
      ? []
      : {
          ProductCode: product.code,
          Dimension: key,
          CustomerAWSAccountId: accountId,
          ...(product.legacy ? { CustomerIdentifier: customerIdentifier } : { LicenseArn: licenseArn }),
          Value: typeof value === 'boolean' ? { BooleanValue: value } : { IntegerValue: value },
          ExpirationDate: Math.floor(Date.parse(endTime) / 1000),
        }
  })
}
