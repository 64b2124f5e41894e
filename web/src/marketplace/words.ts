import type { AwsProduct, DimensionKind } from '@passport/contract/aws-products'
import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import type { Tone } from '../ui/Status.tsx'

/** The pricing models of a SaaS listing, in the words of AWS Marketplace. */
export const pricingModelNames: Record<AwsProduct['pricingModel'], string> = {
  contract: 'Contract',
  'contract-with-consumption': 'Contract with consumption',
  subscription: 'Pay as you go',
  free: 'Free',
}

/** Reports whether AWS bills a product by its use. */
export const isMetered = (model: AwsProduct['pricingModel']): boolean =>
  model === 'subscription' || model === 'contract-with-consumption'

/** What identifies the customers of a listing; new listings have a licence for each agreement. */
export const integrationNames: Record<AwsProduct['integration'], string> = {
  'license-arn': 'Licence ARN',
  legacy: 'Legacy',
}

export const statusWords: Record<AwsSubscription['status'], { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'waiting' },
  active: { label: 'Active', tone: 'ok' },
  ending: { label: 'Ending', tone: 'warn' },
  ended: { label: 'Ended', tone: 'off' },
  failed: { label: 'Failed', tone: 'bad' },
}
export const subscriptionStates = ['pending', 'active', 'ending', 'ended', 'failed'] as const
export const statusOptions = subscriptionStates.map((value) => ({ value, label: statusWords[value].label }))

export const sourceNames: Record<AwsSubscription['source'], string> = {
  landing: 'Buyer',
  event: 'AWS event',
  manual: 'Administrator',
}

/** Formats an AWS account id in groups of four, as AWS does. */
export const formatAccount = (id: string): string => (/^\d{12}$/.test(id) ? id.replace(/(\d{4})(?=\d)/g, '$1 ') : id)

/** Shortens an identifier in its middle: `agmt-6j2k…91`. */
export const shorten = (id: string): string => (id.length > 20 ? `${id.slice(0, 9)}…${id.slice(-4)}` : id)

/** Returns an end; null for the far future, which AWS sends for what has no end. */
export const endOf = (at: string | null): string | null => (at !== null && at < '9000' ? at : null)

/** Returns the last part of a licence ARN, which identifies the licence: `l-8c0f…`. */
export const toLicenceKey = (arn: string): string => arn.split(':').at(-1) ?? arn

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
