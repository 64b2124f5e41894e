import type { ReactNode } from 'react'
import { Identicon } from '../ui/Identicon.tsx'

interface RowNameProps {
  /** The seed of its avatar pattern; omitted for records without one, such as roles. */
  seed?: string
  name: ReactNode
  detail?: ReactNode
}

/** The first cell of a row: avatar pattern, name, and a distinguishing detail. */
export function RowName({ seed, name, detail }: RowNameProps) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      {seed !== undefined && <Identicon seed={seed} size={32} />}
      <span className="min-w-0 leading-tight">
        <span data-name className="block break-words">
          {name}
        </span>
        {detail && <span className="block text-[13px] font-normal [overflow-wrap:anywhere] text-ink3">{detail}</span>}
      </span>
    </span>
  )
}
