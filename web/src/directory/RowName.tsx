import type { ReactNode } from 'react'
import { Seal } from '../ui/Seal.tsx'

interface RowNameProps {
  /** Its seal; a thing that has none, such as a role, leaves it out. */
  seed?: string
  name: ReactNode
  about?: ReactNode
}

/** The first cell of a row: seal, name, and what tells it from others of that name. */
export function RowName({ seed, name, about }: RowNameProps) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      {seed !== undefined && <Seal seed={seed} size={32} />}
      <span className="min-w-0 leading-tight">
        <span data-name className="block break-words">
          {name}
        </span>
        {about && <span className="block text-[13px] font-normal [overflow-wrap:anywhere] text-ink3">{about}</span>}
      </span>
    </span>
  )
}
