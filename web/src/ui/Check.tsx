import type { ComponentProps, ReactNode } from 'react'

interface CheckProps extends ComponentProps<'input'> {
  /** Some of what it stands for is checked, and not all. */
  isMixed?: boolean
  /** Shown beside it; without one it needs an `aria-label`. */
  children?: ReactNode
}

/** A checkbox, or with `type="radio"` one of a choice, in a place that a finger can hit. */
export function Check({ isMixed = false, children, className = '', ...input }: CheckProps) {
  return (
    <label
      className={`inline-flex min-h-8 min-w-6 cursor-pointer items-center gap-2.5 pointer-coarse:min-h-11 pointer-coarse:min-w-11 ${className}`}
    >
      <input
        type="checkbox"
        {...input}
        ref={(box) => {
          if (box) box.indeterminate = isMixed
        }}
        className="size-4 shrink-0 accent-stamp"
      />
      {children}
    </label>
  )
}
