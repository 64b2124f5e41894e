import { Children, type ComponentProps } from 'react'

type ButtonVariant = 'plain' | 'primary' | 'danger' | 'ghost'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  isSmall?: boolean
  /** Disables the button while work is in progress and announces it. */
  isBusy?: boolean
}

/** Returns the button classes for a link that looks like a button. */
export function buttonClass(variant: ButtonVariant = 'plain', isSmall = false): string {
  return ['btn', variant !== 'plain' && `btn-${variant}`, isSmall && 'btn-small'].filter(Boolean).join(' ')
}

/**
 * A button that does not submit a form by default. While it is busy, a spinner takes the place of its icon, or the
 * padding before its label: the label and the width stay.
 */
export function Button({ variant, isSmall, isBusy = false, className = '', disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(variant, isSmall)} ${isBusy ? 'relative disabled:opacity-75' : ''} ${className}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {isBusy ? withSpinner(children) : children}
    </button>
  )
}

function withSpinner(children: ButtonProps['children']) {
  const [first, ...others] = Children.toArray(children)
  const hasIcon = typeof first === 'object'
  return (
    <>
      <span
        aria-hidden="true"
        className={`size-3.5 shrink-0 animate-spin rounded-full border-2 border-r-transparent motion-reduce:animate-none ${hasIcon ? '' : 'absolute -left-px scale-60'}`}
      />
      {hasIcon ? others : children}
    </>
  )
}
