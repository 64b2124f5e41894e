import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Field } from './Field.tsx'

interface TypeToConfirmProps {
  isOpen: boolean
  title: string
  /** The consequence. */
  children: ReactNode
  /** The text to type, such as a name; case-sensitive. */
  phrase: string
  /** The label of the confirming button. */
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks for a typed name before an irreversible action. For reversible actions, prefer `undoToast`. */
export function TypeToConfirm({ isOpen, onClose, title, ...rest }: TypeToConfirmProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} role="alertdialog">
      <ConfirmationForm {...rest} onClose={onClose} />
    </Dialog>
  )
}

function ConfirmationForm({
  children,
  phrase,
  action,
  isBusy = false,
  onConfirm,
  onClose,
}: Omit<TypeToConfirmProps, 'isOpen' | 'title'>) {
  const [typed, setTyped] = useState('')
  const isMatch = typed.trim() === phrase
  return (
    <form
      className="mt-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (isMatch && !isBusy) onConfirm()
      }}
    >
      <div className="mb-4 text-ink2">{children}</div>
      <Field
        label={`Type ${phrase} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" className="border-bad! bg-bad! text-card!" disabled={!isMatch} isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
