import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './Button.tsx'

interface DialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** `alertdialog` where an answer is wanted before anything else. */
  role?: 'dialog' | 'alertdialog'
  className?: string
}

/** A modal of the platform: it keeps the focus in and gives it back, and Escape closes it. */
export function Dialog({ isOpen, onClose, title, children, role = 'dialog', className = 'w-[420px]' }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal()
    if (!isOpen && dialog.current?.open) dialog.current.close()
  }, [isOpen])
  return (
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={id}
      onClose={onClose}
      className={`m-auto max-w-[calc(100vw-2rem)] rounded-box border border-line bg-card p-5 text-ink shadow-pop backdrop:bg-shade ${className}`}
    >
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  )
}

interface ConfirmProps {
  isOpen: boolean
  title: string
  children: ReactNode
  /** Names what will be done. */
  action: string
  /** What takes something away looks dangerous, unless told. */
  look?: 'danger' | 'primary'
  isBusy?: boolean
  /** False while what has to be known first is not known yet. */
  isReady?: boolean
  onConfirm: () => void
  /** Called however it is left: by Cancel, by Escape, and after what was confirmed. */
  onClose: () => void
}

/** Asks before something that counts at once. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, title, children, action, look = 'danger', isBusy = false, isReady = true, onConfirm, onClose } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} role="alertdialog">
      <div className="mt-1.5 text-ink2">{children}</div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look={look} isBusy={isBusy} disabled={!isReady} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
