import { type GroupSummary, listGroups, removeGroupMembers } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { currentUserQuery } from '../app/current-user.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { editRows, updateOptimistically } from '../app/optimistic-update.ts'
import { queryClient } from '../app/query-client.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { refreshGroups } from './refresh.ts'

type LeavableGroup = Pick<GroupSummary, 'id' | 'name' | 'roles' | 'isOwner'>

/** Returns `leave`, which removes the current user from a group. Lost roles are confirmed first, in `dialog`. */
function useLeave(onLeft: () => void) {
  const { change, dialog } = usePreview()

  async function leave({ id, name, roles }: LeavableGroup) {
    const edit = editRows(listGroups, { query: { mine: 'true' } }, (row) => {
      if (row.id !== id || !('isOwner' in row)) return row
      return row.isOwner ? { ...row, isMember: false } : undefined
    })
    try {
      const user = await queryClient.ensureQueryData(currentUserQuery)
      const send = (query: object) =>
        call(removeGroupMembers, { params: { groupId: id }, query, body: { members: [user?.claims.sub] } })
      const left =
        roles.length > 0
          ? await change(send, { title: `Leave ${name}?`, action: 'Leave' }, { edits: [edit] })
          : await updateOptimistically([edit], () => send({}))
      if (!left) return
      await queryClient.invalidateQueries(currentUserQuery)
      reportSuccess(`You left ${name}`)
      onLeft()
    } catch (error) {
      reportFailure('leave the group', error)
    }
  }
  return { leave, dialog }
}

interface LeaveDialogProps {
  group: LeavableGroup | undefined
  onLeft: () => void
  onClose: () => void
}

/** Confirms leaving a group, since only an owner can undo it. Closes as soon as the user has confirmed. */
export function LeaveDialog({ group, onLeft, onClose }: LeaveDialogProps) {
  const { leave, dialog } = useLeave(onLeft)
  return (
    <>
      <Confirm
        isOpen={group !== undefined}
        title={`Leave ${group?.name}?`}
        action="Leave"
        onConfirm={() => {
          onClose()
          if (group) void leave(group)
        }}
        onClose={onClose}
      >
        {group?.isOwner ? 'You stay an owner and can add yourself again.' : 'Only an owner can add you again.'}
      </Confirm>
      {dialog}
    </>
  )
}

/** Returns the menu item for leaving a group. Render `dialog` anywhere on the page. */
export function useLeaveItem(group: LeavableGroup): { leaveItem: MenuItem; dialog: ReactNode } {
  const [confirming, setConfirming] = useState<LeavableGroup>()
  const navigate = useNavigate()
  const handleLeft = async () => {
    if (!group.isOwner) await navigate({ to: '/account/groups' as never })
    await refreshGroups()
  }
  return {
    leaveItem: {
      label: 'Leave',
      icon: <LogOut size={16} />,
      isDanger: true,
      onSelect: () => setConfirming(group),
    },
    dialog: (
      <LeaveDialog group={confirming} onLeft={() => void handleLeft()} onClose={() => setConfirming(undefined)} />
    ),
  }
}
