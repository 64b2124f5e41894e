import type { BinEntry } from '@passport/contract/bin'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import type { Taken } from './restore.ts'

interface RestoreDialogProps {
  entry: BinEntry
  taken: Taken
  isBusy: boolean
  onRestore: (name: string | null) => void
  onClose: () => void
}

/** Asks under which other name something comes back, because someone has taken its own. */
export function RestoreDialog({ entry, taken, isBusy, onRestore, onClose }: RestoreDialogProps) {
  const { label, message, isOptional } = taken
  const [name, setName] = useState('')
  const isEmpty = name.trim() === ''
  return (
    <Dialog isOpen onClose={onClose} title={`Restore ${entry.name} under another name`}>
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
          hint={isOptional ? 'Leave it empty to restore without one.' : undefined}
          value={name}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy} disabled={isEmpty && !isOptional}>
            Restore
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
