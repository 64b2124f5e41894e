import {
  type AssignmentEffect,
  type AwsSubscription,
  assignAwsSubscription,
} from '@passport/contract/aws-subscriptions'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { searchOrgs } from '../directory/find-records.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Effect } from './Effect.tsx'

interface AssignDialogProps {
  subscription: AwsSubscription
  isOpen: boolean
  onClose: () => void
}

/** Assigns a subscription to an organisation, after a preview of who gets and who loses what. */
export function AssignDialog({ subscription, isOpen, onClose }: AssignDialogProps) {
  const { id, org, product, version } = subscription
  const params = { subscriptionId: id }
  const [picked, setPicked] = useState<Pickable[]>([])
  const orgId = picked[0]?.id ?? ''
  const preview = useQuery({
    queryKey: ['assign', id, version, orgId],
    queryFn: async ({ signal }) =>
      (await call(
        assignAwsSubscription,
        { params, query: { preview: 'true' }, body: { orgId } },
        { signal },
      )) as unknown as AssignmentEffect,
    enabled: isOpen && orgId !== '',
    placeholderData: keepPreviousData,
    retry: false,
    // Not stale after the change, which refetches all queries: the server would preview a change that was applied.
    staleTime: 'static',
    gcTime: 0,
  })
  const assign = useMutation({
    mutationFn: () => call(assignAwsSubscription, { params, query: {}, body: { orgId } }, { ifMatch: `"${version}"` }),
    onSuccess: () => {
      reportSuccess('Organisation assigned')
      setPicked([])
      onClose()
    },
    onSettled: () => void queryClient.invalidateQueries(),
  })
  const error = assign.error ?? preview.error
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={org ? `Move ${product.name} to another organisation` : `Assign ${product.name} to an organisation`}
      className="mt-[8dvh] w-[520px] overflow-visible"
    >
      <form
        noValidate
        className="mt-4 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (orgId) assign.mutate()
        }}
      >
        <Picker
          label="Organisation"
          placeholder="Name, slug or ID"
          search={searchOrgs}
          picked={picked}
          // Another pick replaces the first.
          onPick={(all) => setPicked(all.slice(-1))}
        />
        {error ? (
          <ErrorCard failure={toFailure(error, 'assign the organisation')} />
        ) : (
          orgId && preview.data && <Effect effect={preview.data} />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={assign.isPending} disabled={!orgId || preview.isPending}>
            Assign
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
