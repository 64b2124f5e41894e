import { type Org, removeOwnOrgMembers } from '@passport/contract/orgs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { Confirm } from '../ui/Dialog.tsx'

type LeftOrg = Pick<Org, 'id' | 'name'>

interface LeaveDialogProps {
  /** Undefined while it is closed. */
  org: LeftOrg | undefined
  onClose: () => void
}

/** Confirms that the current user leaves an organisation, since only an owner or admin can undo it. */
export function LeaveDialog({ org, onClose }: LeaveDialogProps) {
  const user = useCurrentUser()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: ({ id }: LeftOrg) =>
      call(removeOwnOrgMembers, { params: { orgId: id }, query: {}, body: { members: [user?.claims.sub ?? ''] } }),
    onSuccess: async (_, { name }) => {
      onClose()
      await navigate({ to: '/account/orgs' })
      void queryClient.invalidateQueries()
      reportSuccess(`You left ${name}`)
    },
    onError: (error) => {
      onClose()
      reportFailure('leave the organisation', error)
    },
  })
  return (
    <Confirm
      isOpen={org !== undefined}
      title={`Leave ${org?.name}?`}
      action="Leave"
      isBusy={leave.isPending}
      onConfirm={() => org && leave.mutate(org)}
      onClose={onClose}
    >
      You lose your access. Only an owner or admin can add you again.
    </Confirm>
  )
}
