import type { AwsProduct, DimensionKind } from '@passport/contract/aws-products'

/** The pricing models of a SaaS listing, in the words of AWS Marketplace. */
export const pricingModelNames: Record<AwsProduct['pricingModel'], string> = {
  contract: 'Contract',
  'contract-with-consumption': 'Contract with consumption',
  subscription: 'Pay as you go',
  free: 'Free',
}

/** What identifies the customers of a listing; new listings have a licence for each agreement. */
export const integrationNames: Record<AwsProduct['integration'], string> = {
  'license-arn': 'Licence ARN',
  legacy: 'Legacy',
}

/** Formats the states of the subscriptions of a product: “12 active, 1 pending”. */
export function formatCounts(counts: AwsProduct['subscriptionCounts']): string {
  const parts = (['active', 'pending', 'ending', 'failed', 'ended'] as const).filter((state) => counts[state] > 0)
  return parts.map((state) => `${counts[state].toLocaleString('en')} ${state}`).join(', ')
}

/** What AWS does with a dimension. */
export const dimensionKindNames: Record<DimensionKind, string> = {
  entitled: 'Entitled',
  metered: 'Metered',
  both: 'Entitled and metered',
}
