import type { ReactNode } from 'react'

/** A property of a record that is not a state, such as “Built-in”. */
export function Badge({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1 rounded-md border border-line bg-well px-1.5 align-middle text-[12px] leading-5 whitespace-nowrap text-ink2">
      {children}
    </span>
  )
}
