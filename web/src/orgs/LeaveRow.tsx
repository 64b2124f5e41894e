import { type Org, removeOwnOrgMembers } from '@passport/contract/orgs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { Button } from '../ui/Button.tsx'
import { DangerRow } from '../ui/DangerZone.tsx'
import { Confirm } from '../ui/Dialog.tsx'

/** The danger-zone row for leaving an organisation. */
export function LeaveRow({ org }: { org: Pick<Org, 'id' | 'name'> }) {
  return (
    <DangerRow
      title="Leave this organisation"
      description="Only an owner or admin can add you again."
      action={<LeaveButton org={org} />}
    />
  )
}

export function LeaveButton({ org, isSmall = false }: { org: Pick<Org, 'id' | 'name'>; isSmall?: boolean }) {
  const [isConfirming, setConfirming] = useState(false)
  const user = useCurrentUser()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: () =>
      call(removeOwnOrgMembers, { params: { orgId: org.id }, query: {}, body: { members: [user?.claims.sub ?? ''] } }),
    onSuccess: async () => {
      setConfirming(false)
      await navigate({ to: '/account/orgs' })
      void queryClient.invalidateQueries()
      reportSuccess(`You left ${org.name}`)
    },
    onError: (error) => {
      setConfirming(false)
      reportFailure('leave the organisation', error)
    },
  })
  return (
    <>
      <Button variant="danger" isSmall={isSmall} aria-label={`Leave ${org.name}`} onClick={() => setConfirming(true)}>
        Leave…
      </Button>
      <Confirm
        isOpen={isConfirming}
        title={`Leave ${org.name}?`}
        action="Leave"
        isBusy={leave.isPending}
        onConfirm={() => leave.mutate()}
        onClose={() => setConfirming(false)}
      >
        You lose your access. Only an owner or admin can add you again.
      </Confirm>
    </>
  )
}
