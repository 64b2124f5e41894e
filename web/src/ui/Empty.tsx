import type { ReactNode } from 'react'
import { Seal } from './Seal.tsx'

interface EmptyProps {
  /** There is nothing yet, nothing that matches, or nothing that one may see: each wants another way on. */
  kind: 'nothing yet' | 'no match' | 'no permission'
  title: string
  children?: ReactNode
}

/** The place of a list that has no rows. */
export function Empty({ kind, title, children }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-1 px-5 py-10 text-center">
      <Seal seed={kind} size={64} isFoil />
      <p className="mt-3 text-[15px] font-[620]">{title}</p>
      {children && <div className="max-w-md text-ink2">{children}</div>}
    </div>
  )
}
