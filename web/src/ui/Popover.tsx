import { type ComponentProps, type ReactNode, useId } from 'react'

interface PopoverProps extends Pick<ComponentProps<'div'>, 'ref' | 'onKeyDown' | 'onToggle' | 'onBeforeToggle'> {
  /** What opens, to those who cannot see it. */
  role: 'menu' | 'dialog'
  label: string
  trigger: ReactNode
  /** How the button looks, and how what it opens. */
  buttonClassName: string
  className: string
  children: ReactNode
}

/** A button with something in the top layer beside it; Escape and a click elsewhere close that. */
export function Popover({ role, label, trigger, buttonClassName, className, children, ...opened }: PopoverProps) {
  const id = useId()
  const anchor = `--popover-${id.replace(/\W/g, '')}`
  return (
    <>
      <button
        type="button"
        className={buttonClassName}
        aria-label={label}
        aria-haspopup={role}
        popoverTarget={id}
        style={{ anchorName: anchor } as never}
      >
        {trigger}
      </button>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the linter sees no role; a menu and a dialog have a label */}
      <div
        {...opened}
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        className={`pop menu ${className}`}
        style={{ positionAnchor: anchor } as never}
      >
        {children}
      </div>
    </>
  )
}
