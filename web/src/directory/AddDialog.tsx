import type { ReactNode } from 'react'
import { DraftOffer } from '../app/DraftOffer.tsx'
import type { OfferedDraft } from '../app/drafts.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { type Pickable, Picker, type PickerProps } from '../ui/Picker.tsx'
import { formatCount } from './total.ts'

interface AddDialogProps extends Pick<PickerProps, 'search' | 'picked' | 'onPick' | 'isListOpen'> {
  isOpen: boolean
  title: string
  /** The noun of what is added in singular and plural: `['member', 'members']`. */
  noun: [one: string, many: string]
  /** The label of the picker. Default: Users. */
  label?: string | undefined
  placeholder: string
  /** A sentence about the effect, below the title. */
  description?: string | undefined
  draft?: OfferedDraft | undefined
  /** Buttons for other ways to pick. */
  children?: ReactNode
  onAdd: (picked: Pickable[]) => void
  onClose: () => void
}

/** Picks users, or other records, by the first letters of their names, and adds them together. */
export function AddDialog(props: AddDialogProps) {
  const {
    isOpen,
    title,
    noun,
    label = 'Users',
    placeholder,
    description,
    search,
    picked,
    onPick,
    draft,
    children,
  } = props
  const { isListOpen, onAdd, onClose } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} className="mt-[10dvh] w-[520px] overflow-visible">
      {description && <p className="mt-1 text-ink2">{description}</p>}
      <form
        className="mt-4 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (picked.length > 0) onAdd(picked)
        }}
      >
        <DraftOffer draft={draft} />
        <Picker {...{ label, placeholder, search, picked, onPick, isListOpen }} />
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
