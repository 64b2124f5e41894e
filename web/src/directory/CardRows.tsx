import type { ReactNode } from 'react'
import { Tag } from '../ui/Tag.tsx'

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
  /** Names of roles, at the right, or below in a narrow card. */
  tags?: string[]
  /** At the right, such as a status or a role. */
  aside?: ReactNode
}

export function CardRow({ picture, name, detail, tags = [], aside }: CardRowProps) {
  return (
    <li className="flex min-h-11 items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
      {picture}
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-48 leading-snug">
          <p className="truncate">{name}</p>
          {detail && <p className="truncate text-[13px] text-ink3">{detail}</p>}
        </div>
        {tags.length > 0 && (
          <span className="flex min-w-0 flex-wrap gap-1">
            {tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        )}
      </div>
      {aside && <span className="shrink-0 text-[13px] text-ink3">{aside}</span>}
    </li>
  )
}
