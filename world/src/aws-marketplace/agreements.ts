import { type Agreement, AwsError, findProduct, isContract, type Market, sellerAccountId } from './market.ts'

interface Input {
  agreementId?: unknown
}

function find(market: Market, { agreementId }: Input): Agreement {
  if (typeof agreementId !== 'string' || !/^[A-Za-z0-9_/-]{1,64}$/.test(agreementId))
    throw new AwsError('ValidationException', 'The agreement id is invalid.')
  const agreement = market.agreements.find(
    ({ id, formerIds }) => id === agreementId || formerIds?.includes(agreementId),
  )
  if (!agreement) throw new AwsError('ResourceNotFoundException', 'The agreement does not exist.', 404)
  return agreement
}

const seconds = (time: string) => Date.parse(time) / 1000

/** AWSMPCommerceService.DescribeAgreement. */
export function describeAgreement(market: Market, input: Input) {
  const agreement = find(market, input)
  const { id, offerId, accountId, productCode, status, startTime, endTime, trialDays } = agreement
  const isFormer = id !== input.agreementId
  return {
    agreementId: isFormer ? input.agreementId : id,
    acceptor: { accountId },
    proposer: { accountId: sellerAccountId },
    startTime: seconds(startTime),
    endTime: seconds(endTime),
    acceptanceTime: seconds(startTime),
    agreementType: 'PurchaseAgreement',
    proposalSummary: { offerId, resources: [{ id: findProduct(market, productCode).id, type: 'SaaSProduct' }] },
    status: isFormer ? 'RENEWED' : status,
    ...(trialDays !== null && { freeTrialSummary: { trialEndTime: seconds(endTime) } }),
  }
}

/** AWSMPCommerceService.GetAgreementTerms. */
export function getAgreementTerms(market: Market, input: Input) {
  const agreement = find(market, input)
  const product = findProduct(market, agreement.productCode)
  const dimensions = Object.entries(agreement.quantities).map(([dimensionKey, value]) => ({
    dimensionKey,
    dimensionValue: Number(value),
  }))
  const term = (type: string, more: object = {}) => ({ type, id: `term-${type.toLowerCase()}`, ...more })
  const paid = isContract(product)
    ? [
        {
          configurableUpfrontPricingTerm: term('ConfigurableUpfrontPricingTerm', {
            currencyCode: 'USD',
            configuration: { selectorValue: 'P12M', dimensions },
          }),
        },
        { validityTerm: term('ValidityTerm', { agreementDuration: 'P12M' }) },
      ]
    : [{ usageBasedPricingTerm: term('UsageBasedPricingTerm', { currencyCode: 'USD' }) }]
  const trial = {
    freeTrialPricingTerm: term('FreeTrialPricingTerm', {
      duration: `P${agreement.trialDays}D`,
      grants: dimensions.map(({ dimensionKey, dimensionValue }) => ({
        dimensionKey,
        maxQuantity: Math.max(1, dimensionValue),
      })),
    }),
  }
  return { acceptedTerms: agreement.trialDays === null ? paid : [trial] }
}
