import { getAwsDrift } from '@passport/contract/aws-events'
import { getAwsSubscription, refreshAwsSubscription } from '@passport/contract/aws-subscriptions'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { formatDay } from '../ui/format-day.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ViewFrame } from './ViewFrame.tsx'

/** The subscriptions that AWS describes otherwise. Asks AWS about each, so it does so only on request. */
export function DriftView() {
  const drift = useQuery({ ...query(getAwsDrift, {}), enabled: false })
  const differences = drift.data?.differences ?? []
  const compared = (drift.data?.compared ?? 0) + (drift.data?.failed ?? 0)
  return (
    <ViewFrame
      summary={
        drift.data && (
          <>
            {formatCount(differences.length, ['difference', 'differences'])}, compared{' '}
            <RelativeTime at={drift.data.checkedAt} inSentence />
            {drift.data.failed > 0 && `; AWS gave no answer about ${drift.data.failed} of ${compared}`}
          </>
        )
      }
      actions={
        <Button variant="primary" isBusy={drift.isFetching} onClick={() => void drift.refetch()}>
          <RefreshCw size={16} aria-hidden="true" />
          Compare with AWS
        </Button>
      }
    >
      {drift.error ? (
        <ErrorCard failure={toFailure(drift.error, 'compare with AWS')} onRetry={() => void drift.refetch()} />
      ) : drift.isFetching ? (
        <Skeleton label="Comparing with AWS" rows={3} />
      ) : !drift.data ? (
        <Empty kind="nothing yet" title="Not compared yet">
          Asks AWS for the entitlements and the agreement of each open subscription, and shows what differs here.
        </Empty>
      ) : differences.length === 0 ? (
        <Empty kind="nothing yet" title="In sync with AWS">
          No differences.
        </Empty>
      ) : (
        <ul className="pb-1">
          {differences.map((difference) => (
            <Difference key={`${difference.subscriptionId} ${difference.field}`} {...difference} />
          ))}
        </ul>
      )}
    </ViewFrame>
  )
}

interface DifferenceProps {
  subscriptionId: string
  field: string
  passport: string | null
  aws: string | null
  since: string | null
  takesAccess: boolean
}

function Difference({ subscriptionId, field, passport, aws, since, takesAccess }: DifferenceProps) {
  const [isAsking, setAsking] = useState(false)
  const params = { subscriptionId }
  const { data: subscription } = useQuery(query(getAwsSubscription, { params }))
  const accept = useMutation({
    mutationFn: () => call(refreshAwsSubscription, { params }),
    onSuccess: () => reportSuccess('Updated from AWS'),
    onError: (error) => reportFailure('update the subscription', error),
    onSettled: () => {
      setAsking(false)
      void queryClient.invalidateQueries()
    },
  })
  const holder = subscription?.org?.name ?? 'The buyer'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair px-4 py-2.5 first:border-0 sm:px-[18px]">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap gap-x-3">
          <Link to="/admin/awssubscriptions/$subscriptionId" params={params} className="link">
            {subscription?.product.name ?? subscriptionId}
          </Link>
          <span className="text-ink2">{subscription?.org?.name}</span>
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-[13px] text-ink2">
          <code className="font-mono text-[12.5px]">{field.replace('entitlements.', '')}</code>
          {formatSide(passport)} <ArrowRight size={13} role="img" aria-label="at AWS" />
          <span className="font-[560] text-ink">{formatSide(aws)}</span>
          {since && (
            <span className="text-ink3">
              changed since <RelativeTime at={since} inSentence />
            </span>
          )}
        </p>
      </div>
      <Button isSmall isBusy={accept.isPending} onClick={() => (takesAccess ? setAsking(true) : accept.mutate())}>
        Use the value of AWS
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Use the value of AWS?"
        action="Use the value of AWS"
        isBusy={accept.isPending}
        onConfirm={() => accept.mutate()}
        onClose={() => setAsking(false)}
      >
        {field === 'agreement'
          ? `The agreement has ended at AWS. ${holder} loses access after the final hour.`
          : `${holder} loses what AWS no longer lists.`}
      </Confirm>
    </li>
  )
}

/** Formats a side of a comparison, with dates as elsewhere: “25 until 1 Mar 2027”. */
const formatSide = (side: string | null): string =>
  side === null ? 'None' : side.replace(/\d{4}-\d{2}-\d{2}(?=T)\S*/, (instant) => formatDay(instant.slice(0, 10), true))
