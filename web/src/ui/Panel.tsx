import type { ReactNode } from 'react'
import { Popover } from './Popover.tsx'

interface PanelProps {
  label: string
  trigger: ReactNode
  children: ReactNode
  /** Classes of the button. */
  className?: string
  /** Called before the panel opens, for content loaded on demand. */
  onOpen?: () => void
}

/** A button that opens a small panel of controls in the top layer. Escape and an outside click close it. */
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
