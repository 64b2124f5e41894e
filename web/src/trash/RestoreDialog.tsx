import type { TrashEntry } from '@passport/contract/trash'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import type { NameConflict } from './restore.ts'

interface RestoreDialogProps {
  entry: TrashEntry
  conflict: NameConflict
  isBusy: boolean
  onRestore: (name: string | null) => void
  onClose: () => void
}

/** Asks for a new name of a record whose name has been taken since its deletion. */
export function RestoreDialog({ entry, conflict, isBusy, onRestore, onClose }: RestoreDialogProps) {
  const { label, message, isOptional } = conflict
  const [name, setName] = useState('')
  const isEmpty = name.trim() === ''
  return (
    <Dialog isOpen onClose={onClose} title={`Restore ${entry.name} with another name`}>
      <form
        className="mt-3 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isEmpty || isOptional) onRestore(isEmpty ? null : name)
        }}
      >
        <p className="text-ink2">{message}</p>
        <Field
          label={`New ${label.toLowerCase()}`}
          hint={isOptional ? 'Leave empty to restore without one.' : undefined}
          value={name}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={isEmpty && !isOptional}>
            Restore
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
