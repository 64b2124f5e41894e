import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import { Status } from '../ui/Status.tsx'
import { statusWords } from './words.ts'

/** The state of a subscription. */
export function SubscriptionStatus({ status }: Pick<AwsSubscription, 'status'>) {
  const { tone, label } = statusWords[status]
  return <Status tone={tone}>{label}</Status>
}
