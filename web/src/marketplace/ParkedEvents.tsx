import { type AwsEvent, getAwsEvent, listAwsEvents, redriveAwsEvent } from '@passport/contract/aws-events'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Braces, Link2, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { useListState } from '../directory/list-state.ts'
import { Pager } from '../directory/Pager.tsx'
import { formatCount } from '../directory/total.ts'
import { useList } from '../directory/use-list.ts'
import { Button } from '../ui/Button.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { AssignEvent } from './AssignEvent.tsx'
import { ViewFrame } from './ViewFrame.tsx'
import { formatAccount } from './words.ts'

const appliedAfterMs = 1500
const statuses = ['unmatched', 'failed'] as const
const statusOptions = [
  { value: 'unmatched', label: 'Unmatched' },
  { value: 'failed', label: 'Failed' },
] as const

/** The events of AWS that belong to no subscription, or could not be applied. */
export function ParkedEvents() {
  const state = useListState({ filters: { status: statuses }, sorts: [] })
  const status = state.filters.status ?? 'unmatched'
  const { limit, page, after } = state.query
  const list = useList(listAwsEvents, { query: { status, limit, page, ...(after && { after }) } })
  return (
    <>
      <ViewFrame
        summary={list.data && formatCount(list.data.total, [`${status} event`, `${status} events`])}
        actions={
          <Segmented
            label="Status"
            value={status}
            options={statusOptions}
            onChange={(value) => state.filter('status', value === 'unmatched' ? undefined : value)}
          />
        }
      >
        <Loaded query={list} label="Loading events" rows={3}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty kind="nothing yet" title={`No ${status} events`}>
                {status === 'unmatched'
                  ? 'Events whose subscription Passport does not know wait here.'
                  : 'Events wait here while AWS cannot be asked about them.'}
              </Empty>
            ) : (
              <ul className="pb-1">
                {items.map((event) => (
                  <EventRow key={event.id} event={event} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </ViewFrame>
      {list.data && <Pager state={state} data={list.data} isStale={list.isPlaceholderData} />}
    </>
  )
}

function EventRow({ event }: { event: AwsEvent }) {
  const { id, detailType, error, product, licenseKey, agreementId, customerAwsAccountId, eventTime, attempts } = event
  const [isOpen, setOpen] = useState(false)
  const [isAssigning, setAssigning] = useState(false)
  const retry = useMutation({
    mutationFn: () => call(redriveAwsEvent, { params: { eventId: id } }),
    onSuccess: () => reportSuccess('Event retried'),
    onError: (error) => reportFailure('retry the event', error),
    onSettled: () => {
      void queryClient.invalidateQueries()
      // It is applied a moment later, and may come back.
      setTimeout(() => void queryClient.invalidateQueries(), appliedAfterMs)
    },
  })
  const identifiers = [product, licenseKey, agreementId].filter((text) => text !== null)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair px-4 py-3 first:border-0 sm:px-[18px]">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-[580]">{detailType}</p>
        <p className="text-[13px] text-ink2 [overflow-wrap:anywhere]">
          {error ?? 'No subscription has its licence, agreement or account.'}
        </p>
        <p className="flex flex-wrap gap-x-4 text-[13px] text-ink3">
          <RelativeTime at={eventTime} />
          {attempts > 1 && <span>{attempts} attempts</span>}
          {customerAwsAccountId && <span>AWS account {formatAccount(customerAwsAccountId)}</span>}
          {identifiers.map((text) => (
            <code key={text} className="font-mono text-[12.5px] break-all">
              {text}
            </code>
          ))}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button isSmall onClick={() => setOpen(true)}>
          <Braces size={15} aria-hidden="true" />
          Payload
        </Button>
        <Button isSmall isBusy={retry.isPending} onClick={() => retry.mutate()}>
          <RotateCw size={15} aria-hidden="true" />
          Retry
        </Button>
        <Button isSmall onClick={() => setAssigning(true)}>
          <Link2 size={15} aria-hidden="true" />
          Assign
        </Button>
      </div>
      <AssignEvent event={event} isOpen={isAssigning} onClose={() => setAssigning(false)} />
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={detailType} className="w-[680px]">
        <Payload eventId={id} />
        <div className="mt-4 flex justify-end">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </li>
  )
}

/** What AWS sent. */
function Payload({ eventId }: { eventId: string }) {
  const event = useQuery(query(getAwsEvent, { params: { eventId } }))
  return (
    <div className="mt-3 max-h-[60dvh] overflow-y-auto">
      <Loaded query={event} label="Loading the payload" rows={4}>
        {({ payload }) => <CodeBlock label="payload" text={JSON.stringify(payload, null, 2)} isWrapped />}
      </Loaded>
    </div>
  )
}
