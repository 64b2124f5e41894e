import type { ReactNode } from 'react'
import { Popover } from './Popover.tsx'

interface PanelProps {
  label: string
  trigger: ReactNode
  children: ReactNode
  /** How the button looks. */
  className?: string
  /** Called just before it opens, for what is loaded only then. */
  onOpen?: () => void
}

/** A button with a small panel of controls in the top layer; Escape and a click elsewhere close it. */
export function Panel({ label, trigger, children, className = 'btn', onOpen }: PanelProps) {
  return (
    <Popover
      role="dialog"
      label={label}
      trigger={trigger}
      buttonClassName={className}
      className="min-w-56 p-3"
      onBeforeToggle={({ newState }) => newState === 'open' && onOpen?.()}
    >
      {children}
    </Popover>
  )
}
