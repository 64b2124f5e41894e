import { type ReactNode, useId } from 'react'

interface PanelProps {
  label: string
  trigger: ReactNode
  children: ReactNode
  /** How the button looks. */
  className?: string
}

/** A button with a small panel of controls in the top layer; Escape and a click elsewhere close it. */
export function Panel({ label, trigger, children, className = 'btn' }: PanelProps) {
  const id = useId()
  const anchor = `--panel-${id.replace(/\W/g, '')}`
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="dialog"
        popoverTarget={id}
        style={{ anchorName: anchor } as never}
      >
        {trigger}
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="pop menu min-w-56 p-3"
        style={{ positionAnchor: anchor } as never}
      >
        {children}
      </div>
    </>
  )
}
