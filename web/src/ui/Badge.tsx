import type { ReactNode } from 'react'

/** A property of a record that is not a state, such as “Built-in”; a risky one is red. */
export function Badge({ isRisky = false, children }: { isRisky?: boolean; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-md border bg-well px-1.5 align-middle text-[12px] leading-5 whitespace-nowrap ${isRisky ? 'border-bad text-bad' : 'border-line text-ink2'}`}
    >
      {children}
    </span>
  )
}
