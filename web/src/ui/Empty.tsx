import { Lock, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Identicon } from './Identicon.tsx'

interface EmptyProps {
  /** Why the list is empty: nothing exists, nothing matches, or nothing is visible to the caller. */
  kind: 'nothing yet' | 'no match' | 'no permission'
  title: string
  children?: ReactNode
}

/** Replaces the rows of an empty list. Each kind has its own picture; the gold one means that nothing exists yet. */
export function Empty({ kind, title, children }: EmptyProps) {
  const Icon = kind === 'no match' ? SearchX : Lock
  return (
    <div className="grid justify-items-center gap-1.5 px-5 py-10 text-center">
      {kind === 'nothing yet' ? (
        <Identicon seed={kind} size={64} isGold />
      ) : (
        <span className="grid size-14 place-items-center rounded-box bg-well text-foil-text">
          <Icon size={26} />
        </span>
      )}
      <p className="mt-2 text-[15px] font-[620]">{title}</p>
      {children && <div className="w-full max-w-lg text-balance text-ink2">{children}</div>}
    </div>
  )
}
