import type { ReactNode } from 'react'

interface RowNameProps {
  /** An `Avatar` or an `ObjectIcon` of 28 px. */
  picture?: ReactNode
  name: ReactNode
  detail?: ReactNode
}

/** The first cell of a row: picture, name, and a distinguishing detail; on a card the detail has a line of its own. */
export function RowName({ picture, name, detail }: RowNameProps) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {picture}
      <span className="min-w-0 max-sm:leading-tight sm:flex sm:items-baseline sm:gap-2">
        <span data-name className="max-w-full shrink-0 truncate font-[580] max-sm:block">
          {name}
        </span>
        {detail && (
          <span className="min-w-0 truncate font-normal text-ink3 max-sm:block max-sm:text-[13px]">{detail}</span>
        )}
      </span>
    </span>
  )
}
