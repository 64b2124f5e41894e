import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Field } from './Field.tsx'

interface TypeToConfirmProps {
  isOpen: boolean
  title: string
  /** What will happen. */
  children: ReactNode
  /** What has to be typed, such as a name; case counts. */
  phrase: string
  /** Names what will be done. */
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks for the name of what cannot be brought back before it goes. For whatever can be undone, `undoToast` is better. */
export function TypeToConfirm({ isOpen, onClose, title, ...question }: TypeToConfirmProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} role="alertdialog">
      <Question {...question} onClose={onClose} />
    </Dialog>
  )
}

function Question({
  children,
  phrase,
  action,
  isBusy = false,
  onConfirm,
  onClose,
}: Omit<TypeToConfirmProps, 'isOpen' | 'title'>) {
  const [typed, setTyped] = useState('')
  const isRight = typed.trim() === phrase
  return (
    <form
      className="mt-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (isRight && !isBusy) onConfirm()
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
        <Button type="submit" look="danger" disabled={!isRight} isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
