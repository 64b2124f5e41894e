import type { Deliveries } from './deliveries.ts'
import {
  type Agreement,
  createAccountId,
  createId,
  createLicenseArn,
  findAgreement,
  findProduct,
  isContract,
  issueToken,
  listEntitled,
  type Market,
  type Quantities,
  type SellerProduct,
} from './market.ts'

export interface Order {
  /** The code of the product. */
  product: string
  /** Of 12 digits; a new account by default. */
  accountId?: string
  /** By dimension; 1 or true by default. */
  quantities?: Quantities
  /** Days of a free trial; by default those of the product's offer, 0 for none. */
  trialDays?: number
}

/** The form with which the buyer's browser goes from AWS to the seller. */
export interface LandingForm {
  action: string
  fields: Record<string, string>
}

export interface Purchase {
  accountId: string
  /** Identifies the buyer of an older listing. */
  customerIdentifier: string
  agreementId: string
  licenseArn: string
  token: string
  landingForm: LandingForm
}

export interface Purchases {
  /** Subscribes a buyer. */
  buy: (order: Order) => Promise<Purchase>
  /** Changes the quantities; the others stay. */
  amend: (agreementId: string, quantities: Quantities) => Promise<void>
  /** Ends the agreement. The licence stays until `deprovision`, at the end of the final hour for metering. */
  cancel: (agreementId: string) => Promise<void>
  /** Renews the term: another agreement follows on the former one, for the same licence. Returns the id of the new one. */
  renew: (agreementId: string) => Promise<string>
  /** Lets the term of the agreement, and its entitlements, end. */
  expire: (agreementId: string) => Promise<void>
  /** Lets a free trial end without a purchase. */
  expireTrial: (agreementId: string) => Promise<void>
  /** Replaces a free trial by the paid term. */
  convertTrial: (agreementId: string) => Promise<void>
  /** Takes the licence away. */
  deprovision: (agreementId: string) => Promise<void>
  /** Issues another token, as the button “Set up your account” does at each press. */
  newToken: (agreementId: string) => Pick<Purchase, 'token' | 'landingForm'>
}

const dayMs = 86_400_000
const termDays = 365
const noEnd = '9999-01-01T00:00:00.000Z'
/** The buyer presses the button this long before AWS has created the licence and shows the next page. */
const subscribingMs = 60_000

/** The purchases of buyers. Each change publishes its events. */
export function createPurchases(market: Market, deliveries: Deliveries, fulfilmentUrl: string): Purchases {
  const { publish } = deliveries

  const newToken: Purchases['newToken'] = (agreementId) => {
    const { trialDays } = findAgreement(market, agreementId)
    const token = issueToken(market, agreementId)
    const trial = trialDays === null ? {} : { 'x-amzn-marketplace-offer-type': 'free-trial' }
    return { token, landingForm: { action: fulfilmentUrl, fields: { 'x-amzn-marketplace-token': token, ...trial } } }
  }

  const end = async (agreementId: string, status: 'CANCELLED' | 'EXPIRED') => {
    const agreement = findAgreement(market, agreementId)
    agreement.status = status
    agreement.endedAt = new Date().toISOString()
    if (status === 'EXPIRED') agreement.endTime = agreement.endedAt
    await publish(agreement, ['Purchase Agreement Ended - Proposer'])
  }

  return {
    buy: async ({ product: code, accountId = createAccountId(), quantities = {}, trialDays }) => {
      const product = findProduct(market, code)
      const days = (trialDays ?? product.trialDays) || null
      const start = Date.now() - subscribingMs
      const agreement: Agreement = {
        id: createId('agmt', 25),
        offerId: createId('offer', 13),
        productCode: code,
        accountId,
        customerIdentifier: createId('customer', 11),
        licenseArn: createLicenseArn(),
        quantities: completeQuantities(product, quantities),
        status: 'ACTIVE',
        startTime: new Date(start).toISOString(),
        endTime: findEnd(product, start, days),
        trialDays: days,
        endedAt: null,
        deprovisioned: false,
      }
      market.agreements.push(agreement)
      // Whether AWS updates the licence of a free product is not documented.
      const licence = product.pricingModel === 'free' ? [] : (['License Updated - Manufacturer'] as const)
      await publish(agreement, ['Purchase Agreement Created - Proposer', ...licence])
      const { id: agreementId, licenseArn, customerIdentifier } = agreement
      return { accountId, customerIdentifier, agreementId, licenseArn, ...newToken(agreementId) }
    },
    amend: async (agreementId, quantities) => {
      const agreement = findAgreement(market, agreementId)
      const product = findProduct(market, agreement.productCode)
      agreement.quantities = completeQuantities(product, { ...agreement.quantities, ...quantities })
      await publish(agreement, ['Purchase Agreement Amended - Proposer', 'License Updated - Manufacturer'])
    },
    cancel: (agreementId) => end(agreementId, 'CANCELLED'),
    expire: (agreementId) => end(agreementId, 'EXPIRED'),
    renew: async (agreementId) => {
      const agreement = findAgreement(market, agreementId)
      const start = Date.parse(agreement.endTime)
      const former: Agreement = { ...agreement, status: 'RENEWED' }
      agreement.formerIds = [...(agreement.formerIds ?? []), agreement.id]
      agreement.id = createId('agmt', 25)
      agreement.offerId = createId('offer', 13)
      agreement.endTime = findEnd(findProduct(market, agreement.productCode), start, null)
      await publish(agreement, ['Purchase Agreement Created - Proposer'], 'RENEW')
      await publish(former, ['Purchase Agreement Ended - Proposer'])
      await publish(agreement, ['License Updated - Manufacturer'])
      return agreement.id
    },
    expireTrial: async (agreementId) => {
      requireTrial(findAgreement(market, agreementId))
      await end(agreementId, 'EXPIRED')
    },
    convertTrial: async (agreementId) => {
      const agreement = findAgreement(market, agreementId)
      requireTrial(agreement)
      agreement.trialDays = null
      agreement.offerId = createId('offer', 13)
      agreement.endTime = findEnd(findProduct(market, agreement.productCode), Date.now(), null)
      await publish(agreement, ['Purchase Agreement Amended - Proposer', 'License Updated - Manufacturer'])
    },
    deprovision: async (agreementId) => {
      const agreement = findAgreement(market, agreementId)
      agreement.deprovisioned = true
      await publish(agreement, ['License Deprovisioned - Manufacturer'])
    },
    newToken,
  }
}

function requireTrial({ id, trialDays }: Agreement) {
  if (trialDays === null) throw new Error(`${id} is no free trial`)
}

/** Returns the end of an agreement: of its trial, of its term, or none. */
function findEnd(product: SellerProduct, startMs: number, trialDays: number | null): string {
  const days = trialDays ?? (isContract(product) ? termDays : null)
  return days === null ? noEnd : new Date(startMs + days * dayMs).toISOString()
}

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

/** Checks quantities, and adds those that the buyer has not chosen. */
function completeQuantities(product: SellerProduct, quantities: Quantities): Quantities {
  const entitled = listEntitled(product)
  const unknown = Object.keys(quantities).find((key) => entitled.every((dimension) => dimension.key !== key))
  if (unknown !== undefined) throw new Error(`${product.name} has no entitled dimension ${unknown}`)
  const invalid = entitled.find(({ key, entitled: kind }) => {
    const value = quantities[key]
    return value !== undefined && !(kind === 'flag' ? typeof value === 'boolean' : isCount(value))
  })
  if (invalid) throw new Error(`The quantity of ${invalid.key} is invalid`)
  return Object.fromEntries(
    entitled.map(({ key, entitled: kind }) => [key, quantities[key] ?? (kind === 'flag' ? true : 1)]),
  )
}
