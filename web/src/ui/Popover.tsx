import { type ComponentProps, type ReactNode, useId } from 'react'

interface PopoverProps extends Pick<ComponentProps<'div'>, 'ref' | 'onKeyDown' | 'onToggle' | 'onBeforeToggle'> {
  /** The role of the popup, for assistive technology. */
  role: 'menu' | 'dialog'
  label: string
  trigger: ReactNode
  /** Classes of the button, then of the popup. */
  buttonClassName: string
  className: string
  children: ReactNode
}

/** A button with a top-layer popup beside it; Escape and an outside click close the popup. */
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
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is dynamic; menus and dialogs support a label */}
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
