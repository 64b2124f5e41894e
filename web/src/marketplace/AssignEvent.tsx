import { type AwsEvent, assignAwsEvent } from '@passport/contract/aws-events'
import { listAwsSubscriptions } from '@passport/contract/aws-subscriptions'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { formatAccount } from './words.ts'

const searchSubscriptions = async (text: string, signal: AbortSignal): Promise<Pickable[]> => {
  const { items } = await call(listAwsSubscriptions, { query: { query: text, limit: 10 } }, { signal })
  return items.map(({ id, product, org, customerAwsAccountId }) => ({
    id,
    name: org ? `${product.name} of ${org.name}` : product.name,
    detail: customerAwsAccountId ? `AWS account ${formatAccount(customerAwsAccountId)}` : '',
    kind: 'aws-subscription' as const,
  }))
}

interface AssignEventProps {
  event: AwsEvent
  isOpen: boolean
  onClose: () => void
}

/** Gives an event to a subscription that it does not name. */
export function AssignEvent({ event, isOpen, onClose }: AssignEventProps) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const subscriptionId = picked[0]?.id ?? ''
  const assign = useMutation({
    mutationFn: () => call(assignAwsEvent, { params: { eventId: event.id }, body: { subscriptionId } }),
    onSuccess: () => {
      reportSuccess('Event assigned')
      onClose()
    },
    onSettled: () => void queryClient.invalidateQueries(),
  })
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Assign to a subscription"
      className="mt-[8dvh] w-[520px] overflow-visible"
    >
      <form
        noValidate
        className="mt-4 grid gap-4"
        onSubmit={(submit) => {
          submit.preventDefault()
          if (subscriptionId) assign.mutate()
        }}
      >
        <p className="text-ink2">The subscription follows {event.detailType}, as if AWS had named it.</p>
        <Picker
          label="Subscription"
          placeholder="Account, licence or organisation"
          search={searchSubscriptions}
          picked={picked}
          onPick={(all) => setPicked(all.slice(-1))}
        />
        {assign.error && <ErrorCard failure={toFailure(assign.error, 'assign the event')} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={assign.isPending} disabled={!subscriptionId}>
            Assign
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
