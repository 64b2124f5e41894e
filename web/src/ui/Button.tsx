import type { ComponentProps } from 'react'

type Look = 'plain' | 'primary' | 'danger' | 'ghost'

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  isSmall?: boolean
  /** Work goes on: it cannot be pressed again, and says so. */
  isBusy?: boolean
}

/** The classes of a button, for a link that looks like one. */
export function buttonClass(look: Look = 'plain', isSmall = false): string {
  return ['btn', look !== 'plain' && `btn-${look}`, isSmall && 'btn-small'].filter(Boolean).join(' ')
}

/** A button that does not submit a form unless told to. */
export function Button({ look, isSmall, isBusy = false, className = '', disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(look, isSmall)} ${className}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    />
  )
}
