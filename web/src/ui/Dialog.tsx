import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './Button.tsx'

interface DialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** `alertdialog` for a question that must be answered first. */
  role?: 'dialog' | 'alertdialog'
  className?: string
}

/** A native modal: it traps focus and restores it, and Escape closes it. */
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
      className={`m-auto max-w-[calc(100vw-2rem)] card p-5 text-ink shadow-pop backdrop:bg-shade ${className}`}
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
  /** The label of the confirming button. */
  action: string
  /** `danger` by default, for destructive actions. */
  variant?: 'danger' | 'primary'
  isBusy?: boolean
  /** False while required information is still loading. */
  isReady?: boolean
  onConfirm: () => void
  /** Called after Cancel, Escape and a confirmed action. */
  onClose: () => void
}

/** Asks for confirmation before an action that takes effect immediately. */
export function Confirm(props: ConfirmProps) {
  const {
    isOpen,
    title,
    children,
    action,
    variant = 'danger',
    isBusy = false,
    isReady = true,
    onConfirm,
    onClose,
  } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} role="alertdialog">
      <div className="mt-1.5 text-ink2">{children}</div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant={variant} isBusy={isBusy} disabled={!isReady} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
