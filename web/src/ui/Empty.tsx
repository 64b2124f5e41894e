import type { ReactNode } from 'react'
import { Identicon } from './Identicon.tsx'

interface EmptyProps {
  /** Why the list is empty: nothing exists, nothing matches, or nothing is visible to the caller. */
  kind: 'nothing yet' | 'no match' | 'no permission'
  title: string
  children?: ReactNode
}

/** Replaces the rows of an empty list. */
export function Empty({ kind, title, children }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-1 px-5 py-10 text-center">
      <Identicon seed={kind} size={64} isGold />
      <p className="mt-3 text-[15px] font-[620]">{title}</p>
      {children && <div className="max-w-md text-ink2">{children}</div>}
    </div>
  )
}
