import type { ComponentProps, ReactNode } from 'react'

interface CheckProps extends ComponentProps<'input'> {
  /** Some, but not all, of the represented items are checked. */
  isMixed?: boolean
  /** The label beside it; without one, an `aria-label` is required. */
  children?: ReactNode
}

/** A checkbox, or a radio button with `type="radio"`, with a touch-sized target. */
export function Check({ isMixed = false, children, className = '', ref, ...input }: CheckProps) {
  return (
    <label
      className={`inline-flex min-h-8 min-w-6 cursor-pointer items-center gap-2.5 pointer-coarse:min-h-11 pointer-coarse:min-w-11 ${className}`}
    >
      <input
        type="checkbox"
        {...input}
        ref={(box) => {
          if (box) box.indeterminate = isMixed
          if (typeof ref === 'function') ref(box)
          else if (ref) ref.current = box
        }}
        className="size-4 shrink-0"
      />
      {children}
    </label>
  )
}
