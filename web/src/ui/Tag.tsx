import type { ReactNode } from 'react'

/** A machine-readable name, such as that of a role. */
export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-block max-w-full align-middle truncate rounded-[5px] border border-line bg-well px-1.5 py-px font-mono text-[11.5px] text-ink2">
      {children}
    </span>
  )
}
