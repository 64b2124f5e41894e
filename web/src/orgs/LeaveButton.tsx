import { type Org, removeOwnOrgMembers } from '@passport/contract/orgs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Dialog.tsx'

type LeftOrg = Pick<Org, 'id' | 'name'>

/** Returns `ask`, which opens the confirmation to leave an organisation. Render `dialog` anywhere on the page. */
export function useLeaveDialog(org: LeftOrg) {
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
  const dialog = (
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
  )
  return { ask: () => setConfirming(true), dialog }
}

export function LeaveButton({ org }: { org: LeftOrg }) {
  const { ask, dialog } = useLeaveDialog(org)
  return (
    <>
      <Button isSmall variant="ghost" className="text-ink2" aria-label={`Leave ${org.name}`} onClick={ask}>
        Leave…
      </Button>
      {dialog}
    </>
  )
}
