import type { ReactNode } from 'react'
import { Highlight } from './Highlight.tsx'

interface RowNameProps {
  /** An `Avatar` or an `ObjectIcon` of 28 px. */
  picture?: ReactNode
  name: ReactNode
  detail?: ReactNode
  /** Between the name and the detail. */
  tag?: ReactNode
}

/** Marks the words of the search in a text. */
const mark = (node: ReactNode) => (typeof node === 'string' ? <Highlight text={node} /> : node)

/** The first cell of a row: picture, name, and a distinguishing detail; on a card the detail has a line of its own. */
export function RowName({ picture, name, detail, tag }: RowNameProps) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {picture}
      <span className="min-w-0 max-sm:leading-tight sm:flex sm:items-baseline sm:gap-2">
        <span data-name className="max-w-full shrink-0 truncate font-[580] max-sm:block">
          {mark(name)}
        </span>
        {tag}
        {detail && (
          <span className="min-w-0 truncate font-normal text-ink3 max-sm:block max-sm:text-[13px]">{mark(detail)}</span>
        )}
      </span>
    </span>
  )
}
