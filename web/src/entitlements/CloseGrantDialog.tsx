import { closeGrant, type Grant } from '@passport/contract/entitlement-grants'
import type { GrantEffect as Effect, Entitlement } from '@passport/contract/entitlements'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { GrantEffect } from './GrantEffect.tsx'

interface CloseGrantDialogProps {
  entitlement: Entitlement
  grant: Grant
  onClose: () => void
}

/** Asks before a grant is closed, with the organisations that lose by it. */
export function CloseGrantDialog({ entitlement, grant, onClose }: CloseGrantDialogProps) {
  const params = { entitlementId: entitlement.id, grantId: grant.id }
  const ifMatch = `"${grant.version}"`
  const effect = useQuery({
    queryKey: ['grant-closing', grant.id, grant.version],
    queryFn: async ({ signal }) =>
      (await call(closeGrant, { params, query: { preview: 'true' } }, { signal, ifMatch })) as unknown as Effect,
    retry: false,
    // Not stale after the change, which refetches all queries: the server would preview a change that was applied.
    staleTime: 'static',
    gcTime: 0,
  })
  const close = useMutation({
    mutationFn: () => call(closeGrant, { params, query: {} }, { ifMatch }),
    onSuccess: () => reportSuccess('Grant closed'),
    onError: (error) => reportFailure('close the grant', error),
    onSettled: () => {
      void queryClient.invalidateQueries()
      onClose()
    },
  })
  return (
    <Confirm
      isOpen
      title={`Close the grant of ${grant.org.name}?`}
      action="Close grant"
      isBusy={close.isPending}
      isReady={!effect.isPending}
      onConfirm={() => close.mutate()}
      onClose={onClose}
    >
      <p className="mb-3">It ends now. The ledger keeps it.</p>
      <GrantEffect effect={effect.data} unit={entitlement.unit} />
    </Confirm>
  )
}
