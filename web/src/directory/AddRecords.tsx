import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useDraft } from '../app/drafts.ts'
import { reportFailure } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import type { Pickable, PickerProps } from '../ui/Picker.tsx'
import { AddDialog } from './AddDialog.tsx'
import { searchRoles } from './find-records.ts'

interface AddRecordsProps extends Pick<PickerProps, 'search' | 'isListOpen'> {
  /** The noun of what is added in singular and plural: `['member', 'members']`. */
  noun: [one: string, many: string]
  /** The label of the picker. Default: Users. */
  label?: string
  placeholder: string
  /** Whether it is the action of a card, not of a page. */
  isSmall?: boolean
  /** Resolves with false if it was cancelled. */
  onAdd: (picked: Pickable[]) => Promise<boolean>
}

/** A button with a dialog that picks records and adds them: members of a role, roles of a user or group. */
export function AddRecords({ noun, label, placeholder, search, isListOpen, isSmall = false, onAdd }: AddRecordsProps) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const draft = useDraft(noun[1], () => (picked.length > 0 ? picked : undefined), setPicked)
  const [isOpen, setOpen] = useState(draft !== undefined)
  /** Closes the dialog at once, and opens it again with the picked records if they are not added. */
  async function add() {
    setOpen(false)
    try {
      if (await onAdd(picked)) return setPicked([])
    } catch (error) {
      reportFailure(`add the ${noun[1]}`, error)
    }
    setOpen(true)
  }
  const title = `Add ${noun[1]}`
  return (
    <>
      <Button variant={isSmall ? 'plain' : 'primary'} isSmall={isSmall} onClick={() => setOpen(true)}>
        <Plus size={isSmall ? 15 : 16} aria-hidden="true" />
        {title}
      </Button>
      <AddDialog
        isOpen={isOpen}
        title={title}
        noun={noun}
        label={label}
        placeholder={placeholder}
        search={search}
        isListOpen={isListOpen}
        picked={picked}
        onPick={setPicked}
        draft={draft}
        onAdd={() => void add()}
        onClose={() => setOpen(false)}
      />
    </>
  )
}

interface AddRolesProps {
  /** The names of the roles that the record has. They are listed, but cannot be added again. */
  existing: string[]
  /** Adds roles; resolves with false if it was cancelled. */
  onAdd: (picked: Pickable[]) => Promise<boolean>
}

/** A button that opens a dialog with the list of roles to add to a user or a group. */
export function AddRoles({ existing, onAdd }: AddRolesProps) {
  const search = async (text: string, signal: AbortSignal) =>
    (await searchRoles(text, signal)).map((role) =>
      existing.includes(role.id) ? { ...role, disabledReason: 'Already added' } : role,
    )
  return (
    <AddRecords
      isSmall
      isListOpen
      noun={['role', 'roles']}
      label="Roles"
      placeholder="Name or description"
      search={search}
      onAdd={onAdd}
    />
  )
}
