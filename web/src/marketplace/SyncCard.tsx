import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import type { UseMutationResult } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'

interface SyncCardProps {
  subscription: AwsSubscription
  refresh: Pick<UseMutationResult, 'isPending' | 'isError'> & { mutate: () => void }
}

/** When AWS was last asked about the subscription, and a button that asks again. */
export function SyncCard({ subscription: { lastCheckedAt, lastEventAt }, refresh }: SyncCardProps) {
  return (
    <Card
      title="AWS"
      action={
        <Button isSmall isBusy={refresh.isPending} onClick={() => refresh.mutate()}>
          <RefreshCw size={15} aria-hidden="true" />
          Check now
        </Button>
      }
    >
      <div className="px-4 pb-4 sm:px-[18px]">
        {lastCheckedAt && !refresh.isError ? (
          <Status tone="ok">In sync with AWS</Status>
        ) : (
          <Status tone={refresh.isError ? 'bad' : 'off'}>
            {refresh.isError ? 'AWS did not answer' : 'Not checked yet'}
          </Status>
        )}
        <p className="mt-1 text-[13px] text-ink2">
          {lastCheckedAt ? (
            <>
              Checked <RelativeTime at={lastCheckedAt} inSentence />.
            </>
          ) : (
            'Checked with each event and each night.'
          )}
          {lastEventAt && (
            <>
              {' '}
              Last event <RelativeTime at={lastEventAt} inSentence />.
            </>
          )}
        </p>
      </div>
    </Card>
  )
}
