import type { AwsUsage, Refusal, UsageState } from '@passport/contract/aws-usage'
import type { Tone } from '../ui/Status.tsx'

/** What became of an hour. */
export const usageStatusWords: Record<AwsUsage['status'], { label: string; tone: Tone }> = {
  pending: { label: 'Waiting', tone: 'waiting' },
  sent: { label: 'Sending', tone: 'waiting' },
  success: { label: 'Billed', tone: 'ok' },
  included: { label: 'Included', tone: 'off' },
  duplicate: { label: 'Refused', tone: 'bad' },
  not_subscribed: { label: 'Refused', tone: 'bad' },
  rejected: { label: 'Refused', tone: 'bad' },
  expired: { label: 'Too old', tone: 'bad' },
}

export const stateOptions: { value: UsageState; label: string }[] = [
  { value: 'billed', label: 'Billed' },
  { value: 'included', label: 'Included' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'refused', label: 'Refused' },
]

interface RefusalWords {
  reason: string
  remedy: string
}

/** What the errors of AWS mean, and what helps. */
const refusals: Record<string, RefusalWords> = {
  InvalidUsageDimensionException: {
    reason: 'The listing has no such metered dimension.',
    remedy: 'Correct the dimension of the product, and send it again.',
  },
  InvalidLicenseException: {
    reason: 'AWS knows no such licence of this product.',
    remedy: 'Check the subscription with AWS, and send it again.',
  },
  InvalidCustomerIdentifierException: {
    reason: 'The buyer has not bought this product.',
    remedy: 'Check the subscription with AWS, and send it again.',
  },
  InvalidProductCodeException: {
    reason: 'AWS does not know the product code.',
    remedy: 'Correct it in the product, and send it again.',
  },
  CustomerNotSubscribed: {
    reason: 'The subscription has ended at AWS.',
    remedy: 'If it goes on, check it with AWS, and send it again.',
  },
  DuplicateRecord: {
    reason: 'AWS has another quantity of the hour already.',
    remedy: 'Find what else sends usage of this product. AWS keeps the first quantity.',
  },
  TimestampOutOfBoundsException: {
    reason: 'AWS accepts usage for 24 hours, and that of a month until 06:00 UTC on the first.',
    remedy: 'Bill it outside of AWS.',
  },
}

/** Explains why AWS refused usage. */
export const explainRefusal = ({ error }: Pick<Refusal, 'error'>): RefusalWords =>
  refusals[error ?? ''] ?? {
    reason: `AWS refused it${error ? `: ${error}` : ''}.`,
    remedy: 'Look the error up in the reference of BatchMeterUsage.',
  }

/** Explains why an hour waits although it was sent; undefined if it only waits for its turn. */
export function explainWait({ status, error }: Pick<AwsUsage, 'status' | 'error'>): string | undefined {
  if (status !== 'pending' || error === null) return undefined
  if (error === 'UnprocessedRecord') return 'AWS left it for later.'
  if (/Throttling/.test(error)) return 'AWS had too many requests.'
  if (/AccessDenied|Credentials|Token|Signature|Client/.test(error)) return 'AWS does not accept the credentials.'
  return 'AWS did not answer.'
}
