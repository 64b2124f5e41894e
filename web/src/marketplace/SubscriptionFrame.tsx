import { type AwsSubscription, getAwsSubscription, refreshAwsSubscription } from '@passport/contract/aws-subscriptions'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Building2, RefreshCw } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage, type RecordTab } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { AssignDialog } from './AssignDialog.tsx'
import { BuyerCard } from './BuyerCard.tsx'
import { StatePath } from './StatePath.tsx'
import { SubscriptionStatus } from './SubscriptionStatus.tsx'
import { SyncCard } from './SyncCard.tsx'
import { endOf, formatAccount, isMetered, pricingModelNames, shorten, sourceNames, toLicenceKey } from './words.ts'

const SubscriptionForm = lazyPart(async () => (await import('./forms.ts')).SubscriptionForm)

const back = { to: '/admin/awssubscriptions', label: 'Subscriptions' } as const

interface SubscriptionFrameProps {
  /** Whether the page has the agreement, the buyer and the state at AWS beside it. */
  hasRail?: boolean
  children: (subscription: AwsSubscription) => ReactNode
}

/** The page of a subscription around one of its tabs. */
export function SubscriptionFrame(props: SubscriptionFrameProps) {
  const { subscriptionId = '' } = useParams({ strict: false })
  const subscription = useQuery(query(getAwsSubscription, { params: { subscriptionId } }))
  return (
    <RecordQuery query={subscription} kind="subscription" back={back}>
      {(subscription) => <Subscription key={subscription.id} subscription={subscription} {...props} />}
    </RecordQuery>
  )
}

function Subscription({
  subscription,
  hasRail = false,
  children,
}: SubscriptionFrameProps & { subscription: AwsSubscription }) {
  const { id, product, org, status, trial, source, customerAwsAccountId, startsAt } = subscription
  const endsAt = endOf(subscription.endsAt)
  const { isEditing, close } = useEditing()
  const [isAssigning, setAssigning] = useState(false)
  const refresh = useRefresh(id)
  return (
    <RecordPage
      back={back}
      picture={<ObjectIcon kind="aws-subscription" size={60} />}
      name={product.name}
      id={id}
      status={
        <>
          <SubscriptionStatus status={status} />
          {trial && <Badge>Free trial</Badge>}
        </>
      }
      facts={[
        org && (
          <Link
            key="org"
            to="/admin/orgs/$orgId"
            params={{ orgId: org.id }}
            className="link no-underline hover:underline"
          >
            {org.name}
          </Link>
        ),
        customerAwsAccountId && `AWS account ${formatAccount(customerAwsAccountId)}`,
        endsAt && <Ends key="end" subscription={subscription} endsAt={endsAt} />,
      ]}
      actions={
        <>
          {!org && (
            <Button variant="primary" onClick={() => setAssigning(true)}>
              Assign organisation
            </Button>
          )}
          <EditButton />
          <PageMenu
            isOfRecord
            items={[
              {
                label: 'Check with AWS',
                icon: <RefreshCw size={16} />,
                onSelect: () => refresh.mutate(),
              },
              {
                label: org ? 'Move to another organisation' : 'Assign organisation',
                icon: <Building2 size={16} />,
                onSelect: () => setAssigning(true),
              },
            ]}
          />
        </>
      }
      tabs={isMetered(product.pricingModel) ? buildTabs(id) : []}
      banner={hasRail && <StatePath status={status} />}
      detailsTitle="Agreement"
      {...(hasRail && {
        details: [
          [
            'Product',
            <Link key="product" to="/admin/awsproducts/$productId" params={{ productId: product.id }} className="link">
              {product.name}
            </Link>,
          ],
          ['Pricing', pricingModelNames[product.pricingModel]],
          ['Agreement', <Identifier key="agreement" label="agreement" text={subscription.agreementId} />],
          [
            'Licence',
            <Identifier
              key="licence"
              label="licence"
              text={subscription.licenseArn}
              shown={subscription.licenseArn && toLicenceKey(subscription.licenseArn)}
            />,
          ],
          subscription.offerId && ['Offer', <Identifier key="offer" label="offer" text={subscription.offerId} />],
          ['Started', startsAt ? <RelativeTime key="start" at={startsAt} /> : '–'],
          [endVerb(status), endsAt ? <RelativeTime key="end" at={endsAt} /> : '–'],
          ['Created by', sourceNames[source]],
        ],
      })}
      rail={
        <>
          <BuyerCard subscription={subscription} />
          <SyncCard subscription={subscription} refresh={refresh} />
        </>
      }
    >
      {isEditing && (
        <Suspense>
          <SubscriptionForm subscription={subscription} onClose={close} />
        </Suspense>
      )}
      {children(subscription)}
      <AssignDialog subscription={subscription} isOpen={isAssigning} onClose={() => setAssigning(false)} />
    </RecordPage>
  )
}

const tabPath = '/admin/awssubscriptions/$subscriptionId'

const buildTabs = (subscriptionId: string): RecordTab[] => [
  { to: tabPath, params: { subscriptionId }, label: 'Overview' },
  { to: `${tabPath}/usage`, params: { subscriptionId }, label: 'Usage' },
]

/** Reads the subscription from AWS again. */
function useRefresh(subscriptionId: string) {
  return useMutation({
    mutationFn: () => call(refreshAwsSubscription, { params: { subscriptionId } }),
    onSuccess: () => reportSuccess('Checked with AWS'),
    onError: (error) => reportFailure('check with AWS', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
}

const endVerb = (status: AwsSubscription['status']) => (status === 'ended' ? 'Ended' : 'Ends')

function Ends({
  subscription: { status, trial, trialEndsAt },
  endsAt,
}: {
  subscription: AwsSubscription
  endsAt: string
}) {
  if (trial && trialEndsAt)
    return (
      <>
        Trial ends <RelativeTime at={trialEndsAt} inSentence />
      </>
    )
  return (
    <>
      {endVerb(status)} <RelativeTime at={endsAt} inSentence />
    </>
  )
}

interface IdentifierProps {
  label: string
  text: string | null
  /** The part to show. */
  shown?: string | null
}

/** A shortened identifier of AWS with a copy button. */
function Identifier({ label, text, shown = text }: IdentifierProps) {
  if (!text) return '–'
  return (
    <span className="-my-1.5 flex min-w-0 items-center gap-1">
      <code className="truncate font-mono text-[12.5px]" title={text}>
        {shorten(shown ?? text)}
      </code>
      <CopyButton text={text} label={`Copy ${label}`} />
    </span>
  )
}
