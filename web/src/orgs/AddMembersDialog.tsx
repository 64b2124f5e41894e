import type { OrgMember, OrgRole } from '@passport/contract/orgs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { appendRows, updateOptimistically } from '../app/optimistic-update.ts'
import { searchUsers } from '../directory/find-records.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import type { OrgTab } from './OrgFrame.tsx'
import { roleNames, roles } from './role-names.ts'

interface AddMembersDialogProps extends OrgTab {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

/**
 * Adds users to an organisation. The dialog closes at once, and opens again with the picked users and the error if they
 * are not added.
 */
export function AddMembersDialog({ isOpen, onOpenChange, area, org, canManageOwners }: AddMembersDialogProps) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const [role, setRole] = useState<OrgRole>('member')
  const queryClient = useQueryClient()
  const params = { orgId: org.id }
  const close = () => onOpenChange(false)
  const add = useMutation({
    mutationFn: () => {
      const rows = picked.map((user) => toMember(user, role))
      const body = { members: picked.map(({ id }) => id), role }
      return updateOptimistically([appendRows(area.listMembers, { params }, rows)], () =>
        call(area.addMembers, { params, query: {}, body }),
      )
    },
    onMutate: close,
    onSuccess: ({ changed, unchanged }) => {
      setPicked([])
      void queryClient.invalidateQueries()
      reportSuccess(formatAdded(changed.length, unchanged.length))
    },
    onError: () => onOpenChange(true),
  })
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={`Add members to ${org.name}`}
      className="mt-[10dvh] w-[520px] overflow-visible"
    >
      <div className="mt-4 grid gap-4">
        <Picker
          label="Users"
          placeholder={area.isAdmin ? 'Name or email' : 'Full username, or a name you know'}
          search={searchUsers}
          picked={picked}
          onPick={setPicked}
        />
        <Select
          label="Role"
          options={roles
            .toReversed()
            .flatMap((value) => (value === 'owner' && !canManageOwners ? [] : [{ value, label: roleNames[value] }]))}
          value={role}
          onChange={({ target }) => setRole(target.value as OrgRole)}
        />
        {add.error && <ErrorCard failure={toFailure(add.error)} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" disabled={picked.length === 0} onClick={() => add.mutate()}>
            {picked.length > 1 ? `Add ${picked.length} members` : 'Add'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const toMember = ({ id, name, detail = '', picture = null }: Pickable, role: OrgRole): OrgMember => ({
  id,
  name,
  username: detail.startsWith('@') ? detail.slice(1) : null,
  avatarPngUrl: picture,
  role,
  since: new Date().toISOString(),
})

function formatAdded(added: number, existing: number): string {
  const text = `${formatCount(added, ['member', 'members'])} added`
  return existing === 0 ? text : `${text}, ${existing} already in the organisation`
}
