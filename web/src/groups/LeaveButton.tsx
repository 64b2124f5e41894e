import { type GroupSummary, removeMembers } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { currentUserQuery } from '../app/current-user.ts'
import { queryClient } from '../app/query-client.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { toast } from '../ui/toast.ts'
import { refreshGroups } from './refresh.ts'

type Left = Pick<GroupSummary, 'id' | 'name' | 'roles' | 'isOwner'>

/** Leaves a group after a question: nobody but an owner can undo it. */
function useLeave(group: Left | undefined, onLeft: (group: Left) => void) {
  const [isLeaving, setLeaving] = useState(false)
  const { change, dialog } = usePreview()

  async function leave({ id, name, roles }: Left) {
    setLeaving(true)
    try {
      const me = await queryClient.ensureQueryData(currentUserQuery)
      const send = (query: object) =>
        call(removeMembers, { params: { groupId: id }, query, body: { members: [me?.claims.sub] } })
      const left = roles.length > 0 ? await change(send, { title: `Leave ${name}?`, action: 'Leave' }) : await send({})
      if (!left) return
      await queryClient.invalidateQueries(currentUserQuery)
      void toast({ type: 'success', content: `You have left ${name}` })
      if (group) onLeft(group)
    } catch (error) {
      void toast({ type: 'error', content: `Not left. ${failureOf(error).detail}` })
    } finally {
      setLeaving(false)
    }
  }
  return { leave, isLeaving, dialog }
}

interface LeaveDialogProps {
  group: Left | undefined
  onLeft: (group: Left) => void
  onClose: () => void
}

/** Asks before a group is left. */
export function LeaveDialog({ group, onLeft, onClose }: LeaveDialogProps) {
  const { leave, isLeaving, dialog } = useLeave(group, onLeft)
  return (
    <>
      <Confirm
        isOpen={group !== undefined}
        title={`Leave ${group?.name}?`}
        action="Leave"
        isBusy={isLeaving}
        onConfirm={() => group && void leave(group)}
        onClose={onClose}
      >
        {group?.isOwner ? 'You stay an owner, and can add yourself again.' : 'Only an owner can add you again.'}
      </Confirm>
      {dialog}
    </>
  )
}

export function LeaveButton({ group }: { group: Left }) {
  const [asked, setAsked] = useState<Left>()
  const navigate = useNavigate()
  const left = async () => {
    setAsked(undefined)
    if (!group.isOwner) await navigate({ to: '/account/groups' as never })
    await refreshGroups()
  }
  return (
    <>
      <Button onClick={() => setAsked(group)}>Leave …</Button>
      <LeaveDialog group={asked} onLeft={() => void left()} onClose={() => setAsked(undefined)} />
    </>
  )
}
