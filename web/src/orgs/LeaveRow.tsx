import { type Org, removeOwnOrgMembers } from '@passport/contract/orgs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { Button } from '../ui/Button.tsx'
import { DangerRow } from '../ui/DangerZone.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { toast } from '../ui/toast.ts'

/** The way out of an organisation. */
export function LeaveRow({ org }: { org: Pick<Org, 'id' | 'name'> }) {
  return (
    <DangerRow
      title="Leave this organisation"
      about="Somebody who runs it has to take you in again."
      action={<LeaveButton org={org} />}
    />
  )
}

export function LeaveButton({ org, isSmall = false }: { org: Pick<Org, 'id' | 'name'>; isSmall?: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const user = useCurrentUser()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: () =>
      call(removeOwnOrgMembers, { params: { orgId: org.id }, query: {}, body: { members: [user?.claims.sub ?? ''] } }),
    onSuccess: async () => {
      setAsking(false)
      await navigate({ to: '/account/orgs' })
      void queryClient.invalidateQueries()
      void toast({ type: 'success', content: `You have left ${org.name}` })
    },
    onError: (error) => {
      setAsking(false)
      void toast({ type: 'error', content: `Not left. ${failureOf(error).detail}` })
    },
  })
  return (
    <>
      <Button look="danger" isSmall={isSmall} aria-label={`Leave ${org.name}`} onClick={() => setAsking(true)}>
        Leave …
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Leave ${org.name}?`}
        action="Leave"
        isBusy={leave.isPending}
        onConfirm={() => leave.mutate()}
        onClose={() => setAsking(false)}
      >
        You lose what you may do there. Somebody who runs it has to take you in again.
      </Confirm>
    </>
  )
}
