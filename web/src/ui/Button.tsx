import type { ComponentProps } from 'react'

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

/** A button that does not submit a form by default. */
export function Button({ variant, isSmall, isBusy = false, className = '', disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(variant, isSmall)} ${className}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    />
  )
}
