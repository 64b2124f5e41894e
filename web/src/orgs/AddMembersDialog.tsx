import type { OrgRole } from '@passport/contract/orgs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { searchUsers } from '../directory/find-records.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import type { OrgTab } from './OrgFrame.tsx'
import { roleNames, roles } from './role-names.ts'

interface AddMembersDialogProps extends OrgTab {
  isOpen: boolean
  onClose: () => void
}

/** Adds users, found by name, to an organisation. */
export function AddMembersDialog({ isOpen, onClose, ...tab }: AddMembersDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Add members to ${tab.org.name}`} className="w-[520px]">
      <AddMembers {...tab} onClose={onClose} />
    </Dialog>
  )
}

function AddMembers({ area, org, canManageOwners, onClose }: OrgTab & { onClose: () => void }) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const [role, setRole] = useState<OrgRole>('member')
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: () =>
      call(area.addMembers, {
        params: { orgId: org.id },
        query: {},
        body: { members: picked.map(({ id }) => id), role },
      }),
    onSuccess: ({ changed, unchanged }) => {
      onClose()
      void queryClient.invalidateQueries()
      reportSuccess(formatAdded(changed.length, unchanged.length))
    },
  })
  return (
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
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" disabled={picked.length === 0} isBusy={add.isPending} onClick={() => add.mutate()}>
          {picked.length > 1 ? `Add ${picked.length} members` : 'Add'}
        </Button>
      </div>
    </div>
  )
}

function formatAdded(added: number, existing: number): string {
  const text = added === 1 ? '1 member added' : `${added} members added`
  return existing === 0 ? text : `${text}, ${existing} already in the organisation`
}
