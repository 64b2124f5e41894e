import type { ReactNode } from 'react'

/** The rows of a card that shows the first entries of a list with its own tab. */
export const CardRows = ({ children }: { children: ReactNode }) => <ul className="pb-1">{children}</ul>

/** A line of text in a card, such as “No roles”. */
export const CardText = ({ children }: { children: ReactNode }) => (
  <p className="px-4 pb-4 text-ink2 sm:px-[18px]">{children}</p>
)

/** The last line of a card: a link to the rows that are not shown. */
export const CardFoot = ({ children }: { children: ReactNode }) => (
  <p className="border-t border-hair px-4 py-3 sm:px-[18px]">{children}</p>
)

interface CardRowProps {
  /** An `Avatar` or an `ObjectIcon`. */
  picture?: ReactNode
  name: ReactNode
  detail?: ReactNode
  /** At the right, such as a status or a role. */
  aside?: ReactNode
}

export function CardRow({ picture, name, detail, aside }: CardRowProps) {
  return (
    <li className="flex min-h-11 items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
      {picture}
      <div className="min-w-0 flex-1 leading-snug">
        <p className="truncate">{name}</p>
        {detail && <p className="truncate text-[13px] text-ink3">{detail}</p>}
      </div>
      {aside && <span className="shrink-0 text-[13px] text-ink3">{aside}</span>}
    </li>
  )
}
