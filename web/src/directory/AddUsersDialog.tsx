import type { ReactNode } from 'react'
import { DraftOffer } from '../app/DraftOffer.tsx'
import type { OfferedDraft } from '../app/drafts.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { type Pickable, Picker, type PickerProps } from '../ui/Picker.tsx'
import { formatCount } from './total.ts'

interface AddUsersDialogProps extends Pick<PickerProps, 'search' | 'picked' | 'onPick'> {
  isOpen: boolean
  title: string
  /** The noun of the added users in singular and plural: `['member', 'members']`. */
  noun: [one: string, many: string]
  placeholder: string
  /** A sentence about the effect, below the title. */
  description?: string | undefined
  draft?: OfferedDraft | undefined
  /** Buttons for other ways to pick users. */
  children?: ReactNode
  onAdd: (users: Pickable[]) => void
  onClose: () => void
}

/** Picks users by the first letters of their names, and adds them together. */
export function AddUsersDialog(props: AddUsersDialogProps) {
  const { isOpen, title, noun, placeholder, description, search, picked, onPick, draft, children } = props
  const { onAdd, onClose } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} className="w-[520px]">
      {description && <p className="mt-1 text-ink2">{description}</p>}
      <form
        className="mt-4 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (picked.length > 0) onAdd(picked)
        }}
      >
        <DraftOffer draft={draft} />
        <Picker label="Users" placeholder={placeholder} search={search} picked={picked} onPick={onPick} />
        <div className="flex flex-wrap justify-end gap-2">
          {children && <span className="mr-auto">{children}</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={picked.length === 0}>
            {picked.length === 0 ? 'Add' : `Add ${formatCount(picked.length, noun)}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
