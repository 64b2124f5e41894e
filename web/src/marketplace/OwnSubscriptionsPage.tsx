import type { SubscriptionState } from '@passport/contract/aws-products'
import { listOwnSubscriptions, type OwnSubscription } from '@passport/contract/marketplace'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { Card } from '../ui/Card.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { Empty } from '../ui/Empty.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status, type Tone } from '../ui/Status.tsx'

const states: Record<SubscriptionState, { tone: Tone; label: string }> = {
  pending: { tone: 'waiting', label: 'Waiting for AWS' },
  active: { tone: 'ok', label: 'Active' },
  ending: { tone: 'warn', label: 'Ending' },
  ended: { tone: 'off', label: 'Ended' },
  failed: { tone: 'bad', label: 'Not confirmed' },
}

/** The subscriptions of the organisations that the user manages. AWS requires that buyers see their status. */
export function OwnSubscriptionsPage() {
  const subscriptions = useQuery(query(listOwnSubscriptions, {}))
  return (
    <div>
      <AccountHead />
      <div className="grid gap-4">
        {subscriptions.data?.length ? (
          subscriptions.data.map((subscription) => <SubscriptionCard key={subscription.id} {...subscription} />)
        ) : (
          <Card title="Subscriptions">
            <Loaded query={subscriptions} label="Loading subscriptions" rows={3}>
              {() => (
                <Empty kind="nothing yet" title="No subscriptions">
                  <p>Subscriptions from AWS Marketplace appear here for owners and admins of an organisation.</p>
                </Empty>
              )}
            </Loaded>
          </Card>
        )}
      </div>
    </div>
  )
}

function SubscriptionCard(subscription: OwnSubscription) {
  const { product, org, status, customerAwsAccountId, trial, trialEndsAt, startsAt, endsAt, dimensions, supportEmail } =
    subscription
  const { tone, label } = states[status]
  return (
    <Card title={product.name} description={org.name} action={<Status tone={tone}>{label}</Status>}>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 px-4 pt-1 pb-4 sm:gap-x-6 sm:px-[18px]">
        {dimensions.map(({ dimension, value, unit }) => (
          <Fact key={dimension} name={toWords(dimension)}>
            {formatValue(value, unit)}
          </Fact>
        ))}
        {trial && <Fact name="Free trial">{trialEndsAt ? <Until at={trialEndsAt} /> : 'Yes'}</Fact>}
        {startsAt && (
          <Fact name="Started">
            <RelativeTime at={startsAt} />
          </Fact>
        )}
        {endsAt && !(trial && trialEndsAt) && (
          <Fact name={status === 'ended' ? 'Ended' : 'Ends'}>
            <RelativeTime at={endsAt} />
          </Fact>
        )}
        <Fact name="AWS account">ending in {customerAwsAccountId.slice(-4)}</Fact>
        <Fact name="Support">
          <a className="text-stamp hover:underline" href={`mailto:${supportEmail}`}>
            {supportEmail}
          </a>
        </Fact>
      </dl>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-[13px] text-ink3 [overflow-wrap:anywhere]">{name}</dt>
    <dd className="[overflow-wrap:anywhere]">{children}</dd>
  </div>
)

const Until = ({ at }: { at: string }) => (
  <>
    Until <RelativeTime at={at} inSentence />
  </>
)

/** Returns the key of a dimension in words: “Streaming hours”. */
const toWords = (dimension: string) => capitalize(dimension.replace(/[_.-]+/g, ' '))

/** Formats what a buyer has of a dimension. AWS bills a dimension without a value by its use. */
function formatValue(value: OwnSubscription['dimensions'][number]['value'], unit: string | null): string {
  if (value === null) return 'Billed by use'
  if (typeof value === 'boolean') return value ? 'Included' : 'Not included'
  const text = typeof value === 'number' ? value.toLocaleString('en') : value
  return unit === null ? text : `${text} ${unit}`
}
