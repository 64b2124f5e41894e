import { randomBytes, randomInt } from 'node:crypto'

/** A dimension of a product: bought in advance (`entitled`), billed by use (`metered`), or both. */
export interface SellerDimension {
  key: string
  name: string
  kind: 'entitled' | 'metered' | 'both'
  /** The kind of the value that is bought in advance; a quantity by default. */
  entitled?: 'quantity' | 'flag'
}

export interface SellerProduct {
  code: string
  /** `prod-…`. */
  id: string
  name: string
  pricingModel: 'contract' | 'contract-with-consumption' | 'subscription' | 'free'
  dimensions: SellerDimension[]
  /** The days of the free trial that its public offer has. */
  trialDays?: number
  /** Published before licence ARNs: ResolveCustomer returns a customer identifier instead. */
  legacy?: boolean
}

export type Quantities = Record<string, number | boolean>

/** The statuses of an agreement that the simulation has. */
export type AgreementStatus = 'ACTIVE' | 'CANCELLED' | 'EXPIRED' | 'RENEWED'

/** An agreement of a buyer on a product, with its licence. Times are ISO 8601. */
export interface Agreement {
  id: string
  offerId: string
  productCode: string
  accountId: string
  customerIdentifier: string
  licenseArn: string
  quantities: Quantities
  status: AgreementStatus
  startTime: string
  /** The year 9999 for an agreement without an end, as in AWS. */
  endTime: string
  /** The days of a free trial that has not been converted. */
  trialDays: number | null
  /** When the agreement ended, which leaves an hour for metering. */
  endedAt: string | null
  /** The ids of the agreements that it renewed. */
  formerIds?: string[]
  /** Whether the licence has been deprovisioned, which ends GetEntitlements and metering. */
  deprovisioned: boolean
}

export interface RegistrationToken {
  token: string
  agreementId: string
  expiresAt: string
}

/** A metered record that AWS has accepted. `hour` is the hour of its timestamp, ISO 8601. */
export interface MeteredRecord {
  id: string
  licenseArn: string
  accountId: string
  dimension: string
  hour: string
  quantity: number
}

/** The state of the simulated AWS Marketplace. */
export interface Market {
  products: SellerProduct[]
  agreements: Agreement[]
  tokens: RegistrationToken[]
  usage: MeteredRecord[]
}

export const sellerAccountId = '123456789012'
/** A token resolves to the same values for this long. */
const tokenHours = 4

export function findAgreement({ agreements }: Market, id: string): Agreement {
  const agreement = agreements.find((candidate) => candidate.id === id || candidate.formerIds?.includes(id))
  if (!agreement) throw new Error(`There is no agreement ${id}`)
  return agreement
}

export function findProduct({ products }: Market, code: string): SellerProduct {
  const product = products.find((candidate) => candidate.code === code)
  if (!product) throw new Error(`There is no product ${code}`)
  return product
}

export const isContract = ({ pricingModel }: SellerProduct) => pricingModel.startsWith('contract')

/** Returns the dimensions that are bought in advance. */
export const listEntitled = (product: SellerProduct) =>
  isContract(product) ? product.dimensions.filter(({ kind }) => kind !== 'metered') : []

/** Issues a registration token, which the buyer's browser posts to the fulfilment URL. */
export function issueToken(market: Market, agreementId: string): string {
  const token = randomBytes(96).toString('base64')
  const expiresAt = new Date(Date.now() + tokenHours * 3_600_000).toISOString()
  market.tokens.push({ token, agreementId, expiresAt })
  return token
}

/** Returns an id of the length and the alphabet of those of agreements and offers. */
export const createId = (prefix: string, length: number) =>
  `${prefix}-${Array.from({ length }, () => randomInt(36).toString(36)).join('')}`

export const createAccountId = () => String(randomInt(1e11, 1e12))

export const createLicenseArn = () =>
  `arn:aws:license-manager:us-east-1:${sellerAccountId}:l-${randomBytes(16).toString('hex')}`

/** The message and the name of an error that AWS returns, by default with status 400. */
export class AwsError extends Error {
  readonly status: number
  constructor(name: string, message: string, status = 400) {
    super(message)
    this.name = name
    this.status = status
  }
}
